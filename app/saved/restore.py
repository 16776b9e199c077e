"""Restore of a run that an outage ended: it continues from the last state before the failure."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from langgraph.errors import InvalidUpdateError
from langgraph.types import StateSnapshot

from ...state.availability import OUTAGE, list_missed_turns
from ...state.call_record import Call
from ...state.incident import Incident
from .load import SavedRun, load_saved_run, make_thread_config
from .store import Store


async def restore_before_failure(store: Store, saved_run: SavedRun) -> SavedRun:
    """Restore the run to its last state before the failure, so that a resume repeats the failed work.

    The failed calls stay on record. If only the synthesis failed, the run continues before the synthesis. Otherwise it
    continues before the last series of missed turns, or before the last ballot. If no call was ever answered, it
    continues
    before the first call.
    """
    name, graph = saved_run.run.run, store.get_graph(saved_run.run.protocol)
    async for snapshot in graph.aget_state_history(make_thread_config(name)):
        if snapshot.next and "turn" in snapshot.values and _is_before_failure(snapshot.values, saved_run.state):
            await _restore_snapshot(graph, snapshot, saved_run.state["calls"])
            break
    return await load_saved_run(store, name)


def _is_before_failure(earlier_state: Mapping[str, Any], state: Mapping[str, Any]) -> bool:
    """Return whether `earlier_state` precedes the work that failed in `state`."""
    if not any(call.outcome == "ok" for call in state["calls"]):
        return not earlier_state["calls"]
    if missed_turns := state["outcome"].evidence.turns:
        return _is_before_turn(_get_series_start(missed_turns), earlier_state)
    return state["outcome"].strategy != OUTAGE or len(earlier_state["incidents"]) <= _count_incidents_before_ballot(
        state["incidents"]
    )


def _is_before_turn(turn: int, earlier_state: Mapping[str, Any]) -> bool:
    """Return whether a state precedes a turn.

    In a parallel round with missed turns, the state counts only if another seat has spoken in that round.
    """
    missed_rounds = [
        incident.round for incident in list_missed_turns(earlier_state["incidents"]) if incident.turn >= turn
    ]
    return earlier_state["turn"] < turn and (
        not missed_rounds or any(statement.round == missed_rounds[0] for statement in earlier_state["history"])
    )


def _count_incidents_before_ballot(incidents: Sequence[Incident]) -> int:
    """Count the incidents before the first incident of the last ballot."""
    indexes = [index for index, incident in enumerate(incidents) if incident.where == "ballot"]
    incident_rounds = [incidents[index].round for index in indexes]
    return indexes[incident_rounds.index(incident_rounds[-1])] if indexes else len(incidents)


def _get_series_start(turns: Sequence[int]) -> int:
    """Return the first turn of the last series of consecutive turns."""
    return max(turn for turn in turns if turn - 1 not in turns)


async def _restore_snapshot(graph: Any, snapshot: StateSnapshot, calls: Sequence[Call]) -> None:
    """Make `snapshot` the current state, with all `calls` of the run on record."""
    later_calls = calls[len(snapshot.values["calls"]) :]
    with suppress(InvalidUpdateError):  # langgraph cannot tell which of several parallel nodes was the last one
        config = await graph.aupdate_state(snapshot.config, {"calls": later_calls})
        if (await graph.aget_state(config)).next == snapshot.next:
            return
    await graph.aupdate_state(snapshot.config, None, as_node="__copy__")
