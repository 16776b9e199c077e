"""Display of a session's log, and the session's fields in the document of its run."""

from collections.abc import Mapping
from typing import Any, cast

from ...nodes.session.events import get_session_state
from ...prompts import get_term, join_words, load_phrases
from ...state import list_names
from ...state.session.channels import SessionStageState


def format_log_entry(entry: Mapping[str, Any], language: str) -> str:
    """Format a streamed log entry as a line; empty for statements and missed turns."""
    display_phrases, kind = load_phrases("display"), entry["event"]
    section = "session" if entry["turn"] or kind not in display_phrases.list_keys("inviting") else "inviting"
    if kind not in display_phrases.list_keys(section):
        return ""
    values = {"who": entry["who"], "turn": entry["turn"], "text": format_remark(entry, language)}
    return display_phrases.translate_phrase(language, f"{section}.{kind}", **values).strip()


def format_remark(entry: Mapping[str, Any], language: str) -> str:
    """Return the text of an entry.

    For a missed deadline, describe its length and its consequence in the run's language.
    """
    if entry["turn_within"] is None:
        return str(entry["text"])
    return load_phrases("display").translate_phrase(
        language, f"late.{entry['action']}", seconds=f"{entry['turn_within']:.15g}"
    )


def build_session_fields(state: Mapping[str, Any]) -> dict[str, Any]:
    """Build the fields of the document that only a session has."""
    session = get_session_state(cast(SessionStageState, state))
    # The expected speaker can continue an open session, else the hidden participants.
    expected_names = [session.expected] if session.expected else session.hidden
    if session.status != "open":
        expected_names = []
    return {
        "sessionStatus": session.status,
        "participantOrder": list_names(session.participants),
        "expectedNextSpeaker": session.expected if session.status == "open" else "",
        "waitingFor": session.awaited or expected_names,
        "turnCount": session.turn,
        "hidden": session.hidden,
        "events": state["events"],
        "summary": state["summary"],
        "positions": state["positions"],
        "runAnswer": state["answer"],
    }


def list_waiting_lines(document: Mapping[str, Any]) -> list[str]:
    """List a line with the participants that an unfinished session waits for; empty without any."""
    names_text = join_words(document["language"], document["waitingFor"])
    return [get_term(document["language"], "headline", "waiting", who=names_text)] if names_text else []
