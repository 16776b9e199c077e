"""Hooks of the discussion: speakers, guests, changes of the rotation, and the session's log."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..report import MISSING, Block, Page, TableBlock, format_figure
from ..session.log_display import build_session_fields, format_log_entry, format_remark, list_waiting_lines
from .hooks import TURN_SETTINGS, Hooks


def build_log_table(page: Page) -> Sequence[Block]:
    """Build the log of a session."""
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
    """List by round the participants who left the rotation or returned to it."""
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
