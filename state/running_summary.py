"""Running summary of the earlier statements, and the window of the newest statements."""

from collections.abc import Sequence

from pydantic import Field

from .frozen import FrozenModel
from .settings import LongViewSettings, Settings
from .statement import Statement
from .text import clip_text

MAX_SUMMARY_LENGTH = 8000

MAX_LINE_LENGTH, MIN_LINE_LENGTH = 200, 50
"""Characters of a statement in a summary without a model: the usual maximum, and the minimum after shortening."""


class Summary(FrozenModel):
    """Running summary of the statements that are too old for the view."""

    text: str = Field(default="", description="Summary of the statements that left the view.")
    folded: int = Field(default=0, ge=0, description="Number of summarized statements, from the first on.")


def compute_window_size(settings: Settings, seats: int) -> int:
    """Compute the minimum number of statements in a view: the setting, or two per participant."""
    window_size = settings.view.recent_n if isinstance(settings, LongViewSettings) else None
    return window_size or 2 * seats


def compute_view_start(settings: Settings, seats: int, total: int, summary: Summary) -> int:
    """Compute the index of the first statement in the view under the run's policy.

    `total`: number of statements in the history. The policy `full` starts with the first statement. Under `windowed`,
    the view grows to twice its minimum, then drops its older half, so successive prompts share their beginning.
    `windowed_summary` starts after the summarized statements.
    """
    policy = settings.view.policy if isinstance(settings, LongViewSettings) else "full"
    if policy == "windowed_summary":
        return min(summary.folded, total)
    if policy == "windowed":
        window_size = compute_window_size(settings, seats)
        return window_size * max(0, total // window_size - 1)
    return 0


def count_leaving_statements(settings: Settings, seats: int, total: int, summary: Summary) -> int:
    """Return how many of the oldest statements to add to the summary now; 0 while the view has room."""
    if not isinstance(settings, LongViewSettings) or settings.view.policy != "windowed_summary":
        return 0
    window_size = compute_window_size(settings, seats)
    return window_size if total - summary.folded >= 2 * window_size else 0


def extend_summary(summary: Summary, leaving_statements: Sequence[Statement]) -> str:
    """Extend a summary without a model: keep its lines, and add a clipped line for each leaving statement.

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
