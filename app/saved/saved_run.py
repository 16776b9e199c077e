"""Loading of a saved run: its row, its state and its result."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, get_type_hints

from langchain_core.runnables import RunnableConfig
from langgraph.errors import InvalidUpdateError
from langgraph.types import Interrupt

from ...models import ServerOutageError
from ...nodes.node_runnables import run_blocking
from ...state import OUTAGE, PARTICIPANTS_UNAVAILABLE, InputError, Settings, list_missed_turns, sum_tokens
from ...storage import get_timestamp
from ..protocols.registry import get_protocol
from .database import open_database
from .runs import RUN_VERSION, Run, check_run_name, make_version_error
from .store import Store


@dataclass(frozen=True)
class SavedRun:
    """Saved run: its row, its last state, and what it waits for.

    `next`: the next nodes; empty at the end. A pending node has run, but its result is not in the state yet, so the
    node still counts as next. `checkpoint`: id of the run's last checkpoint, or empty. `at`: time of the state, ISO
    8601. `has_pending_node`: whether the run has such a node. `is_node_done`: whether all pending nodes have finished.
    `step`: number of the last superstep. `interrupts`: open questions to people and programs. `requests`: number of
    paid requests that are `recorded`, `lost` or `open`.
    """

    run: Run
    state: dict[str, Any]
    next: list[str]
    checkpoint: str = ""
    at: str = ""
    has_pending_node: bool = False
    is_node_done: bool = False
    step: int = 0
    interrupts: tuple[Interrupt, ...] = ()
    requests: Mapping[str, int] = field(default_factory=dict)

    @property
    def values(self) -> dict[str, Any]:
        """Return the state, by the name that LangGraph's snapshots use."""
        return self.state

    @property
    def has_begun(self) -> bool:
        """Return whether the first node has run, which sets the channel `turn`."""
        return "turn" in self.state

    @property
    def has_ended(self) -> bool:
        """Return whether the run has ended."""
        return self.has_begun and not self.next

    @property
    def milliseconds(self) -> int:
        """Return the milliseconds between the start of the run and its last node, without pauses."""
        return max(0, count_milliseconds(self.run.started, self.at) - self.run.paused_ms) if self.at else 0

    def build_row(self) -> Run:
        """Return the row of the run with the figures of its last state."""
        if not self.has_begun:
            return self.run
        outcome, settings, calls = self.state.get("outcome"), self.state["settings"], self.state["calls"]
        questions = [question.value for question in self.interrupts if isinstance(question.value, Mapping)]
        deadlines = [question.get("deadline") or "" for question in questions]
        return self.run.model_copy(
            update={
                "is_finished": self.has_ended,
                "ending": outcome.reason if outcome else "",
                "checkpoint": self.checkpoint,
                "topic": self.run.topic or self.state.get("topic", ""),
                "has_questions": bool(questions),
                "due_at": min(filter(None, deadlines), default=""),
                "models": list(dict.fromkeys(call.model for call in calls)) or [settings.model],
                "cost": settings.prices.compute_cost(calls) if settings.prices else None,
                "turns": len(self.state["history"]),
                "tokens": sum_tokens(calls),
            }
        )


def make_thread_config(run: str) -> RunnableConfig:
    """Return the LangGraph config that selects the thread of a run."""
    return {"configurable": {"thread_id": run}, "recursion_limit": 1_000_000}  # more than any run has


async def load_saved_run(store: Store, name: str) -> SavedRun:
    """Load the saved run with this name.

    Raises `InputError` if it does not exist, or if another version of Moot saved it.
    """
    return await load_state(store, await store.runs.get_run(check_run_name(name)))


async def load_row(store: Store, run: Run) -> Run:
    """Load the last state of a run, and return a row with its figures.

    If the state is damaged, return the old row with a description of the damage as its fault.
    """
    try:
        return (await load_state(store, run)).build_row()
    except InputError as error:
        return run.model_copy(update={"fault": str(error)})


async def load_state(store: Store, run: Run) -> SavedRun:
    """Load the last state of the run that a row names.

    Raises `InputError` if another version of Moot saved the state, or if another program changed it.
    """
    graph = store.get_graph(get_protocol(run.protocol, run.package).name)
    snapshot = await graph.aget_state(make_thread_config(run.run))
    settings = snapshot.values.get("settings")
    if (version := getattr(settings, "schema_version", RUN_VERSION)) != RUN_VERSION:
        raise make_version_error("run", run.run, version)
    if settings is not None and not isinstance(settings, Settings):
        raise InputError("run", run.run, "another program changed the state of this run; restore a copy")
    requests = await store.journal.count_requests(run.run)
    if sent_count := requests.pop("sent", 0):  # a request without a record is open while a process executes the run
        outcome = "open" if snapshot.tasks and await store.is_held(run.run) else "lost"
        requests[outcome] = requests.get(outcome, 0) + sent_count
    return SavedRun(
        run,
        snapshot.values,
        next=[task.name for task in snapshot.tasks],
        checkpoint=snapshot.config["configurable"].get("checkpoint_id", ""),
        at=snapshot.created_at or "",
        has_pending_node=any(task.result is not None for task in snapshot.tasks),
        is_node_done=not snapshot.next,
        step=int((snapshot.metadata or {}).get("step", 0)),
        interrupts=snapshot.interrupts,
        requests=requests,
    )


async def save_fault(store: Store, name: str, fault: str, error: Exception | None = None) -> Run:
    """Save the reason why a run stopped, and return the run's row.

    `fault`: the reason; an empty text clears the last one. `error`: a `ServerOutageError` parks the run.
    """
    run = await store.runs.get_run(name)
    spec, retry_at = (error.spec, error.retry_at) if isinstance(error, ServerOutageError) else ("", "")
    if (run.fault, run.waiting_for, run.retry_at) != (fault, spec, retry_at):
        run = run.model_copy(update={"fault": fault, "waiting_for": spec, "retry_at": retry_at})
        await store.runs.save_run(run)
    return run


async def delete_uncalled_run(store: Store, name: str) -> None:
    """Delete a run unless it has sent a request or contains a statement."""
    saved_run = await load_saved_run(store, name)
    if not (any(saved_run.requests.values()) or saved_run.state.get("calls") or saved_run.state.get("history")):
        await delete_run(store, name)


async def delete_run(store: Store, name: str) -> None:
    """Delete a run. Its row comes last, so that an interrupted deletion can be repeated.

    In its experiment, the run then counts as failed, and its spending still counts.
    """
    await store.experiments.record_deletion(name, get_timestamp())
    await store.saver.adelete_thread(name)
    await store.seats.delete_seats(name)
    await store.journal.delete_run(name)
    await store.runs.delete_row(name)


def count_milliseconds(earlier: str, later: str) -> int:
    """Return the milliseconds between two times in ISO 8601."""
    return round((datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds() * 1000)


def is_incomplete(saved_run: SavedRun) -> bool:
    """Return whether an outage ended the run before its deliberation was finished."""
    return saved_run.has_ended and saved_run.state["outcome"].reason == PARTICIPANTS_UNAVAILABLE


def with_pause(saved_run: SavedRun) -> Run:
    """Return the row of a run, with the time since its last save counted as a pause."""
    pause = max(0, count_milliseconds(saved_run.at, get_timestamp()))
    return saved_run.run.model_copy(update={"paused_ms": saved_run.run.paused_ms + pause})


async def restore_before_failure(store: Store, saved_run: SavedRun) -> SavedRun:
    """Save and return the run in its last state before the failure, so that a resume repeats that work.

    The failed calls stay recorded. If only the synthesis failed, the run continues before the synthesis. After an
    outage, it continues before the last series of missed turns, or before the last ballot. If no call was ever
    answered, it continues before the first call.
    """
    name, graph = saved_run.run.run, store.get_graph(saved_run.run.protocol)
    calls = saved_run.state["calls"]
    async for snapshot in graph.aget_state_history(make_thread_config(name)):
        if not (snapshot.next and "turn" in snapshot.values and _is_before_failure(snapshot.values, saved_run.state)):
            continue
        with suppress(InvalidUpdateError):  # langgraph cannot tell which of several parallel nodes was the last one
            config = await graph.aupdate_state(snapshot.config, {"calls": calls[len(snapshot.values["calls"]) :]})
            if (await graph.aget_state(config)).next == snapshot.next:
                break
        await graph.aupdate_state(snapshot.config, None, as_node="__copy__")
        break
    return await load_saved_run(store, name)


def _is_before_failure(earlier_state: Mapping[str, Any], state: Mapping[str, Any]) -> bool:
    if not any(call.outcome == "ok" for call in state["calls"]):
        return not earlier_state["calls"]
    if missed_turns := state["outcome"].evidence.turns:
        # The first turn of the last series. In a parallel round, another seat must have spoken before it.
        turn = max(turn for turn in missed_turns if turn - 1 not in missed_turns)
        later_incidents = [miss for miss in list_missed_turns(earlier_state["incidents"]) if miss.turn >= turn]
        return earlier_state["turn"] < turn and (
            not later_incidents
            or any(statement.round == later_incidents[0].round for statement in earlier_state["history"])
        )
    if state["outcome"].strategy != OUTAGE:
        return True
    # No incident of the last ballot yet.
    ballot_rounds = [incident.round for incident in state["incidents"] if incident.where == "ballot"]
    return not any(
        incident.where == "ballot" and incident.round == ballot_rounds[-1] for incident in earlier_state["incidents"]
    )


def load_run(run: str, db: str | Path | None = None) -> dict[str, Any]:
    """Return the result that `graph.invoke` gives for a saved run: `history`, `outcome` and more.

    `outcome` is `None` while the run is unfinished. `db`: path or address of the database; `None`: the default
    database. Raises `InputError` if the run does not exist.
    """
    return run_blocking(_load_result(run, db or ""))


async def _load_result(name: str, db: str | Path) -> dict[str, Any]:
    async with open_database(db, read_only=True) as store:
        saved_run = await load_saved_run(store, name)
    if not saved_run.has_begun:
        raise InputError("run", name, "the run has no saved step")
    return {
        key: saved_run.state.get(key)
        for key in get_type_hints(get_protocol(saved_run.run.protocol).graph.output_schema)
    }
