"""Result of an experiment as plain text: the answer, each arm's accuracy as a bar, and trust."""

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size

from ..saved.experiments import SavedExperiment
from .arms.findings import build_findings
from .arms.format_figure import format_interval, format_points
from .compare import compare_conditions
from .data import ExperimentRun
from .flow import build_flow_table, format_flow, measure_progress
from .plan import Plan
from .report import describe_answer
from .trust import list_trust_sentences

BAR_LENGTH = 40
"""Characters of a bar of 100 %."""


def format_plain_lines(plan: Plan, experiment: SavedExperiment, runs: Sequence[ExperimentRun]) -> list[str]:
    """Format the answer, each arm as a bar, and the trust; empty before the first talk has begun."""
    conditions = build_findings(plan, runs) if plan.has_comparisons else []
    progress, comparisons = measure_progress(plan, experiment, runs), compare_conditions(plan, runs)
    if not any(run.has_ended and not run.planned.arm for run in runs):
        return []
    lines = [text] if (text := describe_answer(plan, conditions, comparisons, progress)) else []
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
    sentences = list_trust_sentences(plan, experiment, runs, conditions, comparisons)
    flow_lines = format_flow(plan, build_flow_table(plan, experiment, runs))
    lines += [plan.translate("trust.heading"), *(f"  {text}" for text in sentences)]
    return [*lines, plan.translate("heads.flow"), *(f"  {line}" for line in flow_lines)]
