"""A saved run, read back: its row and its state."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.errors import InvalidUpdateError
from langgraph.types import Interrupt, StateSnapshot

from ...nodes.clock import stamp
from ...state.ends import OUTAGE, UNAVAILABLE
from ...state.incident import Call, Incident, passed_over, total_tokens
from ...state.refused import Refused
from ...state.rules import Rules
from ..protocols import protocol
from .names import checked
from .runs import VERSION, Run, newer
from .store import Store

STEPS = 1_000_000
"""Supersteps of one session; far beyond any deliberation."""


@dataclass(frozen=True)
class Saved:
    """What is saved of a run. `at`: when, ISO 8601; `next`: the steps that come next, none at the end.

    A step that was taken, but whose outcome was not yet entered when the process died, still counts as coming next;
    `taken`: whether there is one; `whole`: whether nothing of that step is left to do. `step`: number of the last
    one that was entered. `interrupts`: what is asked of people and programs.
    """

    run: Run
    state: dict[str, Any]
    next: list[str]
    at: str = ""
    taken: bool = False
    whole: bool = False
    step: int = 0
    interrupts: tuple[Interrupt, ...] = ()

    @property
    def values(self) -> dict[str, Any]:
        """The state, by the name that langgraph's snapshots have for it."""
        return self.state

    @property
    def begun(self) -> bool:
        """Whether its first step has been taken: only that counts turns, while a cast may have come with the input."""
        return "turn" in self.state

    @property
    def finished(self) -> bool:
        """Whether it has come to its end."""
        return self.begun and not self.next

    @property
    def milliseconds(self) -> int:
        """Wall time between its beginning and its last step, without the pauses in which nobody ran it."""
        return max(0, gap(self.run.started, self.at) - self.run.paused_ms) if self.at else 0

    def row(self) -> Run:
        """The row as it should stand, by what the state says."""
        if not self.begun:
            return self.run
        outcome = self.state.get("outcome")
        found = {"finished": self.finished, "ending": outcome.reason if outcome else ""}
        found["topic"] = self.run.topic or self.state.get("topic", "")
        found["due"] = min(filter(None, map(_until, self.interrupts)), default="")
        counts = {"turns": len(self.state["history"]), "tokens": total_tokens(self.state["calls"])}
        return self.run.model_copy(update=found | counts)


def _until(asked: Interrupt) -> str:
    """Until when something asked of people and programs can be answered; empty: for ever."""
    told = asked.value if isinstance(asked.value, Mapping) else {}
    return told.get("deadline") or told.get("until") or ""


def thread(run: str) -> RunnableConfig:
    """The configuration under which langgraph keeps a run."""
    return {"configurable": {"thread_id": run}, "recursion_limit": STEPS}


async def load(store: Store, name: str) -> Saved:
    """Read a run back. Raises `Refused` if there is none of this name or it was saved by a newer Moot."""
    return await state_of(store, await store.runs.get(checked(name)))


async def state_of(store: Store, run: Run) -> Saved:
    """The state of a run whose row is known."""
    snapshot = await store.graph(protocol(run.protocol, run.package).name).aget_state(thread(run.run))
    rules = snapshot.values.get("rules")
    version = getattr(rules, "schema_version", VERSION)
    if version > VERSION:
        raise newer("run", run.run, version)
    if rules is not None and not isinstance(rules, Rules):
        raise Refused("run", run.run, "its state holds types that are not Moot's own; it was changed by somebody else")
    taken = any(task.result is not None for task in snapshot.tasks)
    names, at = [task.name for task in snapshot.tasks], snapshot.created_at or ""
    step = int((snapshot.metadata or {}).get("step", 0))
    whole, asked = not snapshot.next, snapshot.interrupts
    return Saved(run, snapshot.values, names, at, taken, whole=whole, step=step, interrupts=asked)


async def forget_unbegun(store: Store, name: str) -> None:
    """Drop a run that was refused before any call."""
    saved = await load(store, name)
    if not saved.begun or not saved.state["calls"]:
        await forget(store, name)


async def forget(store: Store, name: str) -> None:
    """Drop a run: its checkpoints first, so that what is left of a deletion cut short can be deleted again.

    One of an experiment counts as failed there from then on; what it has spent stays counted.
    """
    await store.experiments.lose(name, stamp())
    await store.saver.adelete_thread(name)
    await store.seats.drop(name)
    await store.runs.drop(name)


def gap(earlier: str, later: str) -> int:
    """Milliseconds between two times, ISO 8601."""
    return round((datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds() * 1000)


def ended_alone(saved: Saved) -> bool:
    """Whether a run is not finished, though it came to an end: those it needed could not be reached."""
    return saved.finished and saved.state["outcome"].reason == UNAVAILABLE


async def reopened(store: Store, saved: Saved) -> Saved:
    """The run as it stood before what is missing, so that going on tries it again; what failed calls cost is kept.

    That is before its closing text, if only that was lost; else before the last of the turns that were missed one
    after the other, or before the last ballot; and where no call was ever answered, before the first of them.
    """
    name, graph = saved.run.run, store.graph(saved.run.protocol)
    async for snapshot in graph.aget_state_history(thread(name)):
        if snapshot.next and "turn" in snapshot.values and _precedes(snapshot.values, saved.state):
            await _went_back(graph, snapshot, saved.state["calls"])
            break
    return await load(store, name)


def _precedes(earlier: Mapping[str, Any], state: Mapping[str, Any]) -> bool:
    """Whether what is missing in `state` was still to come."""
    if not any(call.outcome == "ok" for call in state["calls"]):
        return not earlier["calls"]
    if missed := state["outcome"].evidence.turns:
        return _is_before(_first_of_last(missed), earlier)
    return state["outcome"].strategy != OUTAGE or len(earlier["incidents"]) <= _before_last_ballot(state["incidents"])


def _is_before(turn: int, earlier: Mapping[str, Any]) -> bool:
    """Whether a turn was still to come; of turns held side by side, what was said stays, and the others go without."""
    gone = [one.round for one in passed_over(earlier["incidents"]) if one.turn >= turn]
    return earlier["turn"] < turn and (not gone or any(one.round == gone[0] for one in earlier["history"]))


def _before_last_ballot(incidents: Sequence[Incident]) -> int:
    """How many incidents there were before those of the last ballot."""
    last = [number for number, one in enumerate(incidents) if one.where == "ballot"]
    rounds = [incidents[number].round for number in last]
    return last[rounds.index(rounds[-1])] if last else len(incidents)


def _first_of_last(turns: Sequence[int]) -> int:
    """The first of the last turns that follow one another."""
    return max(turn for turn in turns if turn - 1 not in turns)


async def _went_back(graph: Any, snapshot: StateSnapshot, calls: Sequence[Call]) -> None:
    """Go on from `snapshot`, with all `calls` of the run on record."""
    since = calls[len(snapshot.values["calls"]) :]
    with suppress(InvalidUpdateError):  # it is not plain which step was the last one, among several side by side
        config = await graph.aupdate_state(snapshot.config, {"calls": since})
        if (await graph.aget_state(config)).next == snapshot.next:
            return
    await graph.aupdate_state(snapshot.config, None, as_node="__copy__")


def paused(saved: Saved) -> Run:
    """The row with the time added in which nobody ran it."""
    idle = max(0, gap(saved.at, stamp()))
    return saved.run.model_copy(update={"paused_ms": saved.run.paused_ms + idle})
