"""What talking did, as lines of plain text: the sentence, and the accuracy of each arm as a bar."""

from collections.abc import Sequence

from ..data import REHEARSED, Outcome, is_rehearsed
from ..plan import Plan
from .answered import LABELS
from .findings import ArmRow, findings
from .sentence import sentence
from .until import so_far, told

LONGEST = 40
"""Characters of a bar of 100 %."""


def told_plainly(plan: Plan, found: Sequence[Outcome]) -> list[str]:
    """The lines; empty before anything has ended."""
    said = findings(plan, found)
    if not any(one.talks for one in said):
        return []
    lines = [f"{REHEARSED} {sentence(plan, said)}" if is_rehearsed(found) else sentence(plan, said)]
    for one in said:
        lines += [one.label] * (len(said) > 1) + [_bar(row) for row in one.arms]
    return [*lines, *([told(plan, so_far(plan, found))] if plan.until else [])]


def _bar(row: ArmRow) -> str:
    share = row.all.value or 0.0
    full = round(share * LONGEST)
    spent = f"{row.spent.calls:,} calls, {row.spent.tokens:,} tokens"
    return f"  {LABELS[row.arm]:<22}{'█' * full}{'·' * (LONGEST - full)} {100 * share:5.1f} %  {spent}"
