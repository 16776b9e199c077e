"""End a session: the outcome, with who ended it and why."""

from collections.abc import Callable

from ..state.deliberation import SessionStage, Update
from ..state.ending import Ending, Evidence
from ..state.ends import EndingRule
from ..state.session import Event
from ..state.statement import names
from .clock import stamp
from .synthesize import concluded


def by_status(state: SessionStage) -> Ending | None:
    """Somebody closed the session, a participant declined, or its time is over."""
    if state["status"] in ("inviting", "open"):
        return None
    last = next((one for one in reversed(state["events"]) if one.kind != "text"), Event(kind="session_closed"))
    reason = "expired" if state["status"] == "expired" else "closed"
    return Ending(reason=reason, strategy="session", evidence=Evidence(quote=last.who, note=last.text))


def adjourn(ending: EndingRule) -> Callable[[SessionStage], object]:
    """The last step of a session."""

    async def adjourn(state: SessionStage) -> Update:
        """Record the outcome; a cap closes the session in its own name.

        Reads the session's channels and record; writes outcome, status, events.
        """
        found = ending(state) or Ending(reason="closed", strategy="caller")
        outcome = concluded(state, found, state["calls"], state["incidents"], True)
        if state["status"] != "open":
            return Update(outcome=outcome)
        to = names(state["participants"])
        end = Event(kind="session_closed", text=found.reason, to=to, recorded_at=stamp())
        return Update(outcome=outcome, status="closed", events=[end])

    return adjourn
