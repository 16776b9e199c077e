"""How far an experiment has come: by condition, and run by run what failed, stopped or is under way."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pydantic import BaseModel, ConfigDict, Field

from ..saved import Store
from ..saved.experiments import Standing, Stored
from .begin import stored_plan
from .draw import Trial, cells, trials
from .plan import Cap, Plan
from .words import say


class CellStatus(BaseModel):
    """One condition. Every planned run is in one of the five counts after `planned`."""

    model_config = ConfigDict(frozen=True)

    cell: str
    planned: int
    done: int = 0
    running: int = 0
    stopped: int = Field(default=0, description="Begun, under way nowhere; the next `run` goes on with them.")
    failed: int = Field(default=0, description="Without a result; tried again when asked.")
    waiting: int = Field(default=0, description="Not begun.")


class Remark(BaseModel):
    """What is to be said of one run."""

    model_config = ConfigDict(frozen=True)

    run: str
    state: str
    what: str = Field(description="Why it failed or stopped; where it is under way, and since when.")


class Status(BaseModel):
    """An experiment."""

    model_config = ConfigDict(frozen=True)

    name: str
    protocol: str
    started: str
    hash: str
    cells: list[CellStatus]
    remarks: list[Remark]
    calls: int
    tokens: int
    cost: float
    cap: Cap
    enough: str = Field(default="", description="Why no other run needs to be begun; empty: there is no reason.")


async def status(store: Store, stored: Stored) -> Status:
    """How far an experiment has come."""
    plan, standings = stored_plan(stored), await store.experiments.standings(stored.name)
    drawn = trials(plan)
    running = {run for run, one in standings.items() if one.state == "begun" and await store.is_held(run)}
    to_tell = [run for run, one in standings.items() if one.state != "done"]
    spent = [one[2:] for one in standings.values()]
    return Status(
        name=stored.name,
        protocol=plan.protocol,
        started=stored.started,
        hash=plan.hash,
        cells=[_of_cell(one.label, [it for it in drawn if it.cell == one], standings, running) for one in cells(plan)],
        remarks=[await _remark(store, run, standings[run], run in running) for run in to_tell],
        calls=sum(calls for calls, _, _ in spent),
        tokens=sum(tokens for _, tokens, _ in spent),
        cost=sum(cost for _, _, cost in spent),
        cap=plan.cap,
    )


def _of_cell(label: str, of: Sequence[Trial], standings: Mapping[str, Standing], running: set[str]) -> CellStatus:
    counts = Counter(_state(one.run, standings.get(one.run), running) for one in of)
    return CellStatus(cell=label, planned=len(of), **counts)


def _state(run: str, standing: Standing | None, running: set[str]) -> str:
    if standing is None:
        return "waiting"
    if standing.state == "begun":
        return "running" if run in running else "stopped"
    return standing.state


async def _remark(store: Store, run: str, standing: Standing, running: bool) -> Remark:
    if standing.state != "begun":
        return Remark(run=run, state=standing.state, what=standing.why)
    if not running:
        return Remark(run=run, state="stopped", what="the process that ran it ended")
    holder = await store.runs.holder(run)
    where = f"process {holder['pid']} on {holder['host']}, since {holder['since']}" if holder else ""
    return Remark(run=run, state="running", what=where)


ENDED = ("done", "failed")


def unfinished(plan: Plan, found: Iterable[tuple[Trial, str]]) -> str:
    """Such as "3 of 4 independent samples, 4 of 4 forks", in the plan's language; empty: all have ended."""
    every, left = Counter[str](), Counter[str]()
    for trial, state in found:
        every[trial.arm or "talk"] += 1
        left[trial.arm or "talk"] += state not in ENDED
    told = {arm: say(plan, f"arms.{arm}") for arm in left}
    parts = [say(plan, "opening.part", count=one, of=every[arm], arm=told[arm]) for arm, one in left.items() if one]
    return say(plan, "opening.comma").join(parts)
