"""Reasons to doubt an experiment's answer, from its design and its record, one sentence each."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Literal

from ..display import get_label
from ..saved.experiments import SavedExperiment
from .arms import (
    SPEND_KEYS,
    Findings,
    GainRow,
    collect_item_gains,
    format_amount,
    format_evidence,
    list_primary_rows,
    split_arm,
)
from .data import Document, ExperimentRun, list_documents
from .failures import FAILURES
from .measures import collect_gains
from .plan import Plan
from .planned_runs import REUSING_ARMS, list_conditions
from .seal import format_seal_sentence
from .statistics import compute_detectable_gain, format_interval, format_points

COST_RATIO = 1.1
"""Ratio of mean tokens from which two costs count as different."""


def list_failure_sentences(plan: Plan, runs: Sequence[ExperimentRun], conditions: Sequence[Findings]) -> list[str]:
    """List the sentences on failed deliberations and on the difference without them."""
    say, talks = plan.translate, [run for run in runs if not run.planned.arm]
    reasons = Counter(run.failure for run in talks if run.failure)
    if not reasons:
        return []
    names = {
        name: say(f"flow.failed_{name}").replace("：", ": ").partition(": ")[2] for name in FAILURES if reasons[name]
    }
    parts = [f"{text} {reasons[name]}" for name, text in names.items()]
    key = "trust.failed" if any(item.truth is not None for item in plan.items) else "trust.failed_ungraded"
    texts = [say(key, count=reasons.total(), of=len(talks), reasons=say("opening.comma").join(parts))]
    for findings, row in list_primary_rows(plan, conditions):
        if any(talk.run.failure for talk in findings.talks) and row.left_out.estimate.value is not None:
            texts.append(_name_condition(findings, conditions) + say("trust.left_out", figure=_format_gain(row)))
    return texts


def list_cost_sentences(plan: Plan, conditions: Sequence[Findings]) -> list[str]:
    """List what a deliberation and its comparison cost, and the gain at other amounts held equal."""
    say, texts = plan.translate, list[str]()
    for findings, row in list_primary_rows(plan, conditions):
        spends, values = {arm.arm: arm.spent for arm in findings.arms}, {"other": say(f"arms.{row.arms[1]}")}
        for prefix, arm in (("", "talk"), ("other_", row.arms[1])):
            spent = spends[arm]
            money = say("opening.comma") + format_amount(plan, spent, "money") if spent.cost else ""
            figures = {"calls": f"{spent.calls:,.1f}", "tokens": f"{spent.tokens:,.0f}", "money": money}
            values |= {f"{prefix}{key}": figure for key, figure in figures.items()}
        texts.append(_name_condition(findings, conditions) + say("trust.cost", **values))
        for key in SPEND_KEYS if row.name == findings.net else ():
            gain = findings.find_gain_row(f"net_{key}")
            if gain and gain.arms != row.arms and not findings.find_shortfall(gain.arms[1]):
                texts.append(say("facts.instead", measure=say(f"opening.{key}"), gain=_format_gain(gain, "wrong")))
    return texts


def _name_condition(findings: Findings, conditions: Sequence[Findings]) -> str:
    return findings.plan.translate("sentence.under", condition=findings.label, text="") if len(conditions) > 1 else ""


def _format_gain(row: GainRow, kind: Literal["wrong", "left_out"] = "left_out") -> str:
    estimate = getattr(row, kind).estimate
    return f"{format_points(estimate.value)}{format_interval(estimate)}"


def _describe_power(plan: Plan, conditions: Sequence[Findings]) -> str:
    graded_items = [item for item in plan.items if item.truth is not None and not item.control]
    if not plan.arms or not graded_items:
        return ""
    count = len(graded_items) // (len(list_conditions(plan)) if plan.assignment == "random" else 1)
    gain = compute_detectable_gain(
        count, repeats=plan.repeats, discordance=plan.detect.discordance, within_item=plan.detect.within_item
    )
    gains = [collect_gains(findings.units, *row.arms).values() for findings, row in list_primary_rows(plan, conditions)]
    changes = [float(difference != 0) for values_by_item in gains for values in values_by_item for difference in values]
    observed = plan.translate("trust.observed", share=f"{100 * fmean(changes):.0f}") if changes else ""
    return plan.translate(
        "trust.no_power" if gain is None else "trust.power",
        points=f"{100 * (gain or 0):.1f}",
        items=count,
        repeats=plan.repeats,
        discordance=f"{100 * plan.detect.discordance:g}",
        observed=observed,
    )


def list_trust_sentences(
    plan: Plan,
    experiment: SavedExperiment,
    runs: Sequence[ExperimentRun],
    conditions: Sequence[Findings],
) -> list[str]:
    """List the sentences on seal, failures, cost and design that limit what the figures show."""
    items, has_plan = [item for item in plan.items if item.options and item.truth is not None], bool(plan.compare)
    first_count = sum(next(iter(item.options)) in item.right_options for item in items)
    notes = {
        "undeclared": not (plan.primary or has_plan or plan.until),
        "no_arms": bool(items) and not plan.arms,
        "first_option": len(items) > 1 and first_count == len(items) and "options" not in plan.swap,
        "one_order": bool(items) and "options" not in plan.swap and first_count < len(items),
        "one_run": plan.repeats == 1 and len(plan.items) > 1,
        "one_item": len(plan.items) == 1 and plan.repeats > 1,
        "generated": bool(plan.task),
    }
    return [
        format_seal_sentence(plan, experiment, plan.language),
        *([format_evidence(plan, collect_item_gains(plan, runs))] if plan.until else []),
        *list_failure_sentences(plan, runs, conditions),
        *list_cost_sentences(plan, conditions),
        *filter(None, [_describe_power(plan, conditions)]),
        *_list_comparison_sentences(plan, conditions),
        *_list_record_sentences(plan, list_documents([run for run in runs if not run.planned.arm])),
        *_fill_notes(plan, notes, items=len(items), task=plan.task.get("task")),
    ]


def _fill_notes(plan: Plan, notes: Mapping[str, object], **values: object) -> list[str]:
    return [plan.translate(f"trust.{name}", **values) for name, applies in notes.items() if applies]


def _list_record_sentences(plan: Plan, talks: Sequence[Document]) -> list[str]:
    """List the sentences on the costs, endings, attempts and models that the records of the talks show."""
    comma, calls = plan.translate("opening.comma"), [call for document in talks for call in document["calls"]]
    labels, models = dict.fromkeys(document["condition"] for document in talks), {call["model"] for call in calls}
    costs = {
        label: fmean(document["totalTokens"] for document in talks if document["condition"] == label)
        for label in labels
    }
    repeats = Counter(get_label(plan.language, "stages", call["purpose"]) for call in calls if call["attempt"] > 1)
    notes = {
        "costs_differ": len(costs) > 1 and max(costs.values()) > COST_RATIO * min(costs.values()),
        "limits": bool(talks) and all((document["basis"] or {}).get("kind") == "cap" for document in talks),
        "repeated": repeats,
        "one_model": len(models) == 1,
    }
    return _fill_notes(
        plan,
        notes,
        costs=comma.join(f"{label} {count:,.0f}" for label, count in costs.items()),
        talks=len(talks),
        repeated=repeats.total(),
        calls_made=f"{len(calls):,}",
        parts=comma.join(f"{name} {count}" for name, count in repeats.items()),
        model=next(iter(models), ""),
    )


def _list_comparison_sentences(plan: Plan, conditions: Sequence[Findings]) -> list[str]:
    """List the sentences on what the comparisons of arms leave open."""
    comma, primary_rows = plan.translate("opening.comma"), list_primary_rows(plan, conditions)
    adjusted_p_values = [row.wrong.adjusted_p for _, row in primary_rows if row.wrong.adjusted_p is not None]
    factors, tie_count, talk_count = dict[str, float](), 0, 0
    for findings, row in primary_rows:
        arm_rows = {arm.arm: arm for arm in findings.arms}
        talk, other = arm_rows["talk"], arm_rows[row.arms[1]]
        if split_arm(other.arm)[1] == "calls" and other.spent.tokens:
            factors[findings.label] = talk.spent.tokens / other.spent.tokens
        tie_count, talk_count = tie_count + other.tied, talk_count + len(findings.talks)
    arms = dict.fromkeys(arm.arm for findings in conditions for arm in findings.arms)
    shared_arms = [arm for arm in arms if arm in ("single", "vote", "noise", *REUSING_ARMS)]
    gains = [gain for findings in conditions for gain in findings.gains]
    mixed_names = dict.fromkeys(gain.name for gain in gains if len({"single", "vote", "talk"} & {*gain.arms}) == 1)
    test_count = sum(gain.wrong.p is not None and gain.adjusted_p is None for gain in gains)
    test_count -= len(primary_rows) if plan.primary or adjusted_p_values else 0
    same_share = _compute_same_share(conditions)
    notes = {
        "fall": any(gain.adjusted_p is not None for gain in gains),
        "tokens_differ": max(factors.values(), default=0) > COST_RATIO,
        "ties": tie_count > 0,
        "no_baseline": "alone" not in plan.arms and any(findings.flips for findings in conditions),
        "two_prompts": mixed_names,
        "paid_once": shared_arms,
        "uncorrected": test_count > 0,
        "many": adjusted_p_values,
        "shared": same_share > 0.5,
    }
    return _fill_notes(
        plan,
        notes,
        factor=comma.join(f"{factor:.1f}" + f" ({label})" * (len(factors) > 1) for label, factor in factors.items()),
        ties=tie_count,
        of=talk_count,
        names=comma.join(mixed_names),
        arms=comma.join(plan.translate(f"arms.{arm}") for arm in shared_arms),
        tests=test_count,
        conditions=len(adjusted_p_values),
        ps=comma.join(f"{p:.3f}" for p in adjusted_p_values),
        share=f"{100 * same_share:.0f}",
    )


def _compute_same_share(conditions: Sequence[Findings]) -> float:
    """Return the share of first answers that are the same under every condition; 0 with one condition."""
    first_answers = defaultdict[tuple[object, ...], list[str]](list)
    for talk in [talk for findings in conditions for talk in findings.talks]:
        run = talk.run.planned
        for position in talk.list_blind_positions():
            first_answers[run.item.id, run.repeat, run.swap, position["who"]].append(position["answer"])
    matches = [len(set(answers)) == 1 for answers in first_answers.values() if len(answers) > 1]
    return fmean(matches) if matches else 0.0
