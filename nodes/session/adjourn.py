"""End a session: the outcome, with who ended it and why."""

from collections.abc import Callable

from ...state.ending import Ending, Evidence
from ...state.ends import EndingRule
from ...state.requirements import reading
from ...state.rules import TalkRules
from ...state.session import Event
from ...state.session.channels import SessionStage, SessionUpdate
from ...state.statement import names
from ..clock import stamp
from ..closing import concluded
from .deliver import announced

LAST_WORDS = ("session_closed", "session_expired", "session_invite_reject")
"""Events that may end a session."""


def by_status(state: SessionStage) -> Ending | None:
    """Somebody closed the session, one it cannot do without declined the invitation, or its time is over."""
    if state["status"] in ("inviting", "open"):
        return None
    last = next((one for one in reversed(state["events"]) if one.kind in LAST_WORDS), Event(kind="session_closed"))
    reason = {"expired": "expired", "refused": "declined"}.get(state["status"], "closed")
    strategy = "invitation" if reason == "declined" else "session"
    return Ending(reason=reason, strategy=strategy, evidence=Evidence(quote=last.who, note=last.text))


@reading
def laps_capped(state: SessionStage, rules: TalkRules) -> Ending | None:
    """The cap on rounds is reached: the floor has come round to whoever would begin the next one."""
    cap = rules.max_rounds
    if cap is None or state["round"] <= cap:
        return None
    return Ending(reason="max_rounds_reached", strategy="cap", evidence=Evidence(figure=cap, threshold=cap))


def adjourn(ending: EndingRule) -> Callable[[SessionStage], object]:
    """The last step of a session."""

    async def adjourn(state: SessionStage) -> SessionUpdate:
        """Record the outcome; a cap closes the session in its own name.

        Reads participants, rules, round, turn, record and the session's channels; writes outcome, status, events.
        """
        found = ending(state) or Ending(reason="closed", strategy="caller")
        outcome = concluded(state, found, state["calls"], state["incidents"], True)
        if state["status"] != "open":
            return SessionUpdate(outcome=outcome)
        to = names(state["participants"])
        end = Event(kind="session_closed", text=found.reason, to=to, recorded_at=stamp())
        news = SessionUpdate(outcome=outcome, status="closed", events=[end])
        return announced(len(state["events"]), news)

    return reading(adjourn, ending)
