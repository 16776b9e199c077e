"""Run an experiment in this process: what is left of it, so many runs at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...nodes.models.failures import Stopped
from ...nodes.models.spec import REHEARSAL
from ..display.screen import Screen
from ..display.terminal import command
from ..failure import Interrupted
from ..run import CtrlC
from ..saved import Store
from ..saved.experiments import Standing, Stored
from .begin import stored_plan
from .draw import Trial, asked, each_cell, trials
from .limits import limits_of
from .plan import Plan
from .progress import Show, Watch
from .runner import ENDED, Crew, Stop, run_all
from .sealing import models
from .status import unfinished


@dataclass(frozen=True)
class How:
    """How an experiment is run here. `again`: failed runs too; `shown`: where its progress is shown; none: nowhere."""

    jobs: int = 4
    again: bool = False
    shown: Screen | None = None


async def carried_on(store: Store, stored: Stored, how: How, db: str) -> Stored:
    """Run what is left of an experiment; an error that stops it says how to go on."""
    try:
        await run_here(store, stored, how)
    except (Stopped, Interrupted) as stop:
        again = command("experiment", "run", stored.name, db=db and store.where)
        raise type(stop)(f"{stop}; go on with: {again}") from stop
    return stored


def is_rehearsed(stored: Stored) -> bool:
    """Whether no model can take part in any run."""
    plan = stored_plan(stored)
    return models(each_cell(plan, trials(plan), stored.model)) == [REHEARSAL]


def paid(stored: Stored) -> str:
    """Which models an experiment asks, and the cap on all its runs, where it has one."""
    plan = stored_plan(stored)
    cap = ", ".join(f"{key} {value:,}" for key, value in plan.cap.model_dump(exclude_none=True).items())
    named = ", ".join(models(each_cell(plan, trials(plan), stored.model)))
    return f"{named}; {f'cap: {cap}' if cap else 'no cap on all runs together'}"


async def run_here(store: Store, stored: Stored, how: How) -> None:
    """Run what is left of an experiment.

    Raises `Interrupted` after Ctrl-C, `Stopped` where runs stopped, are under way elsewhere, or no longer fit the cap.
    """
    if how.again:
        await store.experiments.reopen(stored.name)
    plan, before = stored_plan(stored), await store.experiments.standings(stored.name)
    drawn = trials(plan)
    left = to_run(drawn, before)
    prices = asked(plan, drawn[0], stored.model).rules.prices
    watch = Show(how.shown, len(drawn), before, prices) if how.shown else Watch()
    ctrl_c = CtrlC(watch.draining)
    crew = Crew(store, stored, plan, limits_of(store, plan), watch, ctrl_c, stop=stop_of(plan))
    with ctrl_c.caught(), watch:
        await run_all(crew, left, how.jobs)
    if crew.enough and how.shown:
        how.shown.line(crew.enough)
    standings = await store.experiments.standings(stored.name)
    states = [(one, standings[one.run].state if one.run in standings else "planned") for one in drawn]
    _check_whole(crew, states)


def stop_of(plan: Plan) -> Stop | None:
    """What says when enough is known, where the plan has it."""
    if not plan.until:
        return None
    from .arms.until import Evidence  # needs the extra `science`

    return Evidence(plan)


def to_run(drawn: list[Trial], before: Mapping[str, Standing]) -> list[Trial]:
    """The runs that have not ended: failed ones have, until they are opened again."""
    over = {run for run, one in before.items() if one.state in ENDED}
    return [one for one in drawn if one.run not in over]


def _check_whole(crew: Crew, states: Sequence[tuple[Trial, str]]) -> None:
    if crew.ctrl_c.times:
        raise Interrupted("stopped; what was said is saved")
    if crew.stopped:
        raise Stopped(f"{len(crew.stopped)} runs stopped, the last: {crew.stopped[-1]}")
    if crew.failed and not crew.done:
        raise Stopped(f"every run failed, the last: {crew.failed[-1]}; with --again failed they are tried again")
    if crew.elsewhere:
        raise Stopped(crew.elsewhere[-1])
    if crew.unpaid:
        cap = crew.plan.cap.model_dump(exclude_none=True)
        count = sum(state not in ENDED for _, state in states)
        left = f"{count} of {len(states)} runs were not begun, or not ended: {unfinished(crew.plan, states)}"
        raise Stopped(f"cap = {cap}: too little is left for another run; {left}; raise it in the plan to go on")
