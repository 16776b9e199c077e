"""Private memory: a fold of events, bounded, compressed by dropping the oldest routine lines.

A write is `{owner: [line, …]}`, or `{owner: {"replace": [line, …]}}` for a whole new memory; the owner "*" is everyone,
so that what all share is stored once, not once per owner. The folded value is `{owner: [line, …]}`.
"""

from collections.abc import Callable, Mapping, Sequence

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from .settings import MemorySettings
from .statement import Statement
from .text import clipped

EVERYONE = "*"

Lines = dict[str, list[str]]
"""Each owner's memory, as lines, oldest first."""


class Replacement(BaseModel):
    """Lines that take the place of a whole memory, as they were written once; runs saved then hold it."""

    model_config = ConfigDict(frozen=True)

    replace: list[str] = Field(description="The new memory, oldest line first.")


class Replaced(TypedDict):
    """Lines that take the place of a whole memory: a plain dict, which savers load without being told of a type."""

    replace: list[str]
    """The new memory, oldest line first."""


MemoryWrite = Mapping[str, Sequence[str] | Replacement | Replaced]


def fold_memory(memory: Lines, writes: Sequence[MemoryWrite]) -> Lines:
    """`memory` after `writes`, in order. What everyone shares reaches the owners known by then."""
    folded = {owner: list(lines) for owner, lines in memory.items()}
    for write in writes:
        for owner, news in write.items():
            whole = isinstance(news, Replacement | Mapping)
            lines = Replacement.model_validate(news).replace if whole else news
            for name in list(folded) if owner == EVERYONE else [owner]:
                folded[name] = [*([] if whole else folded.get(name, [])), *lines]
    return folded


def size(lines: Sequence[str]) -> int:
    """Characters (code points) of a memory as it is shown: its lines joined by newlines."""
    return sum(map(len, lines)) + max(0, len(lines) - 1)


def compressed(lines: Sequence[str], settings: MemorySettings, protected: Sequence[str]) -> list[str] | None:
    """`lines` brought to the compression target, or `None` when they are not over the threshold.

    Lines in `protected` (earlier results, the current round) stay whatever happens. The oldest others go first, and one
    line says how many went. When the protected lines alone are over the target, nothing else is left; when they are
    over the bound, they too are `within` it.
    """
    bound = settings.memory_max_chars
    if size(lines) <= settings.compression_threshold * bound:
        return None
    target, kept, gone = int(settings.compression_target * bound), list(lines), _already_gone(lines)
    keep = set(protected)
    remaining = size(kept) + len(notice(gone + len(lines))) + 1
    dropped: set[int] = set()
    for position, line in enumerate(kept):
        if remaining <= target:
            break
        if line not in keep:
            dropped.add(position)
            remaining -= len(line) + 1
    gone += sum(1 for position in dropped if not _is_notice(kept[position]))
    rest = [line for position, line in enumerate(kept) if position not in dropped and not _is_notice(line)]
    return within([notice(gone), *rest] if gone else rest, bound)


def within(lines: Sequence[str], bound: int) -> list[str]:
    """The newest lines that fit into `bound` characters, after one that says how many went; the last one clipped if it
    is longer. `bound`: 100 or more."""
    if size(lines) <= bound:
        return list(lines)
    gone, told = _already_gone(lines), [line for line in lines if not _is_notice(line)]
    left = bound - len(notice(gone + len(told))) - 1
    kept: list[str] = []
    for line in reversed(told):
        if size([*kept, line]) > left:
            break
        kept.append(line)
    if not kept:
        kept = [clipped(told[-1], left)]
    return [notice(gone + len(told) - len(kept)), *reversed(kept)]


def halved(text: str) -> str:
    """The newer half of `text`, from the next line on where a line is cut."""
    rest = text[len(text) // 2 :]
    if "\n" in rest and not text[: len(text) // 2].endswith("\n"):
        return rest.split("\n", 1)[1]
    return rest


def notice(gone: int) -> str:
    """The line that says how many lines were left out of a memory."""
    return f"({gone} …)"


def _is_notice(line: str) -> bool:
    return line.startswith("(") and line.endswith(" …)") and line[1:-3].isdigit()


def _already_gone(lines: Sequence[str]) -> int:
    return sum(int(line[1:-3]) for line in lines if _is_notice(line))


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
