"""What a display says of a session's log, and what its document holds."""

from collections.abc import Mapping
from typing import Any, cast

from ..nodes.sitting import session_of
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
        "turnCount": session.turn,
        "hidden": session.hidden,
        "events": state["events"],
        "summary": state["summary"],
    }
