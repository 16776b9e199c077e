"""What a round leaves in memory: routine lines, clipped, without a model."""

from collections.abc import Callable, Sequence

from .clip import clipped
from .memory import EVERYONE, Lines, MemoryWrite, Replaced, compressed
from .settings import MemorySettings
from .statement import Statement

Phrase = Callable[..., str]
"""A localized phrase by name, its holes filled from keywords."""


def kept(text: str, limit: int, settings: MemorySettings) -> str:
    """`text` on one line, clipped to `limit` characters unless clipping is switched off."""
    line = " ".join(text.split())
    return clipped(line, limit) if settings.enable_truncation else line


def round_lines(round: int, spoken: Sequence[Statement], settings: MemorySettings, phrase: Phrase) -> list[str]:
    """The lines of one complete round: a header with the speaking order, then a line per statement."""
    order = ", ".join(statement.speaker for statement in spoken)
    style, limit = settings.guidance_style, settings.statement_max_length
    header = phrase(f"round_{style}", round=round, order=order)
    lines = [
        phrase(
            f"statement_{style}",
            round=round,
            speaker=statement.speaker,
            statement=kept(statement.content, limit, settings),
        )
        for statement in spoken
    ]
    return [header, *lines]


def remembered(memory: Lines, news: Sequence[str], settings: MemorySettings, protected: Sequence[str]) -> MemoryWrite:
    """The write that gives everyone the same news, and compresses the memories it takes over their threshold."""
    write: dict[str, Sequence[str] | Replaced] = {EVERYONE: list(news)}
    alike = len({tuple(lines) for lines in memory.values()}) == 1
    for owner, lines in list(memory.items())[: 1 if alike else None]:
        shorter = compressed([*lines, *news], settings, [*protected, *news])
        if shorter is not None:
            write[EVERYONE if alike else owner] = Replaced(replace=shorter)
    return write
