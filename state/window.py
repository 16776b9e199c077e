"""Views that slide: the newest statements verbatim, and one running summary of what came before."""

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from .rules import GroupRules, Rules
from .statement import Statement
from .text import clipped

SUMMARY_LENGTH = 8000
"""Characters a running summary stays under."""

WIDEST, NARROWEST = 200, 50
"""Characters of a statement in a summary that no model wrote: at first, and at least."""


class Summary(BaseModel):
    """What came before the window, in brief."""

    model_config = ConfigDict(frozen=True)

    text: str = Field(default="", description="The content of the statements that left the window.")
    folded: int = Field(default=0, ge=0, description="How many statements it stands for, from the first on.")


def recent(rules: Rules, seats: int) -> int:
    """Statements a window shows at least: the setting, or twice the participants."""
    chosen = rules.view.recent_n if isinstance(rules, GroupRules) else None
    return chosen or 2 * seats


def shown_from(rules: Rules, seats: int, total: int, summary: Summary) -> int:
    """Where the view of a history of `total` statements begins, by the run's policy.

    `full`: at the first one. `windowed`: the window grows to twice its least length, then drops its older half, so
    that successive prompts share their beginning. `windowed_summary`: after what the summary stands for.
    """
    policy = rules.view.policy if isinstance(rules, GroupRules) else "full"
    if policy == "windowed_summary":
        return min(summary.folded, total)
    if policy == "windowed":
        least = recent(rules, seats)
        return least * max(0, total // least - 1)
    return 0


def folds_next(rules: Rules, seats: int, total: int, summary: Summary) -> int:
    """How many of the oldest statements in the window are to be folded into the summary now; 0: none yet."""
    if not isinstance(rules, GroupRules) or rules.view.policy != "windowed_summary":
        return 0
    least = recent(rules, seats)
    return least if total - summary.folded >= 2 * least else 0


def by_clipping(summary: Summary, leaving: Sequence[Statement]) -> str:
    """A summary without a model: what there was, and each leaving statement clipped, under `SUMMARY_LENGTH`.

    Where it grows too long, all lines are clipped further before any is dropped; then the middle goes first, so that
    the beginning of a long discussion can still be traced.
    """
    lines = [f"[{one.turn}] {one.speaker}: {' '.join(one.content.split())}" for one in leaving]
    lines = [*summary.text.splitlines(), *(clipped(line, WIDEST) for line in lines)]
    for width in (SUMMARY_LENGTH, WIDEST * 4, WIDEST, WIDEST // 2, NARROWEST):
        text = "\n".join(clipped(line, width) for line in lines).strip()
        if len(text) < SUMMARY_LENGTH:
            return text
    room = SUMMARY_LENGTH // (NARROWEST + 2)
    kept = [clipped(line, NARROWEST) for line in [*lines[: room // 2], *lines[-(room // 2) :]]]
    return "\n".join(kept).strip()
