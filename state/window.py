"""Views that slide: the newest statements verbatim, and one running summary of what came before."""

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from .clip import clipped
from .rules import GroupRules, Rules
from .statement import Statement

SUMMARY_LENGTH = 8000
"""Characters a running summary stays under."""


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
    """A summary without a model: what there was, and each leaving statement clipped; the newest part if too long."""
    lines = [f"[{one.turn}] {one.speaker}: {clipped(' '.join(one.content.split()), 200)}" for one in leaving]
    text = "\n".join([summary.text, *lines]).strip()
    return text if len(text) < SUMMARY_LENGTH else text[-(SUMMARY_LENGTH - 1) :].split("\n", 1)[-1]
