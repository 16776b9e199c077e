"""One process runs an experiment: so many runs at once, each as a single run is run, quietly."""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import ValidationError

from ...nodes.calibrated_stop import with_stops
from ...nodes.clock import stamp
from ...nodes.models.chat import close_models
from ...nodes.models.failures import Stopped
from ...nodes.models.gate import through
from ...prompts import TemplateFault
from ...state.ends import UNAVAILABLE
from ...state.refused import Refused, refused_input
from ..display.terminal import Terminal
from ..failure import Interrupted
from ..hooks import hooks_of
from ..options import View
from ..request import Request
from ..run import CtrlC, resume_run, run_to_end
from ..saved import Run, Saved, Store, ended_alone, load, planted
from ..saved.experiments import Spending, Standing, State, Stored, spending
from ..saved.lock_holder import Held, me
from .arms.beside import NotRun, arm_request
from .arms.forks import fork_of
from .draw import Trial, asked
from .gate import RunGate
from .limits import Limits
from .plan import Plan
from .progress import Watch
from .queue import Queue
from .tasks.confederates import attended

ENDED = ("done", "failed")
PATIENCE = 3
"""Runs that stop one after another, none ending between them, before no other is begun."""


class Quiet(Terminal):
    """A terminal on which nothing is shown."""

    def __init__(self, place: str) -> None:
        super().__init__(View(db=place, quiet=True))
        self.place = place

    def note(self, text: str, style: str = "") -> None:
        """Show nothing."""


class Stop(Protocol):
    """Says when enough is known."""

    async def reached(self, store: Store) -> str:
        """Why no other run needs to be begun; empty: there is no reason yet."""


@dataclass
class Crew:
    """What all runs of one process share.

    `stopped`: why runs stopped; `in_a_row`: how many of the last. `failed`: why runs failed. `elsewhere`: which runs
    another process has under way. `unpaid`: whether the cap on all leaves too little for a run. `stop`: what says
    when enough is known, and `enough` why.
    """

    store: Store
    stored: Stored
    plan: Plan
    limits: Limits
    watch: Watch
    ctrl_c: CtrlC
    stopped: list[str] = field(default_factory=list)
    in_a_row: int = 0
    failed: list[str] = field(default_factory=list)
    done: int = 0
    elsewhere: list[str] = field(default_factory=list)
    unpaid: bool = False
    stop: Stop | None = None
    enough: str = ""

    @property
    def goes_on(self) -> bool:
        """Whether another run may be begun."""
        return not (self.enough or self.unpaid or self.ctrl_c.control.drain_requested or self.in_a_row >= PATIENCE)


async def run_all(crew: Crew, trials: Sequence[Trial], jobs: int) -> None:
    """Run these, so many at once, until all have ended, or none can go on."""
    standings = await crew.store.experiments.standings(crew.plan.name)
    left = Queue(trials, ended_of(trials, standings))
    await _look(crew)
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(jobs, len(trials))):
                group.create_task(_one_by_one(crew, left))
    except BaseExceptionGroup as faults:
        raise faults.exceptions[0] from None
    finally:
        await close_models()


def ended_of(trials: Sequence[Trial], standings: Mapping[str, Standing]) -> set[str]:
    """The runs that have ended and are not among those to be run."""
    again = {one.run for one in trials}
    return {run for run, one in standings.items() if one.state in ENDED} - again


async def _one_by_one(crew: Crew, left: Queue) -> None:
    while crew.goes_on and (trial := await left.next()):
        try:
            state = await run_one(crew, trial)
        except Held as held:
            crew.elsewhere.append(str(held))
            await left.left(trial, ended=False)
        else:
            if state is not None:
                await left.left(trial, state in ENDED)
            elif not await left.put_back(trial):  # those under way may give back what they do not need
                crew.unpaid = True
        await _look(crew)


async def _look(crew: Crew) -> None:
    """Ask whether enough is known."""
    crew.enough = crew.enough or (await crew.stop.reached(crew.store) if crew.stop else "")


async def run_one(crew: Crew, trial: Trial) -> State | None:
    """One run to its end, from wherever it stands; gives how it ended, none where it was not begun.

    It is not begun where too little is left of the cap on all. Raises `Held` where another process runs it, or a run
    that it needs.
    """
    await _check_needs(crew, trial)
    given = asked(crew.plan, trial, crew.stored.model)
    cap = crew.plan.cap.model_dump()
    async with crew.store.lock(trial.run):
        before = await crew.store.experiments.standing(trial.run)
        if before and before.state in ENDED:  # by another process, meanwhile
            return before.state
        if not await crew.store.experiments.begin(crew.plan.name, trial.run, given.rules.budget, cap):
            return None
        crew.watch.begun(trial)
        state, why, spent = await _ended(crew, trial, given)
        await crew.store.experiments.end(trial.run, state, why, spent)
    crew.watch.ended(trial, state, why)
    crew.done += state == "done"
    crew.failed += [why] * (state == "failed")
    return state


async def _check_needs(crew: Crew, trial: Trial) -> None:
    for run in trial.needs:
        standing = await crew.store.experiments.standing(run)
        if standing is None or standing.state not in ENDED:
            raise Held(f"{trial.run} waits for {run}, which has not ended")


async def _ended(crew: Crew, trial: Trial, given: Request) -> tuple[State, str, Spending]:
    """How a run ended, why, and what its record says it has spent."""
    nothing = Spending(0, 0, 0.0)
    counted = any(one is not None for one in crew.plan.cap.model_dump().values())
    gate = RunGate(trial.run, given.rules, crew.store.experiments, crew.limits, crew.watch.called, counted)
    try:
        if trial.arm and not trial.fork:
            given = await arm_request(crew.store, crew.plan, trial, crew.stored.model)
        with through(gate), with_stops(crew.plan.stops):
            saved = await _run(crew, trial, given)
    except NotRun as lacking:
        return "failed", str(lacking), nothing
    except Stopped as stop:
        crew.stopped.append(str(stop))
        crew.in_a_row += 1
        return "stopped", str(stop), await _spent(crew, trial)
    except Interrupted:
        return "stopped", "interrupted", await _spent(crew, trial)
    except (Refused, TemplateFault) as fault:
        return "failed", str(fault), nothing
    except ValidationError as fault:
        return "failed", str(refused_input(fault)), nothing
    crew.in_a_row = 0
    return ended_as(saved)


async def _spent(crew: Crew, trial: Trial) -> Spending:
    """What the record of a run that stopped says it has spent."""
    try:
        saved = await load(crew.store, trial.run)
    except Refused:  # a run that could not be begun left nothing
        return Spending(0, 0, 0.0)
    return ended_as(saved)[2] if saved.begun else Spending(0, 0, 0.0)


def ended_as(saved: Saved) -> tuple[State, str, Spending]:
    """How a run ended that was not stopped, why, and what its record says it has spent."""
    spent = spending(saved.state["calls"][saved.run.forked_calls :], saved.state["rules"].prices)
    if saved.finished and saved.state["outcome"].reason != UNAVAILABLE:
        return "done", "", spent
    return "failed", saved.state["outcome"].headline if saved.state["outcome"] else "", spent


async def _run(crew: Crew, trial: Trial, given: Request) -> Saved:
    """Begin a run, or take it up where it stood; its lock is held."""
    store, row = crew.store, row_of(crew.plan, trial, given)
    terminal = Quiet(store.where)
    terminal.callbacks = [*hooks_of(given.protocol.name).callbacks(given.rules, trial.run, store.where)]

    def go_on(input: Any) -> Awaitable[Saved]:
        return run_to_end(store, trial.run, input, terminal, crew.ctrl_c)

    if trial.fork:
        await planted(store, await fork_of(store, trial, row))
    if trial.fork or not await store.runs.add(row):
        saved = await load(store, trial.run)
        if saved.finished and not ended_alone(saved):
            return saved
        if saved.begun:
            return await attended(store, trial.run, trial.item, resume_run(store, saved, terminal, crew.ctrl_c), go_on)
    await store.runs.hold(trial.run, me())
    return await attended(store, trial.run, trial.item, go_on(given.input), go_on)


def row_of(plan: Plan, trial: Trial, given: Request) -> Run:
    """The row of a run that is one of an experiment; in a recording it has its name for a place."""
    rules = given.rules.settled(place=trial.run) if given.rules.record or given.rules.replay else given.rules
    return Run(
        run=trial.run,
        protocol=given.protocol.name,
        topic=given.topic,
        started=stamp(),
        rules=rules.model_dump(mode="json"),
        experiment=plan.name,
        condition=trial.cell.label,
        item=trial.item.id,
        repeat=trial.repeat,
    )
