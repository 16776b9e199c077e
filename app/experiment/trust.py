"""Reasons to doubt an experiment's answer, from its design and its record, one sentence each."""

from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import Literal

from ..saved.experiments import SavedExperiment
from .arms import (
    SPEND_KEYS,
    Findings,
    GainRow,
    collect_item_gains,
    format_evidence,
    pick_primary_row,
)
from .comparisons import ConditionComparison
from .data import ExperimentRun, list_documents
from .failures import FAILURES
from .plan import Plan
from .planned_runs import list_conditions, list_separate_arms
from .seal import format_seal_sentence
from .statistics import compute_detectable_gain, format_interval, format_points

COST_RATIO = 1.1
"""Ratio of mean tokens from which the costs of two conditions count as different."""


def list_failure_sentences(plan: Plan, runs: Sequence[ExperimentRun], conditions: Sequence[Findings]) -> list[str]:
    """List the sentences on failed deliberations and on the difference without them."""
    say, talks = plan.translate, [run for run in runs if not run.planned.arm]
    reasons = Counter(run.failure for run in talks if run.failure)
    if not reasons:
        return []
    names = {name: say(f"flow.failed_{name}").replace("：", ": ").partition(": ")[2] for name in FAILURES}
    parts = [f"{names[name]} {reasons[name]}" for name in FAILURES if reasons[name]]
    key = "trust.failed" if any(item.truth is not None for item in plan.items) else "trust.failed_ungraded"
    texts = [say(key, count=reasons.total(), of=len(talks), reasons=say("opening.comma").join(parts))]
    for findings in conditions:
        row = pick_primary_row(plan, findings)
        if row and any(talk.run.failure for talk in findings.talks) and row.left_out.estimate.value is not None:
            texts.append(_name_condition(findings, conditions) + say("trust.left_out", figure=_format_gain(row)))
    return texts


def list_cost_sentences(plan: Plan, conditions: Sequence[Findings]) -> list[str]:
    """List what a deliberation and its comparison cost, and the gain at other amounts held equal."""
    say, texts = plan.translate, list[str]()
    for findings in conditions:
        row, spends = pick_primary_row(plan, findings), {arm.arm: arm.spent for arm in findings.arms}
        if row is None or row.arms[1] not in spends:
            continue
        talk, other = spends["talk"], spends[row.arms[1]]
        values = {"other": say(f"arms.{row.arms[1]}")}
        for prefix, spent in (("", talk), ("other_", other)):
            money = say("pictures.cost_money", amount=f"{spent.cost:,.3g}") if spent.cost else ""
            values[f"{prefix}money"] = say("opening.comma") + money if money else ""
            values |= {f"{prefix}calls": f"{spent.calls:,.1f}", f"{prefix}tokens": f"{spent.tokens:,.0f}"}
        texts.append(_name_condition(findings, conditions) + say("trust.cost", **values))
        for key in SPEND_KEYS if row.name == findings.net else ():
            gain = findings.find_gain_row(f"net_{key}")
            if gain and gain is not row and not findings.find_shortfall(gain.arms[1]):
                texts.append(say("facts.instead", measure=say(f"opening.{key}"), gain=_format_gain(gain, "wrong")))
    return texts


def _name_condition(findings: Findings, conditions: Sequence[Findings]) -> str:
    return findings.plan.translate("sentence.under", condition=findings.label, text="") if len(conditions) > 1 else ""


def _format_gain(row: GainRow, kind: Literal["wrong", "left_out"] = "left_out") -> str:
    estimate = getattr(row, kind).estimate
    return f"{format_points(estimate.value)}{format_interval(estimate)}"


def _describe_power(plan: Plan) -> str:
    graded_items = [item for item in plan.items if item.truth is not None and not item.control]
    if not plan.arms or not graded_items:
        return ""
    count = len(graded_items) // (len(list_conditions(plan)) if plan.assignment == "random" else 1)
    gain = compute_detectable_gain(
        count, repeats=plan.repeats, discordance=plan.detect.discordance, within_item=plan.detect.within_item
    )
    values = {"items": count, "repeats": plan.repeats, "discordance": f"{100 * plan.detect.discordance:g}"}
    if gain is None:
        return plan.translate("trust.no_power", **values)
    return plan.translate("trust.power", points=f"{100 * gain:.1f}", **values)


def list_trust_sentences(
    plan: Plan,
    experiment: SavedExperiment,
    runs: Sequence[ExperimentRun],
    conditions: Sequence[Findings],
    comparisons: Sequence[ConditionComparison],
) -> list[str]:
    """List the sentences on seal, failures, cost and design that limit what the figures show."""
    say, power = plan.translate, _describe_power(plan)
    texts = [
        format_seal_sentence(plan, experiment, plan.language),
        *([format_evidence(plan, collect_item_gains(plan, runs))] if plan.until else []),
        *list_failure_sentences(plan, runs, conditions),
        *list_cost_sentences(plan, conditions),
        *[power] * bool(power),
    ]
    talks, models = [run for run in runs if not run.planned.arm], Counter[str]()
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
