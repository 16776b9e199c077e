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


def list_rotation_changes(page: Page, rounds: Mapping[int, int]) -> dict[int, list[str]]:
    """List departures from the rotation and returns to it, by round. `rounds`: the round of each turn."""
    changes: dict[int, list[str]] = {}
    for event in page.document.get("events") or []:
        if event["kind"] in ROTATION_EVENTS:
            changes.setdefault(rounds.get(event["turn"], max(rounds.values(), default=1)), []).append(
                _describe_event(page, event)
            )
    return changes


def _describe_event(page: Page, event: Mapping[str, Any]) -> str:
    description = page.say("opening.measure", what=event["who"], figure=page.get_label("events", event["kind"]))
    return f"{description} · {event['text']}" if event["text"] else description
