"""Loading of a saved run: its row and its state."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.types import Interrupt

from ...state.availability import PARTICIPANTS_UNAVAILABLE
from ...state.call_record import sum_tokens
from ...state.errors import InputError
from ...state.settings import Settings
from ...storage.clock import get_timestamp
from ..protocols.protocol import get_protocol
from .names import check_run_name
from .runs import Run
from .schema_version import RUN_VERSION, make_version_error
from .store import Store

RECURSION_LIMIT = 1_000_000
"""Most supersteps of one session, far beyond any deliberation."""


@dataclass(frozen=True)
class SavedRun:
    """Saved data of a run. `at`: time, ISO 8601; `next`: the next nodes, empty at the end.

    A node that ran, but whose result was not entered when the process died, still counts as next. `has_pending_node`:
    there is such a node; `is_node_done`: its work is complete. `step`: number of the last node that was entered.
    `interrupts`: open questions to people and programs.
    """

    run: Run
    state: dict[str, Any]
    next: list[str]
    at: str = ""
    has_pending_node: bool = False
    is_node_done: bool = False
    step: int = 0
    interrupts: tuple[Interrupt, ...] = ()

    @property
    def values(self) -> dict[str, Any]:
        """State, under the name in langgraph's snapshots."""
        return self.state

    @property
    def begun(self) -> bool:
        """Return whether its first node has run. Only that node sets the turn; the input may set the rest."""
        return "turn" in self.state

    @property
    def finished(self) -> bool:
        """Return whether the run has ended."""
        return self.begun and not self.next

    @property
    def milliseconds(self) -> int:
        """Wall time between its start and its last node, without pauses."""
        return max(0, count_milliseconds(self.run.started, self.at) - self.run.paused_ms) if self.at else 0

    def build_row(self) -> Run:
        """Build the row that matches the state."""
        if not self.begun:
            return self.run
        outcome = self.state.get("outcome")
        changes = {"finished": self.finished, "ending": outcome.reason if outcome else ""}
        changes["topic"] = self.run.topic or self.state.get("topic", "")
        changes["due"] = min(filter(None, map(_get_deadline, self.interrupts)), default="")
        counts = {"turns": len(self.state["history"]), "tokens": sum_tokens(self.state["calls"])}
        return self.run.model_copy(update=changes | counts)


def _get_deadline(question: Interrupt) -> str:
    """Return the deadline of an open question, or an empty text if it has no deadline."""
    value = question.value if isinstance(question.value, Mapping) else {}
    return value.get("deadline") or value.get("until") or ""


def make_thread_config(run: str) -> RunnableConfig:
    """Make the configuration under which langgraph keeps a run."""
    return {"configurable": {"thread_id": run}, "recursion_limit": RECURSION_LIMIT}


async def load_saved_run(store: Store, name: str) -> SavedRun:
    """Load a run. Raises `InputError` if it does not exist or was saved by a newer Moot."""
    return await load_state(store, await store.runs.get_run(check_run_name(name)))


async def load_state(store: Store, run: Run) -> SavedRun:
    """Load the state of a run whose row is known."""
    snapshot = await store.get_graph(get_protocol(run.protocol, run.package).name).aget_state(
        make_thread_config(run.run)
    )
    settings = snapshot.values.get("settings")
    version = getattr(settings, "schema_version", RUN_VERSION)
    if version != RUN_VERSION:
        raise make_version_error("run", run.run, version)
    if settings is not None and not isinstance(settings, Settings):
        raise InputError(
            "run", run.run, "its state holds types that are not Moot's own; it was changed by somebody else"
        )
    has_pending_node = any(task.result is not None for task in snapshot.tasks)
    names, time = [task.name for task in snapshot.tasks], snapshot.created_at or ""
    step = int((snapshot.metadata or {}).get("step", 0))
    is_node_done, interrupts = not snapshot.next, snapshot.interrupts
    return SavedRun(
        run, snapshot.values, names, time, has_pending_node, is_node_done=is_node_done, step=step, interrupts=interrupts
    )


async def delete_uncalled_run(store: Store, name: str) -> None:
    """Delete a run that was refused before any call."""
    saved_run = await load_saved_run(store, name)
    if not saved_run.begun or not saved_run.state["calls"]:
        await delete_run(store, name)


async def delete_run(store: Store, name: str) -> None:
    """Delete a run: its checkpoints first, so that an interrupted deletion can be repeated.

    A run of an experiment counts as failed there afterwards; its spending stays counted.
    """
    await store.experiments.record_deletion(name, get_timestamp())
    await store.saver.adelete_thread(name)
    await store.seats.delete_seats(name)
    await store.runs.delete_row(name)


def count_milliseconds(earlier: str, later: str) -> int:
    """Count the milliseconds between two times, ISO 8601."""
    return round((datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds() * 1000)


def is_incomplete(saved_run: SavedRun) -> bool:
    """Return whether a run ended by an outage, so that its deliberation is not finished."""
    return saved_run.finished and saved_run.state["outcome"].reason == PARTICIPANTS_UNAVAILABLE


def with_pause(saved_run: SavedRun) -> Run:
    """Return the row with the time since the last save added to its pauses."""
    pause = max(0, count_milliseconds(saved_run.at, get_timestamp()))
    return saved_run.run.model_copy(update={"paused_ms": saved_run.run.paused_ms + pause})
