"""What the speaker alone was told, shared with the others: some of its notes, or what it was told first."""

import re

from ....state.draw import stream
from .scene import Scene

SHARED = 3
"""Notes that are shared in one statement."""
_NOTE = re.compile(r"^- (.+?(?:[(（]\D*(\d{3})[)）])?)\s*$", re.MULTILINE)
"""A line of a list, with its number where it has one."""
_FIRST = re.compile(r"^.*?\d[^.。\n]*", re.DOTALL)


def shared(scene: Scene) -> str:
    """Notes nobody has shared yet, in an order of the speaker's own; without notes, once, its first figure."""
    private = scene.prompt.private.partition("\n")[2]
    notes = [(text, number) for text, number in _NOTE.findall(private) if (number or text) not in scene.said]
    stream(scene.seed, "notes", scene.prompt.me).shuffle(notes)
    told = [text for text, _ in notes[:SHARED]]
    if not told and not _NOTE.search(private) and not scene.prompt.own and (first := _FIRST.match(private)):
        told = [first[0]]
    return scene.stock.line("facts", "told").format(notes="; ".join(told)) if told else ""
