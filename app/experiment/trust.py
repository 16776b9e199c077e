"""Trust in an experiment's answer: what its design and record leave open, one sentence each."""

from collections import Counter
from collections.abc import Sequence
from statistics import fmean

from ..saved.experiments import SavedExperiment
from .arms.early_stop import compute_run_evidence, format_evidence
from .arms.findings import Findings
from .arms.headline import format_interval, format_points, pick_primary_row
from .compare import ConditionComparison
from .data import ExperimentRun, list_documents
from .failures import FAILURES
from .plan import Plan
from .planned_runs import list_conditions, list_separate_arms
from .seal import format_seal_sentence

COST_RATIO = 1.1
"""Ratio of mean tokens from which the costs of two conditions count as different."""


def list_trust_sentences(
    plan: Plan,
    experiment: SavedExperiment,
    runs: Sequence[ExperimentRun],
    conditions: Sequence[Findings],
    comparisons: Sequence[ConditionComparison],
) -> list[str]:
    """List the sentences on seal, failures, cost and design that limit what the figures show."""
    say, texts = plan.translate, [format_seal_sentence(plan, experiment, plan.language)]
    texts += [format_evidence(plan, compute_run_evidence(plan, runs))] if plan.until else []
    talks, models = [run for run in runs if not run.planned.arm], Counter[str]()
    is_graded = any(item.truth is not None for item in plan.items)
    if reasons := Counter(run.failure for run in talks if run.failure):
        names = {name: say(f"flow.failed_{name}").replace("：", ": ").partition(": ")[2] for name in FAILURES}
        parts = [f"{names[name]} {reasons[name]}" for name in FAILURES if reasons[name]]
        values = {"count": reasons.total(), "of": len(talks), "reasons": say("opening.comma").join(parts)}
        texts.append(say("trust.failed" if is_graded else "trust.failed_ungraded", **values))
    for findings in conditions:
        if row := pick_primary_row(plan, findings):
            under = say("sentence.under", condition=findings.label, text="") if len(conditions) > 1 else ""
            left_out, spends = row.left_out.estimate, {arm.arm: arm.spent for arm in findings.arms}
            if left_out.value is not None and any(talk.run.failure for talk in findings.talks):
                figure = f"{format_points(left_out.value)}{format_interval(left_out)}"
                texts.append(under + say("trust.left_out", figure=figure))
            if spent := spends.get(row.arms[1]):
                talk, other = spends["talk"], say(f"arms.{row.arms[1]}")
                values = {"calls": f"{talk.calls:,.1f}", "tokens": f"{talk.tokens:,.0f}", "other": other}
                values |= {"other_calls": f"{spent.calls:,.1f}", "other_tokens": f"{spent.tokens:,.0f}"}
                texts.append(under + say("trust.cost", **values))
    labels, tokens = [condition.label for condition in list_conditions(plan)], dict[str, float]()
    for label in labels:
        documents = list_documents([run for run in talks if run.planned.condition.label == label])
        models.update(call["model"] for document in documents for call in document["calls"])
        if documents:
            tokens[label] = fmean(document["totalTokens"] for document in documents)
    if len(tokens) > 1 and max(tokens.values()) > COST_RATIO * min(tokens.values()):
        costs = say("opening.comma").join(f"{label} {count:,.0f}" for label, count in tokens.items())
        texts.append(say("trust.costs_differ", costs=costs))
    items, has_plan = [item for item in plan.items if item.options and item.truth is not None], bool(plan.compare)
    first_count = sum(next(iter(item.options)) in item.right_options for item in items)
    notes = {
        "undeclared": not (plan.primary or has_plan or plan.until),
        "fall": any(row.adjusted_p is not None for findings in conditions for row in findings.gains),
        "two_prompts": bool(set(list_separate_arms(plan)) - {"vote"}),
        "many": len(conditions) > 1,
        "no_arms": bool(items) and not plan.arms,
        "first_option": len(items) > 1 and first_count == len(items),
        "one_order": bool(items) and "options" not in plan.swap and first_count < len(items),
        "one_run": plan.repeats == 1 and len(plan.items) > 1,
        "one_item": len(plan.items) == 1 and plan.repeats > 1,
        "one_model": len(models) == 1,
        "generated": bool(plan.task),
    }
    values = {
        "count": len(conditions),
        "items": len(items),
        "task": plan.task.get("task"),
        "model": next(iter(models), ""),
    }
    return texts + [say(f"trust.{name}", **values) for name, applies in notes.items() if applies]
