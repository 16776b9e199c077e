"""A saved run, read on a terminal: speakers in their colours, what they wrote as its Markdown means it."""

from collections.abc import Mapping
from typing import Any

from ...state.statement import Participant
from .screen import LABEL, TITLE, Screen
from .transcript import Part, as_prose, closing, parts_of
from .wrapping import INSET

STYLES = {"label": LABEL, "heading": TITLE}


def read_aloud(document: Mapping[str, Any], screen: Screen) -> None:
    """Show the transcript of a run's document."""
    screen.seat([Participant(name=one["name"]) for one in document["participants"]])
    for part in parts_of(document):
        _show(part, screen)


def _show(part: Part, screen: Screen) -> None:
    match part.kind:
        case "name":
            screen.line(part.text, screen.colour(part.who))
        case "said":
            screen.markdown(as_prose(part.text), len(INSET))
            screen.line()
        case "closing":
            screen.markdown(closing(part.text))
        case "answer":
            screen.markdown(part.text)
        case _:
            screen.prose(part.text, STYLES.get(part.kind, ""))
