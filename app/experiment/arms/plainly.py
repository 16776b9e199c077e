"""What talking did, as lines of plain text: the sentence, and the accuracy of each arm as a bar."""

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size

from ..data import Outcome, is_rehearsed
from ..plan import Plan
from ..words import say, sentences
from .accuracy import ArmRow
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
    rehearsed = say(plan, "opening.rehearsed") if is_rehearsed(found) else ""
    lines = [sentences(plan, [rehearsed, sentence(plan, said)])]
    lines += [say(plan, "plain.head")] * any(one.graded for one in said)
    for one in said:
        lines += [one.label] * (len(said) > 1) + _bars(plan, one.arms)
        lines += [f"  {_influence(plan, row)}" for row in one.influences]
    return [*lines, *([told(plan, so_far(plan, found))] if plan.until else [])]


def _influence(plan: Plan, row: InfluenceRow) -> str:
    """How far one's first statements changed the decision, with the forks that failed."""
    if row.influence.value is None:
        return say(plan, "plain.nothing", who=row.who, count=row.failed)
    failed = say(plan, "plain.failed", count=row.failed) if row.failed else ""
    beyond = {"points": points(row.influence.value), "interval": interval(row.influence)}
    return say(plan, "plain.influence", who=row.who, forks=row.forks, failed=failed, **beyond)


def _bars(plan: Plan, rows: Sequence[ArmRow]) -> list[str]:
    names = {row.arm: say(plan, f"arms.{row.arm}") for row in rows}
    wide = max(map(cell_len, names.values()), default=0) + 2
    return [_bar(plan, row, set_cell_size(names[row.arm], wide)) for row in rows]


def _bar(plan: Plan, row: ArmRow, name: str) -> str:
    share = row.all.value or 0.0
    full = round(share * LONGEST)
    spent = say(plan, "plain.spent", calls=f"{row.spent.calls:,}", tokens=f"{row.spent.tokens:,}")
    return f"  {name}{'█' * full}{'·' * (LONGEST - full)} {100 * share:5.1f} %  {spent}"
