"""Parts of the public history for prompts: limits, windows, and summaries of older statements.

The complete record stays unedited.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import filterfalse
from operator import attrgetter

from pydantic import Field

from .frozen_models import FrozenModel
from .settings import LongViewSettings, Settings
from .statement import Statement
from .text_editing import clip_text


def take_newest_statements(history: Sequence[Statement], bound: int) -> list[Statement]:
    """Return the newest statements that together fit into `bound` characters (code points), oldest first.

    If the newest statement alone is longer than `bound`, clip it.
    """
    remaining_length, start = bound, len(history)
    while start and len(history[start - 1].content) <= remaining_length:
        start -= 1
        remaining_length -= len(history[start].content)
    if start == len(history) and history:
        newest_statement = history[-1]
        return [newest_statement.model_copy(update={"content": clip_text(newest_statement.content, bound)})]
    return list(history[start:])


def map_latest_statements(history: Sequence[Statement]) -> dict[str, Statement]:
    """Map each speaker to its newest statement."""
    return {statement.speaker: statement for statement in history}


GET_CONTENT, GET_FENCED, GET_SILENCED = attrgetter("content"), attrgetter("fenced_text"), attrgetter("silenced")


def drop_silenced_statements(history: Sequence[Statement]) -> list[Statement]:
    """Return the statements, except those that a fork hides from all participants."""
    return list(filterfalse(GET_SILENCED, history))


@dataclass(frozen=True)
class HistoryView:
    """Visible part of a history: statements, their fenced texts, and the number of older ones left out.

    `is_complete`: whether the view shows the full history.
    """

    statements: Sequence[Statement]
    fenced_texts: list[str]
    omitted_count: int = 0
    is_complete: bool = False


FITTING_CALLS = 3
"""Number of calls that must fit before a narrowed view doubles."""


class ViewLimit(FrozenModel):
    """Limit on the length of a participant's prompts, set after its model rejected a prompt as too long."""

    history: int = Field(ge=1, description="Maximum characters of history.")
    halvings: int = Field(default=0, ge=0, description="Number of times that material and documents are halved.")
    fitting_calls: int = Field(
        default=0, ge=0, description="Calls that fitted the model's context since the view last changed."
    )

    def with_fitting_calls(self, calls: int) -> "ViewLimit":
        """Return this limit after `calls` more calls whose prompts fitted.

        After every `FITTING_CALLS` such calls, the limit doubles.
        """
        if self.fitting_calls + calls < FITTING_CALLS:
            return self.model_copy(update={"fitting_calls": self.fitting_calls + calls})
        return ViewLimit(history=2 * self.history, halvings=max(0, self.halvings - 1))


def build_view(history: Sequence[Statement], bound: int) -> HistoryView:
    """Build the view for a prompt, with at most `bound` characters of statement text.

    The view leaves out statements that a fork hides. Its first statement stays the same until the text exceeds the
    bound. Then the view restarts with the newest statements that fill three quarters of the bound. So the beginning of
    successive prompts rarely changes.
    """
    history = drop_silenced_statements(history)
    fenced_texts = list(map(GET_FENCED, history))  # every turn reads all statements: once, and not in Python
    if sum(map(len, fenced_texts)) <= bound or sum(map(len, map(GET_CONTENT, history))) <= bound:
        return HistoryView(history, fenced_texts, is_complete=True)
    lengths, start, length = list(map(len, map(GET_CONTENT, history))), 0, 0
    for position, own_length in enumerate(lengths):
        length += own_length
        if length > bound:
            start, length = position, own_length  # the last statement always stays
            while start and length + lengths[start - 1] <= bound * 3 // 4:
                start -= 1
                length += lengths[start]
    statements = list(history[start:]) if length <= bound else take_newest_statements(history[start:], bound)
    return HistoryView(statements, list(map(GET_FENCED, statements)), omitted_count=start)


MAX_SUMMARY_LENGTH = 8000

MAX_LINE_LENGTH, MIN_LINE_LENGTH = 200, 50
"""Characters of a statement in a summary without a model: the usual maximum, and the minimum after shortening."""


class Summary(FrozenModel):
    """Running summary of the statements that are too old for the view."""

    text: str = Field(default="", description="Summary of the older statements that prompts no longer show.")
    statement_count: int = Field(
        default=0, ge=0, description="Number of summarized statements, counted from the first."
    )


def compute_window_size(settings: Settings, seats: int) -> int:
    """Return the minimum number of statements in a view: the setting, or two per participant."""
    window_size = settings.view.recent_n if isinstance(settings, LongViewSettings) else None
    return window_size or 2 * seats


def compute_view_start(settings: Settings, seats: int, total: int, summary: Summary) -> int:
    """Return the index of the first statement that a view shows.

    `total`: number of statements in the history. With the view policy `full`, the view starts with the first statement.
    With `windowed`, the view grows to twice its minimum, then drops its older half, so successive prompts share their
    beginning. With `windowed_summary`, it starts after the summarized statements.
    """
    policy = settings.view.policy if isinstance(settings, LongViewSettings) else "full"
    if policy == "windowed_summary":
        return min(summary.statement_count, total)
    if policy == "windowed":
        window_size = compute_window_size(settings, seats)
        return window_size * max(0, total // window_size - 1)
    return 0


def count_leaving_statements(settings: Settings, seats: int, total: int, summary: Summary) -> int:
    """Return how many of the oldest statements to add to the summary now.

    The number is 0 while the view has room, and with any policy other than `windowed_summary`.
    """
    if not isinstance(settings, LongViewSettings) or settings.view.policy != "windowed_summary":
        return 0
    window_size = compute_window_size(settings, seats)
    return window_size if total - summary.statement_count >= 2 * window_size else 0


def extend_summary(summary: Summary, leaving_statements: Sequence[Statement]) -> str:
    """Return the summary with a clipped line for each leaving statement. No model is called.

    The result stays under `MAX_SUMMARY_LENGTH`. If it becomes too long, clip all lines further. If that is not enough,
    drop lines from the middle, so that the beginning of the discussion stays visible.
    """
    lines = [
        f"[{statement.turn}] {statement.speaker}: {' '.join(statement.content.split())}"
        for statement in leaving_statements
    ]
    lines = [*summary.text.splitlines(), *(clip_text(line, MAX_LINE_LENGTH) for line in lines)]
    for width in (MAX_SUMMARY_LENGTH, MAX_LINE_LENGTH * 4, MAX_LINE_LENGTH, MAX_LINE_LENGTH // 2, MIN_LINE_LENGTH):
        text = "\n".join(clip_text(line, width) for line in lines).strip()
        if len(text) < MAX_SUMMARY_LENGTH:
            return text
    line_count = MAX_SUMMARY_LENGTH // (MIN_LINE_LENGTH + 2)
    clipped_lines = [
        clip_text(line, MIN_LINE_LENGTH) for line in [*lines[: line_count // 2], *lines[-(line_count // 2) :]]
    ]
    return "\n".join(clipped_lines).strip()
