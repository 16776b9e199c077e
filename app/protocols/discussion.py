"""Hooks of the discussion: speakers, guests, changes of the rotation, and the session's log."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from ...nodes.session.updates import get_session_state
from ...prompts import get_term, join_words, load_phrases
from ...state import list_names
from ...state.session.channels import SessionStageState
from ..report import MISSING, Block, Page, TableBlock, format_figure
from .hooks import TURN_SETTINGS, Hooks


def format_log_entry(entry: Mapping[str, Any], language: str) -> str:
    """Return a line about a log entry of a session; empty for statements and missed turns."""
    display_phrases, kind = load_phrases("display"), entry["event"]
    section = "session" if entry["turn"] or kind not in display_phrases.list_keys("inviting") else "inviting"
    if kind not in display_phrases.list_keys(section):
        return ""
    values = {"who": entry["who"], "turn": entry["turn"], "text": format_remark(entry, language)}
    return display_phrases.translate_phrase(language, f"{section}.{kind}", **values).strip()


def format_remark(entry: Mapping[str, Any], language: str) -> str:
    """Return the text that a log entry shows.

    For a missed deadline, return its length and its consequence in the run's language.
    """
    if entry["turn_within"] is None:
        return str(entry["text"])
    return load_phrases("display").translate_phrase(
        language, f"late.{entry['action']}", seconds=f"{entry['turn_within']:.15g}"
    )


def build_session_fields(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a document that only a session has."""
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
    """Return a line with the participants that an unfinished session waits for, as a list.

    The list is empty if the session waits for nobody.
    """
    names_text = join_words(document["language"], document["waitingFor"])
    return [get_term(document["language"], "headline", "waiting", who=names_text)] if names_text else []


def build_log_table(page: Page) -> Sequence[Block]:
    """Build the table with the log of a session; empty without entries."""
    rows = []
    for event in page.document.get("events") or []:
        remark = format_remark(event, page.language) if event["who"] else page.get_label("reasons", event["text"])
        if event["kind"] == "session_expired":
            remark = page.get_label("reasons", "expired")
        rows.append(
            [
                format_figure(event["seq"]),
                page.format_time(event["recorded_at"]),
                page.get_label("events", event["kind"]),
                event["who"] or MISSING,
                page.link_turn(event["turn"]) or MISSING,
                remark or MISSING,
                page.comma.join(event["to"]) or MISSING,
            ]
        )
    head = page.list_headings("log", "seq at kind who turn text to")
    return [TableBlock(page.say("log.all"), head, rows)] if rows else []


def map_rotation_changes(page: Page, round_by_turn: Mapping[int, int]) -> dict[int, list[str]]:
    """Return lines about the participants who left the rotation or returned to it, by round.

    `round_by_turn`: round of each turn.
    """
    changes: dict[int, list[str]] = {}
    last_round = max(round_by_turn.values(), default=1)
    for event in _list_events(page, "participant_hidden", "participant_restored"):
        changes.setdefault(round_by_turn.get(event["turn"], last_round), []).append(_describe_event(page, event))
    return changes


def _list_events(page: Page, *kinds: str) -> list[Mapping[str, Any]]:
    return [event for event in page.document.get("events") or [] if event["kind"] in kinds]


def _describe_event(page: Page, event: Mapping[str, Any]) -> str:
    description = page.say("opening.labelled", what=event["who"], figure=page.get_label("events", event["kind"]))
    return f"{description} · {event['text']}" if event["text"] else description


HOOKS = Hooks(
    keys=lambda saved_run, _: build_session_fields(saved_run.state),
    progress_lines=list_waiting_lines,
    log_line=lambda entry, language: format_log_entry(entry, language) if "seq" in entry else "",
    guests=lambda page: [_describe_event(page, event) for event in _list_events(page, "session_invite_reject")],
    round_marks=map_rotation_changes,
    record_sections={"log": [build_log_table]},
    is_bounded=lambda settings: bool(settings.max_turns or settings.max_rounds),
    tool_settings=(*TURN_SETTINGS, "max_rounds", "models_may_close", "person_deadline"),
    has_scripted_seats=True,
    swaps={
        "order": lambda request: replace(request, input=request.input | {"participants": request.participants[::-1]})
    },
)
