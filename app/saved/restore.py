"""Restore of a run that an outage ended: it continues from the last state before the failure."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from langgraph.errors import InvalidUpdateError

from ...state.availability import OUTAGE, list_missed_turns
from .load import SavedRun, load_saved_run, make_thread_config
from .store import Store


async def restore_before_failure(store: Store, saved_run: SavedRun) -> SavedRun:
    """Restore the run to its last state before the failure, so that a resume repeats the failed work.

    The failed calls stay on record. If only the synthesis failed, the run continues before the synthesis. Otherwise it
    continues before the last series of missed turns, or before the last ballot. If no call was ever answered, it
    continues before the first call.
    """
    name, graph = saved_run.run.run, store.get_graph(saved_run.run.protocol)
    calls = saved_run.state["calls"]
    async for snapshot in graph.aget_state_history(make_thread_config(name)):
        if not (snapshot.next and "turn" in snapshot.values and _is_before_failure(snapshot.values, saved_run.state)):
            continue
        with suppress(InvalidUpdateError):  # langgraph cannot tell which of several parallel nodes was the last one
            later_calls = calls[len(snapshot.values["calls"]) :]
            config = await graph.aupdate_state(snapshot.config, {"calls": later_calls})
            if (await graph.aget_state(config)).next == snapshot.next:
                break
        await graph.aupdate_state(snapshot.config, None, as_node="__copy__")
        break
    return await load_saved_run(store, name)


def _is_before_failure(earlier_state: Mapping[str, Any], state: Mapping[str, Any]) -> bool:
    """Return whether `earlier_state` precedes the work that failed in `state`."""
    if not any(call.outcome == "ok" for call in state["calls"]):
        return not earlier_state["calls"]
    if missed_turns := state["outcome"].evidence.turns:
        # The first turn of the last series. In a parallel round, another seat must have spoken before it.
        turn = max(turn for turn in missed_turns if turn - 1 not in missed_turns)
        later_misses = [miss for miss in list_missed_turns(earlier_state["incidents"]) if miss.turn >= turn]
        return earlier_state["turn"] < turn and (
            not later_misses or any(statement.round == later_misses[0].round for statement in earlier_state["history"])
        )
    if state["outcome"].strategy != OUTAGE:
        return True
    # The incidents before the first incident of the last ballot.
    incidents, incident_count = state["incidents"], len(state["incidents"])
    ballot_rounds = [incident.round for incident in incidents if incident.where == "ballot"]
    if ballot_rounds:
        incident_count = next(
            index
            for index, incident in enumerate(incidents)
            if incident.where == "ballot" and incident.round == ballot_rounds[-1]
        )
    return len(earlier_state["incidents"]) <= incident_count
