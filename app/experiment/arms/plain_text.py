"""Effect of the talk as lines of plain text: the sentence, and the accuracy of each arm as a bar."""

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size

from ..data import ExperimentRun, has_only_rehearsals
from ..plan import Plan
from ..wording import join_sentences, translate_for_plan
from .accuracy import ArmRow
from .early_stop import format_evidence, judge_runs
from .findings import build_findings
from .headline import build_effect_sentences, format_interval, format_points
from .influence import InfluenceRow

BAR_LENGTH = 40
"""Characters of a bar of 100 %."""


def format_plain_lines(plan: Plan, runs: Sequence[ExperimentRun]) -> list[str]:
    """Format the effect of the talk as lines of plain text; empty before the first talk has begun."""
    conditions = build_findings(plan, runs)
    if not any(condition.talks for condition in conditions):
        return []
    rehearsal_note = translate_for_plan(plan, "opening.rehearsed") if has_only_rehearsals(runs) else ""
    lines = [join_sentences(plan, [rehearsal_note, build_effect_sentences(plan, conditions)])]
    lines += [translate_for_plan(plan, "plain.head")] * any(condition.graded for condition in conditions)
    for condition in conditions:
        lines += [condition.label] * (len(conditions) > 1) + _format_bars(plan, condition.arms)
        lines += [f"  {_format_influence(plan, row)}" for row in condition.influences]
    return [*lines, *([format_evidence(plan, judge_runs(plan, runs))] if plan.until else [])]


def _format_influence(plan: Plan, row: InfluenceRow) -> str:
    """Format the influence of one participant's first statements, with the number of failed forks."""
    if row.influence.value is None:
        return translate_for_plan(plan, "plain.nothing", who=row.who, count=row.failed)
    failed_text = translate_for_plan(plan, "plain.failed", count=row.failed) if row.failed else ""
    estimate_texts = {"points": format_points(row.influence.value), "interval": format_interval(row.influence)}
    return translate_for_plan(
        plan, "plain.influence", who=row.who, forks=row.forks, failed=failed_text, **estimate_texts
    )


def _format_bars(plan: Plan, rows: Sequence[ArmRow]) -> list[str]:
    name_by_arm = {row.arm: translate_for_plan(plan, f"arms.{row.arm}") for row in rows}
    width = max(map(cell_len, name_by_arm.values()), default=0) + 2
    return [_format_bar(plan, row, set_cell_size(name_by_arm[row.arm], width)) for row in rows]


def _format_bar(plan: Plan, row: ArmRow, name: str) -> str:
    share = row.as_wrong.value or 0.0
    filled_length = round(share * BAR_LENGTH)
    spend_text = translate_for_plan(plan, "plain.spent", calls=f"{row.spent.calls:,}", tokens=f"{row.spent.tokens:,}")
    return f"  {name}{'█' * filled_length}{'·' * (BAR_LENGTH - filled_length)} {100 * share:5.1f} %  {spend_text}"
