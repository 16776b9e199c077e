"""Private information in a statement: some of the speaker's notes, or its first private figure."""

import re

from ...state.random_streams import make_rng
from .scene import Scene

NOTES_PER_STATEMENT = 3
"""Notes shared in one statement."""
_NOTE_LINE = re.compile(r"^- (.+?(?:[(（]\D*(\d{3})[)）])?)\s*$", re.MULTILINE)
"""Line of a list, with its number if it has one."""
_FIRST_FIGURE = re.compile(r"^.*?\d[^.。\n]*", re.DOTALL)


def share_notes(scene: Scene) -> str:
    """Write a sentence with notes that the record lacks, in the speaker's own order.

    Without a list of notes, share the first private figure once.
    """
    private_text = scene.prompt.private.partition("\n")[2]
    notes = [
        (text, number) for text, number in _NOTE_LINE.findall(private_text) if (number or text) not in scene.record_text
    ]
    make_rng(scene.seed, "notes", scene.prompt.speaker).shuffle(notes)
    texts = [text for text, _ in notes[:NOTES_PER_STATEMENT]]
    if (
        not texts
        and not _NOTE_LINE.search(private_text)
        and not scene.prompt.own_statements
        and (match := _FIRST_FIGURE.match(private_text))
    ):
        texts = [match[0]]
    return scene.stock.get_phrase("facts", "told").format(notes="; ".join(texts)) if texts else ""
