"""Effect of the talk as plain text: a sentence, and the accuracy of each arm as a bar."""

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size

from ...saved.experiments import SavedExperiment
from ..data import ExperimentRun
from ..flow import measure_progress
from ..plan import Plan
from .early_stop import format_evidence, judge_runs
from .findings import build_findings
from .headline import build_effect_sentences, format_interval, format_points

BAR_LENGTH = 40
"""Characters of a bar of 100 %."""


def format_plain_lines(plan: Plan, experiment: SavedExperiment, runs: Sequence[ExperimentRun]) -> list[str]:
    """Format the effect of the talk as lines of plain text; empty before the first talk has begun."""
    conditions = build_findings(plan, runs)
    if not any(condition.talks for condition in conditions):
        return []
    lines = [build_effect_sentences(plan, conditions, measure_progress(experiment, runs))]
    lines += [plan.translate("plain.head")] * any(condition.graded for condition in conditions)
    for condition in conditions:
        lines += [condition.label] * (len(conditions) > 1)
        names = {row.arm: plan.translate(f"arms.{row.arm}") for row in condition.arms}
        width = max(map(cell_len, names.values()), default=0) + 2
        for arm_row in condition.arms:
            share, spent = arm_row.as_wrong.value or 0.0, arm_row.spent
            bar = ("█" * round(share * BAR_LENGTH)).ljust(BAR_LENGTH, "·")
            spend_text = plan.translate("plain.spent", calls=f"{spent.calls:,.0f}", tokens=f"{spent.tokens:,.0f}")
            lines.append(f"  {set_cell_size(names[arm_row.arm], width)}{bar} {100 * share:5.1f} %  {spend_text}")
        for row in condition.influences:
            text = plan.translate("plain.nothing", who=row.who, count=row.failed)
            if row.influence.value is not None:
                texts = {"points": format_points(row.influence.value), "interval": format_interval(row.influence)}
                texts["failed"] = plan.translate("plain.failed", count=row.failed) if row.failed else ""
                text = plan.translate("plain.influence", who=row.who, forks=row.forks, **texts)
            lines.append(f"  {text}")
    return [*lines, *([format_evidence(plan, judge_runs(plan, runs))] if plan.until else [])]
