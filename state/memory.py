"""Private memory: a bounded fold of events, compressed by dropping the oldest routine lines.

A write is `{owner: [line, …]}`, or `{owner: {"replace": [line, …]}}` for a new memory. The owner "*" is everyone:
shared lines are stored once instead of once per owner. The folded value is `{owner: [line, …]}`.
"""

from collections.abc import Callable, Mapping, Sequence

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from .setting_types import MemorySettings
from .statement import Statement
from .text import clip_text

EVERYONE = "*"
"""Owner of lines for all participants."""

MemoryLines = dict[str, list[str]]
"""Memory of each owner, as lines, oldest first."""


class StoredReplacement(BaseModel):
    """Lines that replace a memory, in the model form that older saved runs hold."""

    model_config = ConfigDict(frozen=True)

    replace: list[str] = Field(description="The new memory, oldest line first.")


class MemoryReplacement(TypedDict):
    """Lines that replace a memory: a plain dict, which savers load without a registered type."""

    replace: list[str]
    """New memory, oldest line first."""


MemoryWrite = Mapping[str, Sequence[str] | StoredReplacement | MemoryReplacement]


def fold_memory(memory: MemoryLines, writes: Sequence[MemoryWrite]) -> MemoryLines:
    """Fold `writes` into `memory`, in order. Shared lines reach the owners present at that point."""
    updated = {owner: list(lines) for owner, lines in memory.items()}
    for write in writes:
        for owner, content in write.items():
            is_replacement = isinstance(content, StoredReplacement | Mapping)
            lines = StoredReplacement.model_validate(content).replace if is_replacement else content
            for name in list(updated) if owner == EVERYONE else [owner]:
                updated[name] = [*([] if is_replacement else updated.get(name, [])), *lines]
    return updated


def count_characters(lines: Sequence[str]) -> int:
    """Count the characters (code points) of a memory in a prompt: its lines joined by newlines."""
    return sum(map(len, lines)) + max(0, len(lines) - 1)


def compress_memory(lines: Sequence[str], settings: MemorySettings, protected: Sequence[str]) -> list[str] | None:
    """Compress `lines` to the target, or return `None` if they are within the threshold.

    Lines in `protected` (earlier results, the current round) stay. The oldest other lines go first, and one line counts
    them. Protected lines over the target leave no room for other lines; over the bound, they are cut with `fit_memory`.
    """
    bound = settings.memory_max_chars
    if count_characters(lines) <= settings.compression_threshold * bound:
        return None
    target, entries, omitted_count = int(settings.compression_target * bound), list(lines), _count_omitted(lines)
    protected_lines = set(protected)
    remaining = count_characters(entries) + len(format_omission(omitted_count + len(lines))) + 1
    dropped_positions: set[int] = set()
    for position, line in enumerate(entries):
        if remaining <= target:
            break
        if line not in protected_lines:
            dropped_positions.add(position)
            remaining -= len(line) + 1
    omitted_count += sum(1 for position in dropped_positions if not _is_omission(entries[position]))
    rest = [
        line for position, line in enumerate(entries) if position not in dropped_positions and not _is_omission(line)
    ]
    return fit_memory([format_omission(omitted_count), *rest] if omitted_count else rest, bound)


def fit_memory(lines: Sequence[str], bound: int) -> list[str]:
    """Return the newest lines that fit into `bound` characters, after a line that counts the omitted ones.

    Clip the last line if it is longer. `bound`: 100 or more.
    """
    if count_characters(lines) <= bound:
        return list(lines)
    omitted_count, entries = _count_omitted(lines), [line for line in lines if not _is_omission(line)]
    room = bound - len(format_omission(omitted_count + len(entries))) - 1
    fitting: list[str] = []
    for line in reversed(entries):
        if count_characters([*fitting, line]) > room:
            break
        fitting.append(line)
    if not fitting:
        fitting = [clip_text(entries[-1], room)]
    return [format_omission(omitted_count + len(entries) - len(fitting)), *reversed(fitting)]


def take_newer_half(text: str) -> str:
    """Return the newer half of `text`, from the next line on if a line is cut."""
    rest = text[len(text) // 2 :]
    if "\n" in rest and not text[: len(text) // 2].endswith("\n"):
        return rest.split("\n", 1)[1]
    return rest


def format_omission(omitted_count: int) -> str:
    """Return the line that counts the lines left out of a memory."""
    return f"({omitted_count} …)"


def _is_omission(line: str) -> bool:
    return line.startswith("(") and line.endswith(" …)") and line[1:-3].isdigit()


def _count_omitted(lines: Sequence[str]) -> int:
    return sum(int(line[1:-3]) for line in lines if _is_omission(line))


PhraseFormatter = Callable[..., str]
"""Function from the name of a phrase and its values to the localized phrase."""


def format_entry(text: str, limit: int, settings: MemorySettings) -> str:
    """Return `text` on one line, clipped to `limit` characters unless the settings disable clipping."""
    line = " ".join(text.split())
    return clip_text(line, limit) if settings.enable_truncation else line


def format_round(
    round: int, statements: Sequence[Statement], settings: MemorySettings, phrase: PhraseFormatter
) -> list[str]:
    """Format one complete round: a header with the speaking order, then a line per statement."""
    order = ", ".join(statement.speaker for statement in statements)
    style, limit = settings.guidance_style, settings.statement_max_length
    header = phrase(f"round_{style}", round=round, order=order)
    lines = [
        phrase(
            f"statement_{style}",
            round=round,
            speaker=statement.speaker,
            statement=format_entry(statement.content, limit, settings),
        )
        for statement in statements
    ]
    return [header, *lines]


def build_memory_write(
    memory: MemoryLines, new_lines: Sequence[str], settings: MemorySettings, protected: Sequence[str]
) -> MemoryWrite:
    """Build the write that gives everyone the same lines and compresses memories over their threshold."""
    write: dict[str, Sequence[str] | MemoryReplacement] = {EVERYONE: list(new_lines)}
    is_shared = len({tuple(lines) for lines in memory.values()}) == 1
    for owner, lines in list(memory.items())[: 1 if is_shared else None]:
        compressed_lines = compress_memory([*lines, *new_lines], settings, [*protected, *new_lines])
        if compressed_lines is not None:
            write[EVERYONE if is_shared else owner] = MemoryReplacement(replace=compressed_lines)
    return write
