"""A saved run on a terminal: coloured names, and statements formatted from their Markdown."""

from collections.abc import Mapping
from typing import Any

from ...state.statement import Participant
from .screen import LABEL_STYLE, TITLE_STYLE, Screen
from .transcript import list_transcript_parts, neutralize_statement, neutralize_synthesis
from .wrapping import INSET

PART_STYLES = {"label": LABEL_STYLE, "heading": TITLE_STYLE}


def show_transcript(document: Mapping[str, Any], screen: Screen) -> None:
    """Show the transcript of a run's document on the screen."""
    screen.assign_colours([Participant(name=participant["name"]) for participant in document["participants"]])
    for part in list_transcript_parts(document):
        match part.kind:
            case "name":
                screen.show_line(part.text, screen.get_name_style(part.who))
            case "said":
                screen.show_markdown(neutralize_statement(part.text), len(INSET))
                screen.show_line()
            case "closing":
                screen.show_markdown(neutralize_synthesis(part.text))
            case "answer":
                screen.show_markdown(part.text)
            case _:
                screen.show_prose(part.text, PART_STYLES.get(part.kind, ""))
