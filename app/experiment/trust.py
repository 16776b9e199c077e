"""Reasons to doubt an experiment's answer, from its design and its records, one sentence each."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Literal

from ...state import ANSWER_PURPOSE
from ..display import get_label
from ..saved.experiments import SavedExperiment
from .arms import (
    SPEND_KEYS,
    Findings,
    GainRow,
    collect_item_gains,
    format_amount,
    format_evidence,
    split_arm,
)
from .data import Document, ExperimentRun, list_documents
from .failures import FAILURES
from .measures import collect_gains
from .plan import Plan
from .planned_runs import REUSING_ARMS, SAMPLED_ARMS, list_conditions
from .seal import format_seal_sentence, is_exploratory
from .statistics import compute_detectable_gain, estimate_mean, format_interval, format_points

COST_RATIO = 1.1
"""Ratio of mean tokens from which two costs count as different."""
SAME_SHARE = 0.95
"""Share of equal answers from which the answers of several conditions count as the same."""

PrimaryRows = Sequence[tuple[Findings, GainRow]]
"""Primary comparison of each condition that has one, corrected over the conditions."""


def list_failure_sentences(plan: Plan, runs: Sequence[ExperimentRun], primary_rows: PrimaryRows) -> list[str]:
    """Return sentences about failed deliberations, the difference without them, and recorded faults."""
    say, talks, comma = plan.translate, [run for run in runs if not run.planned.arm], plan.translate("opening.comma")
    reasons = Counter(run.failure for run in talks if run.failure)
    texts = [say("facts.none_failed", count=len(talks))]
    if reasons:
        parts = comma.join(
            f"{say(f'flow.failed_{name}').replace('：', ': ').partition(': ')[2]} {reasons[name]}"
            for name in FAILURES
            if reasons[name]
        )
        key = "trust.failed" if any(item.truth is not None for item in plan.items) else "trust.failed_ungraded"
        texts = [say(key, count=reasons.total(), of=len(talks), reasons=parts)]
    if primary_rows and reasons["not_begun"]:
        texts.append(say("trust.not_begun", count=reasons["not_begun"]))
    compared_arms = [arm for findings, row in primary_rows for arm in findings.arms if arm.arm == row.arms[1]]
    if primary_rows and (count := sum(arm.failed for arm in compared_arms)) != reasons.total():
        texts.append(say("trust.failed_others", count=count, arm=say(f"arms.{compared_arms[0].arm}")))
    texts += [
        _name_condition(findings) + say("trust.left_out", figure=_format_gain(row))
        for findings, row in primary_rows
        if any(talk.run.failure for talk in findings.talks) and row.left_out.estimate.value is not None
    ]
    documents = list_documents(runs)
    faults = Counter(
        tuple(
            get_label(plan.language, section, incident[key])
            for section, key in (("stages", "where"), ("kinds", "kind"), ("consequences", "consequence"))
        )
        for document in documents
        for incident in document["incidents"]
        if incident["consequence"] != "asked again"
    )
    parts = comma.join(
        say("facts.fault", where=step, kind=kind, then=consequence, count=count)
        for (step, kind, consequence), count in faults.items()
    )
    return [*texts, *([say("facts.faults", of=len(documents), parts=parts)] if faults else [])]


def list_cost_sentences(plan: Plan, primary_rows: PrimaryRows) -> list[str]:
    """Return sentences about the cost of a deliberation and of its comparison, and gains at other costs."""
    say, texts = plan.translate, list[str]()
    for findings, row in primary_rows:
        spends, values = {arm.arm: arm.spent for arm in findings.arms}, {"other": say(f"arms.{row.arms[1]}")}
        for prefix, arm in (("", "talk"), ("other_", row.arms[1])):
            spent = spends[arm]
            money = say("opening.comma") + format_amount(plan, spent, "money") if spent.cost else ""
            figures = {"calls": f"{spent.calls:,.1f}", "tokens": f"{spent.tokens:,.0f}", "money": money}
            values |= {f"{prefix}{key}": figure for key, figure in figures.items()}
        texts.append(_name_condition(findings) + say("trust.cost", **values))
        for key in SPEND_KEYS if row.name == findings.net else ():
            gain = findings.find_gain_row(f"net_{key}")
            if gain and gain.arms != row.arms and not findings.find_shortfall(gain.arms[1]):
                texts.append(say("facts.instead", measure=say(f"opening.{key}"), gain=_format_gain(gain, "wrong")))
    return texts


def _name_condition(findings: Findings) -> str:
    plan = findings.plan
    has_several = len(list_conditions(plan)) > 1
    return plan.translate("sentence.under", condition=findings.label, text="") if has_several else ""


def _format_gain(row: GainRow, kind: Literal["wrong", "left_out"] = "left_out") -> str:
    estimate = getattr(row, kind).estimate
    return f"{format_points(estimate.value)}{format_interval(estimate)}"


def _join_figures(plan: Plan, figures: Mapping[str, str]) -> str:
    """Join the figures of several conditions to a text, each with its condition.

    `figures`: figures by condition; a single one stands alone.
    """
    has_several = len(list_conditions(plan)) > 1
    return plan.translate("opening.comma").join(
        f"{figure} ({label})" if has_several else figure for label, figure in figures.items()
    )


def _describe_power(plan: Plan, primary_rows: PrimaryRows) -> str:
    graded_items = [item for item in plan.items if item.truth is not None and not item.control]
    if not plan.arms or not graded_items:
        return ""
    count = len(graded_items) // (len(list_conditions(plan)) if plan.assignment == "random" else 1)
    gains = [collect_gains(findings.units, *row.arms).values() for findings, row in primary_rows]
    changes = [float(difference != 0) for values_by_item in gains for values in values_by_item for difference in values]
    shares, parts = {"assumed": plan.detect.discordance}, list[str]()
    if any(changes):
        shares["observed"] = fmean(changes)
    for name, share in shares.items():
        gain = compute_detectable_gain(
            count, repeats=plan.repeats, discordance=share, within_item=plan.detect.within_item
        )
        least = plan.translate("trust.least" if gain else "trust.least_none", points=f"{100 * (gain or 0):.1f}")
        parts.append(plan.translate(f"trust.if_{name}", least=least, share=f"{100 * share:.3g}"))
    text = plan.translate("opening.between").join(parts)
    return plan.translate("trust.power", items=count, repeats=plan.repeats, parts=text)


def list_trust_sentences(
    plan: Plan,
    experiment: SavedExperiment,
    runs: Sequence[ExperimentRun],
    conditions: Sequence[Findings],
    primary_rows: PrimaryRows,
) -> list[str]:
    """Return sentences about limits of the seal and the design on what the figures show."""
    items = [item for item in plan.items if item.truth is not None]
    rights = [(item, right) for item in items for right in item.right_options]
    texts = {item.options[right] for item, right in rights} or {str(item.truth) for item in items}
    numbers = {[*item.options].index(right) + 1 for item, right in rights}
    has_options, is_swapped = bool(rights), "options" in plan.swap
    key = "option_text" if len(texts) == 1 else "option_number"
    is_same = len(texts) == 1 or (has_options and len(numbers) == 1 and not is_swapped)
    has_shortfall = any(findings.find_shortfall(row.arms[1]) for findings, row in primary_rows)
    notes = {
        "rerun": is_exploratory(plan, experiment) and not has_shortfall,
        "undeclared": not (plan.primary or plan.compare or plan.until),
        "no_arms": bool(items) and not plan.arms,
        "same_option": len(items) > 1 and is_same,
        "one_order": has_options and not is_swapped and len(numbers) > 1,
        "one_run": plan.repeats == 1 and len(plan.items) > 1 and not plan.swap,
        "one_item": len(plan.items) == 1 and plan.repeats > 1,
        "generated": bool(plan.task),
    }
    option = plan.translate(f"trust.{key}", text=max(texts, default=""), number=max(numbers, default=0))
    return [
        format_seal_sentence(plan, experiment, plan.language),
        *([format_evidence(plan, collect_item_gains(plan, runs))] if plan.until else []),
        *filter(None, [_describe_power(plan, primary_rows)]),
        *_list_comparison_sentences(plan, conditions, primary_rows),
        *_list_record_sentences(plan, list_documents([run for run in runs if not run.planned.arm])),
        *_fill_notes(plan, notes, items=len(items), task=plan.task.get("task"), option=option),
    ]


def _fill_notes(plan: Plan, notes: Mapping[str, object], **values: object) -> list[str]:
    return [plan.translate(f"trust.{name}", **values) for name, applies in notes.items() if applies]


def _list_record_sentences(plan: Plan, talks: Sequence[Document]) -> list[str]:
    """Return sentences about costs, steps, endings, attempts and models in the records of deliberations."""
    comma, calls = plan.translate("opening.comma"), [call for document in talks for call in document["calls"]]
    models, groups = {call["model"] for call in calls}, defaultdict[str, list[Document]](list)
    for document in talks:
        groups[document["condition"]].append(document)
    costs = {label: fmean(document["totalTokens"] for document in group) for label, group in groups.items()}
    purposes = {label: {call["purpose"] for talk in group for call in talk["calls"]} for label, group in groups.items()}
    stages = [
        f"{get_label(plan.language, 'stages', purpose)} ({label})"
        for label, own_purposes in purposes.items()
        for purpose in sorted(own_purposes.difference(set.intersection(*purposes.values())))
    ]
    brief_labels = [
        label
        for label, group in groups.items()
        if {line["round"] for talk in group for line in talk["course"]} == {1}
        and all(talk["settings"].get("blind_first_round") for talk in group)
    ]
    repeats = Counter(get_label(plan.language, "stages", call["purpose"]) for call in calls if call["attempt"] > 1)
    late_calls = [
        call
        for document in talks
        if (document.get("runAnswer") or {"by": "synthesizer"})["by"] != "synthesizer"
        for call in document["calls"]
        if call["purpose"] == "synthesis"
    ]
    has_limits = bool(talks) and all((document["basis"] or {}).get("kind") == "cap" for document in talks)
    can_end = any(document["settings"].get("dynamic_termination") for document in talks)
    notes = {
        "costs_differ": len(costs) > 1 and max(costs.values()) > COST_RATIO * min(costs.values()),
        "stages_differ": stages,
        "one_round": brief_labels,
        "asked_before": any((call["purpose"], call["turn"]) == (ANSWER_PURPOSE, 0) for call in calls),
        "afterwards": late_calls and {*SAMPLED_ARMS} & {*plan.arms},
        "limits": has_limits and can_end,
        "no_stop": has_limits and not can_end,
        "repeated": repeats,
        "one_model": len(models) == 1,
    }
    tokens = sum(call["input_tokens"] + call["output_tokens"] for call in late_calls)
    return _fill_notes(
        plan,
        notes,
        costs=comma.join(f"{label} {count:,.0f}" for label, count in costs.items()),
        stages=comma.join(stages),
        labels=f" ({comma.join(brief_labels)})" if len(brief_labels) < len(costs) else "",
        late_calls=f"{100 * len(late_calls) / max(1, len(calls)):.0f}",
        late_tokens=f"{100 * tokens / max(1, sum(document['totalTokens'] for document in talks)):.0f}",
        talks=len(talks),
        repeated=repeats.total(),
        calls_made=f"{len(calls):,}",
        parts=comma.join(f"{name} {count}" for name, count in repeats.items()),
        model=next(iter(models), ""),
    )


def _list_comparison_sentences(plan: Plan, conditions: Sequence[Findings], primary_rows: PrimaryRows) -> list[str]:
    """Return sentences about what the comparisons of arms leave open."""
    comma, tie_gains, tie_count = plan.translate("opening.comma"), dict[str, str](), 0
    adjusted_p_values = [row.wrong.adjusted_p for _, row in primary_rows if row.wrong.adjusted_p is not None]
    factors, needed_samples = dict[str, float](), [0]
    for findings, row in primary_rows:
        arm_rows = {arm.arm: arm for arm in findings.arms}
        talk, other = arm_rows["talk"], arm_rows[row.arms[1]]
        if split_arm(other.arm)[1] == "calls" and other.spent.tokens:
            factors[findings.label] = talk.spent.tokens / other.spent.tokens
            shortfall = findings.find_shortfall(other.arm.replace("_calls", "_tokens"))
            needed_samples.append(shortfall.samples if shortfall else 0)
        tie_count += sum(not {*row.arms}.isdisjoint(unit.ties) for unit in findings.units)
        gains = [collect_gains(findings.units, *row.arms, rule) for rule in ("ties lost", "ties won")]
        tie_gains[findings.label] = " – ".join(format_points(estimate_mean(gain).value or 0) for gain in gains)
    arms = dict.fromkeys(arm.arm for findings in conditions for arm in findings.arms)
    shared_arms = [arm for arm in arms if arm in ("single", "vote", "noise", *REUSING_ARMS)]
    all_gains = [gain for findings in conditions for gain in findings.gains]
    mixed_names = dict.fromkeys(gain.name for gain in all_gains if len({"single", "vote", "talk"} & {*gain.arms}) == 1)
    test_count = sum(gain.wrong.p is not None and gain.adjusted_p is None for gain in all_gains)
    test_count -= len(primary_rows) if plan.primary or adjusted_p_values else 0
    same_parts = [
        plan.translate(f"trust.same_{name}", share=f"{100 * share:.0f}")
        for name, share in _compute_same_shares(conditions).items()
        if share >= SAME_SHARE
    ]
    notes = {
        "fall": any(gain.adjusted_p is not None for gain in all_gains),
        "tokens_differ": max(factors.values(), default=0) > COST_RATIO,
        "equal_tokens": max(needed_samples),
        "ties": tie_count > 0,
        "no_baseline": "alone" not in plan.arms and any(findings.flips for findings in conditions),
        "no_writing": "written" not in plan.arms and bool(primary_rows),
        "two_prompts": mixed_names,
        "paid_once": shared_arms,
        "uncorrected": test_count > 0,
        "many": adjusted_p_values,
        "shared": same_parts,
    }
    return _fill_notes(
        plan,
        notes,
        factor=_join_figures(plan, {label: f"{factor:.1f}" for label, factor in factors.items()}),
        samples=max(needed_samples),
        ties=tie_count,
        of=sum(len(findings.units) for findings, _ in primary_rows),
        gains=_join_figures(plan, tie_gains),
        names=comma.join(mixed_names),
        arms=comma.join(plan.translate(f"arms.{arm}") for arm in shared_arms),
        tests=test_count,
        conditions=len(conditions),
        ps=comma.join(f"{p:.3f}" for p in adjusted_p_values),
        parts=comma.join(same_parts),
    )


def _compute_same_shares(conditions: Sequence[Findings]) -> dict[str, float]:
    """Return the shares of first answers and of samples that are the same under every condition."""
    answers = defaultdict[str, dict[tuple[object, ...], list[str]]](dict)
    for talk in [talk for findings in conditions for talk in findings.talks]:
        run = talk.run.planned
        unit = run.item.id, run.repeat, run.swap
        for position in talk.list_blind_positions():
            answers["first"].setdefault((*unit, position["who"]), []).append(position["answer"])
        for number, sample in enumerate(talk.list_samples()):
            answers["samples"].setdefault((*unit, number), []).append(str(sample.winners))
    matches = {
        name: [len({*answers}) == 1 for answers in groups.values() if len(answers) > 1]
        for name, groups in answers.items()
    }
    return {name: fmean(equals) for name, equals in matches.items() if equals}
