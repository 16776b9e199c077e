"""End of a session: the outcome, and what ended the session."""

from ...state import (
    CLOSED_BY_CALLER,
    Ending,
    Evidence,
    SessionClosingState,
    SessionEvent,
    SessionStageState,
    SessionUpdate,
    StoppingSettings,
    list_names,
    mark_reads,
)
from ...storage import get_timestamp
from ..outcome import build_outcome
from .delivery import announce_events


def stop_by_status(state: SessionStageState) -> Ending | None:
    """Stop if the session was closed, has expired or did not open.

    It does not open if a required participant declined, or if nothing could end it.
    """
    if state["status"] in ("inviting", "open"):
        return None
    last_event = next(
        (
            event
            for event in reversed(state["events"])
            if event.kind in ("session_closed", "session_expired", "session_invite_reject")
        ),
        SessionEvent(kind="session_closed"),
    )
    reason = {"expired": "expired", "refused": "declined"}.get(state["status"], "closed")
    strategy = "invitation" if reason == "declined" else "session"
    return Ending(reason=reason, strategy=strategy, evidence=Evidence(quote=last_event.who, note=last_event.text))


@mark_reads
def stop_at_session_round_cap(state: SessionStageState, settings: StoppingSettings) -> Ending | None:
    """Stop if the cap on rounds is reached and the first speaker would open another round."""
    cap = settings.max_rounds
    if cap is None or state["round"] <= cap:
        return None
    return Ending(reason="max_rounds_reached", strategy="cap", evidence=Evidence(figure=cap, threshold=cap))


async def close_session(state: SessionClosingState) -> SessionUpdate:
    """Record the outcome. An ending by a cap or another rule also closes the session.

    Reads participants, settings, round, turn, record, ending and the session's channels; writes outcome, status,
    events.
    """
    ending = state["ending"] or CLOSED_BY_CALLER
    outcome = build_outcome(state, ending, state["calls"], state["incidents"], True)
    if state["status"] != "open":
        return SessionUpdate(outcome=outcome)
    recipients = list_names(state["participants"])
    event = SessionEvent(kind="session_closed", text=ending.reason, to=recipients, recorded_at=get_timestamp())
    update = SessionUpdate(outcome=outcome, status="closed", events=[event])
    return announce_events(len(state["events"]), update)
