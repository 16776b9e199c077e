"""Session guests and the rotation: declined invitations, departures and returns."""

from collections.abc import Mapping
from typing import Any

from .page import Page

ROTATION_EVENTS = ("participant_hidden", "participant_restored")
"""Session events that change the rotation."""


def list_declined_guests(page: Page) -> list[str]:
    """List the guests who declined, with their reasons."""
    return [
        _describe_event(page, event)
        for event in page.document.get("events") or []
        if event["kind"] == "session_invite_reject"
    ]


def list_rotation_changes(page: Page, round_by_turn: Mapping[int, int]) -> dict[int, list[str]]:
    """List the departures from the rotation and the returns, by round."""
    changes_by_round: dict[int, list[str]] = {}
    for event in page.document.get("events") or []:
        if event["kind"] in ROTATION_EVENTS:
            changes_by_round.setdefault(
                round_by_turn.get(event["turn"], max(round_by_turn.values(), default=1)), []
            ).append(_describe_event(page, event))
    return changes_by_round


def _describe_event(page: Page, event: Mapping[str, Any]) -> str:
    description = page.say("opening.measure", what=event["who"], figure=page.get_label("events", event["kind"]))
    return f"{description} · {event['text']}" if event["text"] else description
