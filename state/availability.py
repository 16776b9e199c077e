"""Availability of participants: missed turns, and stopping rules for participants that do not answer."""

from collections.abc import Sequence

from .deliberation import ProgressState, RecordState
from .ending import PARTICIPANTS_UNAVAILABLE, Ending, Evidence
from .records import Incident
from .statement import MODERATOR, list_names

OUTAGE = "outage"
"""Strategy name of an ending after an outage that left fewer than half of the planned turns spoken."""


MAX_MISSED_TURNS = 3
"""Number of turns missed in a row that makes a participant unavailable."""


def stop_if_side_absent(state: ProgressState) -> Ending | None:
    """Stop if any participant missed its last three turns, because a debate needs every side."""
    absent_names = [name for name in list_names(state["participants"]) if is_unavailable(state, name)]
    return _stop_if_unavailable(state, absent_names[:1])


def stop_if_all_absent(state: ProgressState) -> Ending | None:
    """Stop if every participant missed its latest turn, and at least one missed its last three."""
    names = list_names(state["participants"])
    missed_counts = [_count_missed_turns(state, name) for name in names] if state["incidents"] else []
    return _stop_if_unavailable(
        state, names if missed_counts and min(missed_counts) >= 1 and max(missed_counts) >= MAX_MISSED_TURNS else []
    )


def is_unavailable(state: RecordState, name: str) -> bool:
    """Return whether a participant missed at least its last `MAX_MISSED_TURNS` turns."""
    return _count_missed_turns(state, name) >= MAX_MISSED_TURNS


def _count_missed_turns(state: RecordState, name: str) -> int:
    spoken_turns = (statement.turn for statement in state["history"] if statement.speaker == name)
    missed_turns = [incident.turn for incident in list_missed_turns(state["incidents"]) if incident.who == name]
    last_turn = max(spoken_turns, default=0) if missed_turns else 0
    return sum(turn > last_turn for turn in missed_turns)


def _stop_if_unavailable(state: ProgressState, absent_names: Sequence[str]) -> Ending | None:
    if not absent_names:
        return None
    missed_turns = sorted(
        {incident.turn for incident in list_missed_turns(state["incidents"]) if incident.who in absent_names}
    )
    evidence = Evidence(
        turns=missed_turns, quote=", ".join(absent_names), figure=len(missed_turns), threshold=MAX_MISSED_TURNS
    )
    return Ending(reason=PARTICIPANTS_UNAVAILABLE, strategy="availability", evidence=evidence)


def stop_on_outage(state: RecordState, planned_turns: int) -> Ending | None:
    """Stop if all calls failed, or if fewer than half of the planned turns led to a statement.

    `planned_turns`: number of turns that should have taken place. Turns that the budget denied do not count. The ending
    overrides every other and marks the run as unfinished.
    """
    missed_turns = [incident for incident in list_missed_turns(state["incidents"]) if incident.turn]
    due_count = planned_turns - sum(incident.kind == "budget_spent" for incident in missed_turns)
    spoken_count = len({statement.turn for statement in state["history"] if statement.speaker != MODERATOR})
    has_answer = not state["calls"] or any(call.outcome == "ok" for call in state["calls"])
    if has_answer and 2 * spoken_count >= due_count:
        return None
    absent_names = [incident.who for incident in missed_turns] or [call.who for call in state["calls"]]
    evidence = Evidence(
        turns=sorted({incident.turn for incident in missed_turns}),
        quote=", ".join(dict.fromkeys(absent_names)),
        figure=spoken_count,
        threshold=due_count / 2,
    )
    return Ending(reason=PARTICIPANTS_UNAVAILABLE, strategy=OUTAGE, evidence=evidence)


MISSED_TURN = "missed"
"""Consequence of an incident that cost a participant its turn."""


def list_missed_turns(incidents: Sequence[Incident]) -> list[Incident]:
    """Return the incidents in which a participant missed its turn, in order."""
    return [incident for incident in incidents if incident.consequence == MISSED_TURN]
