"""Who came to a session and who did not, who left its rotation and who came back."""

from collections.abc import Mapping
from typing import Any

from .page import Page

MOVES = ("participant_hidden", "participant_restored")
"""Events of a session that say who is in the rotation."""


def guests(page: Page) -> list[str]:
    """Who was invited and declined, and why."""
    return [_told(page, one) for one in page.document.get("events") or [] if one["kind"] == "session_invite_reject"]


def moves(page: Page, rounds: Mapping[int, int]) -> dict[int, list[str]]:
    """By round, who left the rotation in it and who came back; `rounds`: that of each turn."""
    found: dict[int, list[str]] = {}
    for one in page.document.get("events") or []:
        if one["kind"] in MOVES:
            found.setdefault(rounds.get(one["turn"], max(rounds.values(), default=1)), []).append(_told(page, one))
    return found


def _told(page: Page, event: Mapping[str, Any]) -> str:
    told = page.say("opening.measure", what=event["who"], figure=page.word("events", event["kind"]))
    return f"{told} · {event['text']}" if event["text"] else told
