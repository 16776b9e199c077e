"""What talking did, as lines of plain text: the sentence, and the accuracy of each arm as a bar."""

from collections.abc import Sequence

from ..data import REHEARSED, Outcome, is_rehearsed
from ..plan import Plan
from .accuracy import ArmRow
from .answered import LABELS
from .findings import findings
from .influence import InfluenceRow
from .sentence import interval, points, sentence
from .until import so_far, told

LONGEST = 40
"""Characters of a bar of 100 %."""


def told_plainly(plan: Plan, found: Sequence[Outcome]) -> list[str]:
    """The lines; empty before anything has ended."""
    said = findings(plan, found)
    if not any(one.talks for one in said):
        return []
    lines = [f"{REHEARSED} {sentence(plan, said)}" if is_rehearsed(found) else sentence(plan, said)]
    lines += ["accuracy of each arm, and what a run of it took on average:"] * any(one.graded for one in said)
    for one in said:
        lines += [one.label] * (len(said) > 1) + [_bar(row) for row in one.arms]
        lines += [_influence(row) for row in one.influences]
    return [*lines, *([told(plan, so_far(plan, found))] if plan.until else [])]


def _influence(row: InfluenceRow) -> str:
    """How far one's first statements changed the decision, with the forks that failed."""
    if row.influence.value is None:
        return f"  without {row.who}: nothing to compare, {row.failed} forks failed"
    failed = f", {row.failed} failed" if row.failed else ""
    beyond = f"{points(row.influence.value)} points beyond chance{interval(row.influence)}"
    return f"  without {row.who}: decision changed {beyond}; {row.forks} forks{failed}"


def _bar(row: ArmRow) -> str:
    share = row.all.value or 0.0
    full = round(share * LONGEST)
    spent = f"{row.spent.calls:,} calls, {row.spent.tokens:,} tokens"
    return f"  {LABELS[row.arm]:<22}{'█' * full}{'·' * (LONGEST - full)} {100 * share:5.1f} %  {spent}"
