"""Private memory of participants: lines with a maximum total length.

The oldest lines are dropped first. The value of the channel is `{owner: [line, …]}`. A write is `{owner: [line, …]}`,
or `{owner: {"replace": [line, …]}}` for a new memory. The owner "*" stands for everyone, so shared lines are stored
once.
"""

from collections.abc import Callable, Mapping, Sequence

from typing_extensions import TypedDict

from .errors import build_adapter
from .setting_types import MemorySettings
from .statement import Statement
from .text_editing import clip_text

EVERYONE = "*"
"""Owner of lines for all participants."""

MemoryLines = dict[str, list[str]]
"""Memory of each owner, as lines, oldest first."""


class MemoryReplacement(TypedDict):
    """Lines that replace a memory.

    It is a plain dict, so that checkpoints can store it without a registered type.
    """

    replace: list[str]
    """New memory, oldest line first."""


MemoryWrite = Mapping[str, Sequence[str] | MemoryReplacement]


def fold_memory(memory: MemoryLines, writes: Sequence[MemoryWrite]) -> MemoryLines:
    """Return `memory` with `writes` applied in order. Shared lines go to every owner that has a memory."""
    updated_memory = {owner: list(lines) for owner, lines in memory.items()}
    for write in writes:
        for owner, content in write.items():
            for name in list(updated_memory) if owner == EVERYONE else [owner]:
                if isinstance(content, Mapping):
                    updated_memory[name] = build_adapter(MemoryReplacement).validate_python(content)["replace"]
                else:
                    updated_memory[name] = [*updated_memory.get(name, []), *content]
    return updated_memory


def count_characters(lines: Sequence[str]) -> int:
    """Count the characters (code points) of a memory: its lines joined by newlines."""
    return sum(map(len, lines)) + max(0, len(lines) - 1)


def compress_memory(lines: Sequence[str], settings: MemorySettings, protected_lines: Sequence[str]) -> list[str] | None:
    """Return the lines compressed to the target length, or `None` if they are short enough already.

    `protected_lines`: lines to keep, such as earlier results and the current round. The oldest other lines are dropped
    first, and one new line states their number. If `protected_lines` exceed the target, all other lines are dropped. If
    they exceed the maximum, `fit_memory` cuts them.
    """
    bound = settings.memory_max_chars
    if count_characters(lines) <= settings.compression_threshold * bound:
        return None
    target, entries, omitted_count = int(settings.compression_target * bound), list(lines), _count_omitted(lines)
    protected_set = set(protected_lines)
    remaining_length = count_characters(entries) + len(format_omission(omitted_count + len(lines))) + 1
    dropped_positions: set[int] = set()
    for position, line in enumerate(entries):
        if remaining_length <= target:
            break
        if line not in protected_set:
            dropped_positions.add(position)
            remaining_length -= len(line) + 1
    omitted_count += sum(1 for position in dropped_positions if not _is_omission(entries[position]))
    kept_lines = [
        line for position, line in enumerate(entries) if position not in dropped_positions and not _is_omission(line)
    ]
    return fit_memory([format_omission(omitted_count), *kept_lines] if omitted_count else kept_lines, bound)


def fit_memory(lines: Sequence[str], bound: int) -> list[str]:
    """Return the newest lines that together fit into `bound` characters. `bound`: 100 or more.

    If lines are dropped, a new first line states their number. If the newest line alone is too long, clip it.
    """
    if count_characters(lines) <= bound:
        return list(lines)
    omitted_count, entries = _count_omitted(lines), [line for line in lines if not _is_omission(line)]
    max_length = bound - len(format_omission(omitted_count + len(entries))) - 1
    fitting_lines: list[str] = []
    for line in reversed(entries):
        if count_characters([*fitting_lines, line]) > max_length:
            break
        fitting_lines.append(line)
    if not fitting_lines:
        fitting_lines = [clip_text(entries[-1], max_length)]
    return [format_omission(omitted_count + len(entries) - len(fitting_lines)), *reversed(fitting_lines)]


def take_newer_half(text: str) -> str:
    """Return the newer half of `text`. If the cut falls within a line, start at the next line."""
    newer_half = text[len(text) // 2 :]
    if "\n" in newer_half and not text[: len(text) // 2].endswith("\n"):
        return newer_half.split("\n", 1)[1]
    return newer_half


def format_omission(omitted_count: int) -> str:
    """Return the line that states how many lines were dropped from a memory."""
    return f"({omitted_count} …)"


def _is_omission(line: str) -> bool:
    return line.startswith("(") and line.endswith(" …)") and line[1:-3].isdigit()


def _count_omitted(lines: Sequence[str]) -> int:
    return sum(int(line[1:-3]) for line in lines if _is_omission(line))


def format_memory_line(text: str, limit: int, settings: MemorySettings) -> str:
    """Return `text` as one line of a memory. Clip it to `limit` characters if the settings enable it."""
    line = " ".join(text.split())
    return clip_text(line, limit) if settings.enable_truncation else line


def format_round_lines(
    round: int, statements: Sequence[Statement], settings: MemorySettings, phrase: Callable[..., str]
) -> list[str]:
    """Return a round as memory lines: a header with the speaking order, then a line per statement.

    `phrase`: function that returns a phrase by its key.
    """
    order = ", ".join(statement.speaker for statement in statements)
    style, limit = settings.guidance_style, settings.statement_max_length
    header = phrase(f"round_{style}", round=round, order=order)
    lines = [
        phrase(
            f"statement_{style}",
            round=round,
            speaker=statement.speaker,
            statement=format_memory_line(statement.content, limit, settings),
        )
        for statement in statements
    ]
    return [header, *lines]


def build_memory_write(
    memory: MemoryLines, new_lines: Sequence[str], settings: MemorySettings, protected_lines: Sequence[str]
) -> MemoryWrite:
    """Build the write that adds `new_lines` to all memories and compresses those that are too long.

    `protected_lines`: lines that a compressed memory keeps, in addition to the new lines.
    """
    write: dict[str, Sequence[str] | MemoryReplacement] = {EVERYONE: list(new_lines)}
    is_shared = len({tuple(lines) for lines in memory.values()}) == 1
    for owner, lines in list(memory.items())[: 1 if is_shared else None]:
        compressed_lines = compress_memory([*lines, *new_lines], settings, [*protected_lines, *new_lines])
        if compressed_lines is not None:
            write[EVERYONE if is_shared else owner] = MemoryReplacement(replace=compressed_lines)
    return write
