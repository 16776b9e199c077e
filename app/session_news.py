"""What a display says of a session's log, and what its document holds."""

from collections.abc import Mapping
from typing import Any, cast

from ..nodes.sitting import session_of
from ..prompts import listed, term
from ..state.session import Session
from ..state.session_state import SessionStage
from ..state.statement import names

LINES = {
    "session_invite_reject": "{who} declined the invitation. {text}",
    "expectation_violated": "{who} has kept the others waiting for turn {turn} ({text}).",
    "participant_hidden": "{who} is out of the rotation until they come back.",
    "participant_restored": "{who} is back.",
    "session_expired": "The session's time is over.",
}
"""Entries of the log that are worth a line; statements and missed turns are shown as such."""

WHILE_INVITING = {
    "expectation_violated": "{who} has not answered the invitation ({text}).",
    "participant_hidden": "The session opens without {who}, who may come later.",
}
"""What the same entries say before the first turn."""


def session_line(told: Mapping[str, Any]) -> str:
    """The line for an entry of the log, as the stream tells it; empty: none."""
    lines = LINES if told["turn"] else LINES | WHILE_INVITING
    return lines.get(told["event"], "").format(**told).strip()


def session_keys(state: Mapping[str, Any]) -> dict[str, Any]:
    """A session's own keys in the document of its run."""
    session = session_of(cast(SessionStage, state))
    return {
        "sessionStatus": session.status,
        "participantOrder": names(session.participants),
        "expectedNextSpeaker": session.expected if session.status == "open" else "",
        "waitingFor": session.awaited or _expected(session),
        "turnCount": session.turn,
        "hidden": session.hidden,
        "events": state["events"],
        "summary": state["summary"],
    }


def _expected(session: Session) -> list[str]:
    """Who could go on with an open session: whoever has the floor, else those who would have to come back."""
    if session.status != "open":
        return []
    return [session.expected] if session.expected else session.hidden


def standing(document: Mapping[str, Any]) -> list[str]:
    """Whom an unfinished session waits for."""
    waited_for = listed(document["language"], document["waitingFor"])
    return [term(document["language"], "headline", "waiting", who=waited_for)] if waited_for else []
