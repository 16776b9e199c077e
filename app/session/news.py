"""A session's log as a display shows it, and the session's keys in the document of its run."""

from collections.abc import Mapping
from typing import Any, cast

from ...nodes.session.events import session_of
from ...prompts import listed, phrases, term
from ...state.session import SessionState
from ...state.session.channels import SessionStage
from ...state.statement import names


def session_line(told: Mapping[str, Any], language: str) -> str:
    """The line for an entry of the log, as the stream tells it; empty: none, as for statements and missed turns."""
    known, kind = phrases("display"), told["event"]
    section = "session" if told["turn"] or kind not in known.keys("inviting") else "inviting"
    if kind not in known.keys(section):
        return ""
    shown = {"who": told["who"], "turn": told["turn"], "text": remark(told, language)}
    return known.say(language, f"{section}.{kind}", **shown).strip()


def remark(entry: Mapping[str, Any], language: str) -> str:
    """The text of an entry; of time that ran out, how much there was and what followed, in the run's language."""
    if entry["turn_within"] is None:
        return str(entry["text"])
    return phrases("display").say(language, f"late.{entry['action']}", seconds=f"{entry['turn_within']:.15g}")


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
        "positions": state["positions"],
        "runAnswer": state["answer"],
    }


def _expected(session: SessionState) -> list[str]:
    """Who could go on with an open session: whoever has the floor, else those who would have to come back."""
    if session.status != "open":
        return []
    return [session.expected] if session.expected else session.hidden


def standing(document: Mapping[str, Any]) -> list[str]:
    """Whom an unfinished session waits for."""
    waited_for = listed(document["language"], document["waitingFor"])
    return [term(document["language"], "headline", "waiting", who=waited_for)] if waited_for else []
