"""Views of the public history: what a prompt shows of it. The record itself is complete and never edited."""

from collections.abc import Sequence
from operator import attrgetter

from pydantic import BaseModel, ConfigDict, Field

from .clip import clipped
from .statement import Statement


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


CONTENT = attrgetter("content")


class View(BaseModel):
    """What is shown of a history: the statements, how many older ones are left out, and whether nothing is missing."""

    model_config = ConfigDict(frozen=True)

    statements: list[Statement] = Field(default_factory=list)
    left_out: int = Field(default=0, ge=0)
    whole: bool = False


def prompt_view(history: Sequence[Statement], bound: int) -> View:
    """The view a prompt shows: never more than `bound` characters of statement text.

    It keeps its first statement until the bound would be passed, and then restarts at the newest three quarters, so
    that the beginning shared by successive prompts breaks seldom.
    """
    lengths = list(map(len, map(CONTENT, history)))  # every turn asks for all of them: no loop in Python
    if sum(lengths) <= bound:
        return View.model_construct(statements=list(history), left_out=0, whole=True)
    start, shown = 0, 0
    for position, length in enumerate(lengths):
        shown += length
        if shown > bound:
            start, shown = _restart(lengths, position, bound * 3 // 4)
    statements = list(history[start:])
    if shown > bound:
        statements = newest_within(statements, bound)
    return View.model_construct(statements=statements, left_out=start, whole=False)


def _restart(lengths: list[int], newest: int, room: int) -> tuple[int, int]:
    """Where a view that ends at `newest` starts anew, and how much it shows; the newest statement always stays."""
    start, shown = newest, lengths[newest]
    while start and shown + lengths[start - 1] <= room:
        start -= 1
        shown += lengths[start]
    return start, shown
