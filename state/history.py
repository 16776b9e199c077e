"""Views of the public history: what a prompt shows of it. The record itself is complete and never edited."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import filterfalse
from operator import attrgetter

from pydantic import BaseModel, ConfigDict, Field

from .statement import Statement
from .text import clipped


def newest_within(history: Sequence[Statement], bound: int) -> list[Statement]:
    """The newest statements whose texts together have at most `bound` characters (code points), oldest first.

    Whole statements are dropped, oldest first, as few as make the rest fit; the newest one is clipped to `bound`
    if it alone is longer.
    """
    room, start = bound, len(history)
    while start and len(history[start - 1].content) <= room:
        start -= 1
        room -= len(history[start].content)
    if start == len(history) and history:
        newest = history[-1]
        return [newest.model_copy(update={"content": clipped(newest.content, bound)})]
    return list(history[start:])


def latest_statements(history: Sequence[Statement]) -> dict[str, Statement]:
    """Each speaker's newest statement."""
    return {statement.speaker: statement for statement in history}


CONTENT, FENCED, SILENCED = attrgetter("content"), attrgetter("fenced"), attrgetter("silenced")


def shown_of(history: Sequence[Statement]) -> list[Statement]:
    """The statements that may be shown: those a fork silenced are left out."""
    return list(filterfalse(SILENCED, history))


@dataclass(frozen=True)
class View:
    """What is shown of a history: the statements, as a prompt shows them, and how many older ones are left out.

    `whole`: whether nothing is missing.
    """

    statements: Sequence[Statement]
    fenced: list[str]
    left_out: int = 0
    whole: bool = False


class ViewLimit(BaseModel):
    """How much is shown to one whose model refused more."""

    model_config = ConfigDict(frozen=True)

    history: int = Field(ge=1, description="Characters of history at most.")
    halvings: int = Field(default=0, ge=0, description="How often material and documents are halved.")


def prompt_view(history: Sequence[Statement], bound: int) -> View:
    """The view a prompt shows: never more than `bound` characters of statement text, and nothing that was silenced.

    It keeps its first statement until the bound would be passed, and then restarts at the newest three quarters, so
    that the beginning shared by successive prompts breaks seldom.
    """
    history = shown_of(history)
    fenced = list(map(FENCED, history))  # every turn looks at all statements: once, and not in Python
    if sum(map(len, fenced)) <= bound or sum(map(len, map(CONTENT, history))) <= bound:
        return View(history, fenced, whole=True)
    start, shown = _start(list(map(len, map(CONTENT, history))), bound)
    statements = list(history[start:]) if shown <= bound else newest_within(history[start:], bound)
    return View(statements, list(map(FENCED, statements)), left_out=start)


def _start(lengths: list[int], bound: int) -> tuple[int, int]:
    """Where the view of statements of such lengths begins, and how much it shows."""
    start, shown = 0, 0
    for position, length in enumerate(lengths):
        shown += length
        if shown > bound:
            start, shown = _restart(lengths, position, bound * 3 // 4)
    return start, shown


def _restart(lengths: list[int], newest: int, room: int) -> tuple[int, int]:
    """Where a view that ends at `newest` starts anew, and how much it shows; the newest statement always stays."""
    start, shown = newest, lengths[newest]
    while start and shown + lengths[start - 1] <= room:
        start -= 1
        shown += lengths[start]
    return start, shown
