"""Reasons to doubt an experiment's answer, from its design and its records, one sentence each."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean, pstdev

from ...state import ANSWER_PURPOSE
from ...state.consensus import list_content_words
from ..display import get_label
from ..saved.experiments import SavedExperiment
from .arms import (
    SPEND_KEYS,
    Findings,
    GainRow,
    collect_answers,
    collect_item_gains,
    format_amount,
    format_evidence,
    split_arm,
)
from .comparisons import ConditionComparison
from .data import Document, ExperimentRun, list_documents
from .failures import FAILURES
from .measures import collect_gains, group_answers, measure_links
from .plan import Plan
from .planned_runs import REUSING_ARMS, SAMPLED_ARMS, list_conditions
from .seal import format_seal_sentence, is_exploratory
from .statistics import (
    SIGNIFICANCE_LEVEL,
    compute_detectable_gain,
    estimate_mean,
    format_gain,
    format_points,
)

COST_RATIO, SAME_SHARE, UNRELATED_SHARE, COMMON_SHARE, LENGTH_VARIATION = 1.1, 0.95, 0.1, 0.5, 0.05
"""Bounds from which a flaw is named.

The ratio of mean tokens at which two costs differ; the share of equal answers at which those of several conditions are
the same; the shares of statements without a word of their question and of an item's words that are common to all; and,
from there down, the standard deviation of the lengths of statements as a share of their mean.
"""

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
        suffix = "" if any(item.truth is not None for item in plan.items) else "_ungraded"
        texts = [say(f"trust.failed{suffix}", count=reasons.total(), of=len(talks), reasons=parts)]
    if primary_rows and reasons["not_begun"]:
        texts.append(say("trust.not_begun", count=reasons["not_begun"]))
    compared_arms = [arm for findings, row in primary_rows for arm in findings.arms if arm.arm == row.arms[1]]
    if primary_rows and (count := sum(arm.failed for arm in compared_arms)) != reasons.total():
        texts.append(say("trust.failed_others", count=count, arm=say(f"arms.{compared_arms[0].arm}")))
    texts += [
        findings.add_condition(say("trust.left_out", figure=format_gain(row.left_out.estimate)))
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
        texts.append(findings.add_condition(say("trust.cost", **values)))
        for key in SPEND_KEYS if row.name == findings.net else ():
            gain = findings.find_gain_row(f"net_{key}")
            if gain and gain.arms != row.arms and not findings.find_shortfall(gain.arms[1]):
                texts.append(say("facts.instead", measure=say(f"opening.{key}"), gain=format_gain(gain.wrong.estimate)))
    return texts


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
    spreads, parts = [("", "assumed", plan.detect.discordance)], list[str]()
    for findings, row in primary_rows:
        gains = collect_gains(findings.units, *row.arms).values()
        if spread := fmean([difference**2 for values in gains for difference in values] or [0.0]):
            spreads.append((findings.label, "observed", spread))
    tests = max(1, sum(row.wrong.adjusted_p is not None for _, row in primary_rows))
    for label, name, spread in spreads:
        gain = compute_detectable_gain(
            count,
            repeats=plan.repeats,
            discordance=spread,
            within_item=plan.detect.within_item,
            alpha=SIGNIFICANCE_LEVEL / tests,
        )
        least = plan.translate("trust.least" if gain else "trust.least_none", points=f"{100 * (gain or 0):.1f}")
        part = plan.translate(f"trust.if_{name}", least=least, share=f"{100 * spread:.3g}", spread=f"{spread:.3f}")
        parts.append(f"{part} ({label})" if label and len(primary_rows) > 1 else part)
    return plan.translate(
        "trust.power" if tests == 1 else "trust.power_shared",
        items=count,
        repeats=plan.repeats,
        alpha=f"{SIGNIFICANCE_LEVEL:g}",
        conditions=tests,
        parts=plan.translate("opening.between").join(parts),
    )


def list_trust_sentences(
    plan: Plan,
    experiment: SavedExperiment,
    runs: Sequence[ExperimentRun],
    conditions: Sequence[Findings],
    primary_rows: PrimaryRows,
    comparisons: Sequence[ConditionComparison],
) -> list[str]:
    """Return sentences on limits of the figures, those that rule out a conclusion first."""
    items = [item for item in plan.items if item.truth is not None]
    rights = [(item, right) for item in items for right in item.right_options]
    texts = {item.options[right] for item, right in rights} or {str(item.truth) for item in items}
    numbers = {[*item.options].index(right) + 1 for item, right in rights}
    has_options, is_swapped = bool(rights), "options" in plan.swap
    names = {"option_text": len(texts) == 1, "option_number": len(numbers) == 1 and not is_swapped}
    has_shortfall = any(findings.find_shortfall(row.arms[1]) for findings, row in primary_rows)
    notes = {
        "rerun": is_exploratory(plan, experiment) and not has_shortfall,
        "undeclared": not (plan.primary or plan.compare or plan.until),
        "no_arms": bool(items) and not plan.arms,
        "same_option": len(items) > 1 and any(names.values()),
        "no_facts": items and not plan.task and not any(item.material or item.private for item in items),
        "one_order": has_options and not is_swapped and len(numbers) > 1,
        "one_run": plan.repeats == 1 and len(plan.items) > 1 and not plan.swap,
        "one_item": len(plan.items) == 1 and plan.repeats > 1,
        "generated": bool(plan.task),
    }
    option = plan.translate("opening.comma").join(
        _fill_notes(plan, names, text=max(texts, default=""), number=max(numbers, default=0))
    )
    return [
        format_seal_sentence(plan, experiment, plan.language),
        *([format_evidence(plan, collect_item_gains(plan, runs))] if plan.until else []),
        *_list_text_sentences(plan, [run for run in runs if not run.planned.arm and run.document]),
        *_fill_notes(plan, notes, items=len(items), task=plan.task.get("task"), option=option),
        *_list_answer_sentences(plan, conditions),
        *filter(None, [_describe_power(plan, primary_rows)]),
        *_list_comparison_sentences(plan, conditions, primary_rows, comparisons),
        *_list_record_sentences(plan, list_documents([run for run in runs if not run.planned.arm])),
    ]


def _fill_notes(plan: Plan, notes: Mapping[str, object], **values: object) -> list[str]:
    return [plan.translate(f"trust.{name}", **values) for name, applies in notes.items() if applies]


def _list_answer_sentences(plan: Plan, conditions: Sequence[Findings]) -> list[str]:
    """List the sentences on answers that do not show what their arm is meant to show."""
    links, weak_arms = defaultdict[str, dict[str, str]](dict), dict[str, None]()
    for findings in conditions:
        for name, values in measure_links(findings.runs).items():
            estimate = estimate_mean(values)
            if estimate.low is not None and estimate.low <= 0:
                links[name][findings.label] = format_gain(estimate)
        weak_arms |= {
            arm.arm: None
            for arm in findings.arms
            if arm.as_wrong.low is not None and arm.as_wrong.low <= (plan.chance or 0.0)
        }
    splits = [
        len(group_answers(history.list_answers(-1), history.tolerance)) > 1
        for findings in conditions
        for history in findings.runs
    ]
    return _fill_notes(
        plan,
        {
            "no_links": links,
            "by_chance": plan.chance and weak_arms,
            "not_unanimous": any(splits),
        },
        parts=plan.translate("opening.between").join(
            plan.translate(f"trust.link_{name}", figures=_join_figures(plan, figures))
            for name, figures in links.items()
        ),
        chance=f"{100 * (plan.chance or 0.0):.3g}",
        arms=plan.translate("opening.comma").join(plan.translate(f"arms.{arm}") for arm in weak_arms),
        splits=sum(splits),
        of=len(splits),
    )


def _list_text_sentences(plan: Plan, talks: Sequence[ExperimentRun]) -> list[str]:
    """List the sentences on the statements, the items and the teams of the talks."""
    comma, texts_by_item, teams, orders = (
        plan.translate("opening.comma"),
        defaultdict[str, list[str]](list),
        set(),
        set(),
    )
    for talk in talks:
        lines = list(zip(talk.record["turns"], talk.record["course"], strict=True))
        seats = {seat["name"]: (seat["name"], seat["persona"], seat["model"]) for seat in talk.participants}
        texts_by_item[talk.planned.item.id] += [turn["content"] for turn, _ in lines if turn["speakerId"] in seats]
        teams.add(tuple(seats.values()))
        orders.add(tuple(turn["speakerId"] for turn, line in lines if line["round"] == 1))
    questions = {
        item.id: list_content_words(
            "\n".join([item.topic, item.material, *item.options.values(), *item.private.values()])
        )
        for item in plan.items
    }
    pairs = [(text, questions[item]) for item, texts in texts_by_item.items() for text in texts if questions[item]]
    unrelated = fmean(list_content_words(text).isdisjoint(words) for text, words in pairs) if pairs else 0.0
    lengths = [len(text) for texts in texts_by_item.values() for text in texts] or [0]
    uses = Counter(text for texts in texts_by_item.values() for text in set(texts))
    repeated = sum(uses[text] > 1 for texts in texts_by_item.values() for text in texts) / len(lengths)
    statement_parts = _fill_notes(
        plan,
        {
            "unrelated": unrelated >= UNRELATED_SHARE,
            "same_length": len(lengths) > 1 and pstdev(lengths) < LENGTH_VARIATION * fmean(lengths),
            "same_text": repeated,
        },
        unrelated=f"{100 * unrelated:.0f}",
        least=min(lengths),
        most=max(lengths),
        repeated=f"{100 * repeated:.0f}",
    )
    wordings = {re.sub(r"\d+", "", item.topic) for item in plan.items}
    word_sets = [words for item in plan.items if (words := list_content_words(item.topic))] or [frozenset("")]
    common = fmean(len(frozenset.intersection(*word_sets)) / max(1, len(words)) for words in word_sets)
    return _fill_notes(
        plan,
        {
            "statements": statement_parts,
            "one_template": len(word_sets) > 2
            and not plan.task
            and (common >= COMMON_SHARE or 3 * len(wordings) <= len(word_sets)),
            "one_team": len(talks) > 1 and len(teams) == 1,
        },
        parts=comma.join(statement_parts),
        items=len(plan.items),
        wordings=len(wordings),
        common=f"{100 * common:.0f}",
        order=plan.translate("trust.one_order_of", order=comma.join(*orders)) if len(orders) == 1 else "",
    )


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
    side_calls = [
        call
        for document in talks
        for call in document["calls"]
        if call["purpose"] == "position"
        or (call["purpose"], call["turn"]) == (ANSWER_PURPOSE, 0)
        or (
            call["purpose"] == "synthesis"
            and (document.get("runAnswer") or {}).get("by", "synthesizer") != "synthesizer"
        )
    ]
    has_limits = bool(talks) and all((document["basis"] or {}).get("kind") == "cap" for document in talks)
    can_end = any(document["settings"].get("dynamic_termination") for document in talks)
    side_tokens = sum(call["input_tokens"] + call["output_tokens"] for call in side_calls)
    cached_share = sum(call["cached_tokens"] for call in calls) / max(1, sum(call["input_tokens"] for call in calls))
    return _fill_notes(
        plan,
        {
            "costs_differ": len(costs) > 1 and max(costs.values()) > COST_RATIO * min(costs.values()),
            "stages_differ": stages,
            "one_round": brief_labels,
            "asked_before": any((call["purpose"], call["turn"]) == (ANSWER_PURPOSE, 0) for call in calls),
            "side_calls": side_calls and {*SAMPLED_ARMS} & {*plan.arms},
            "cached": any(call["cached_tokens"] for call in calls),
            "limits": has_limits and can_end,
            "no_stop": has_limits and not can_end,
            "repeated": repeats,
            "one_model": len(models) == 1,
        },
        costs=comma.join(f"{label} {count:,.0f}" for label, count in costs.items()),
        stages=comma.join(stages),
        labels=f" ({comma.join(brief_labels)})" if len(brief_labels) < len(costs) else "",
        side_calls=f"{100 * len(side_calls) / max(1, len(calls)):.0f}",
        side_tokens=f"{100 * side_tokens / max(1, sum(document['totalTokens'] for document in talks)):.0f}",
        steps=comma.join(
            plan.translate("trust.first_answers")
            if purpose == ANSWER_PURPOSE
            else get_label(plan.language, "stages", purpose)
            for purpose in dict.fromkeys(call["purpose"] for call in side_calls)
        ),
        cached=f"{100 * cached_share:.0f}",
        talks=len(talks),
        repeated=repeats.total(),
        calls_made=f"{len(calls):,}",
        parts=comma.join(f"{name} {count}" for name, count in repeats.items()),
        model=next(iter(models), ""),
    )


def _list_comparison_sentences(
    plan: Plan, conditions: Sequence[Findings], primary_rows: PrimaryRows, comparisons: Sequence[ConditionComparison]
) -> list[str]:
    """Return sentences about what the comparisons of arms leave open."""
    comma, tie_gains, tie_count = plan.translate("opening.comma"), dict[str, str](), 0
    adjusted_p_values = [row.wrong.adjusted_p for _, row in primary_rows if row.wrong.adjusted_p is not None]
    factors, needed_samples, even_count, intervals, margins = dict[str, float](), [0], 0, list[str](), dict[str, str]()
    level = 1 - SIGNIFICANCE_LEVEL / max(1, len(adjusted_p_values))
    for findings, row in primary_rows:
        arm_rows = {arm.arm: arm for arm in findings.arms}
        talk, other = arm_rows["talk"], arm_rows[row.arms[1]]
        if split_arm(other.arm)[1] == "calls" and other.spent.tokens:
            factors[findings.label] = talk.spent.tokens / other.spent.tokens
            shortfall = findings.find_shortfall(other.arm.replace("_calls", "_tokens"))
            needed_samples.append(shortfall.samples if shortfall else 0)
        tie_count += sum(not {*row.arms}.isdisjoint(unit.ties) for unit in findings.units)
        even_count += sum(
            answer.spent.calls % 2 == 0
            for talk in findings.talks
            if other.tied and split_arm(other.arm)[0] in SAMPLED_ARMS
            if (answer := collect_answers(talk, plan.arms).get(other.arm))
        )
        intervals.append(format_gain(estimate_mean(collect_gains(findings.units, *row.arms), level)))
        high, value = (
            (equality.interval.high, equality.interval.value) if (equality := row.wrong.equivalence) else (None, None)
        )
        if high is not None and value is not None and high - value > (plan.margin or 0):
            margins[findings.label] = f"{100 * (high - value):.1f}"
        gains = [collect_gains(findings.units, *row.arms, rule) for rule in ("ties lost", "ties won")]
        tie_gains[findings.label] = " – ".join(format_points(estimate_mean(gain).value or 0) for gain in gains)
    arms = dict.fromkeys(arm.arm for findings in conditions for arm in findings.arms)
    shared_arms = [arm for arm in arms if arm in ("single", "vote", "noise", *REUSING_ARMS)]
    all_gains = [gain for findings in conditions for gain in findings.gains]
    mixed_names = dict.fromkeys(gain.name for gain in all_gains if len({"single", "vote", "talk"} & {*gain.arms}) == 1)
    tests = [test for test in (*(row.wrong for row in all_gains), *(row.wrong for row in comparisons)) if test.p]
    adjusted_p_list = [*(row.adjusted_p for row in all_gains), *(row.wrong.adjusted_p for row in comparisons)]
    other_count = (
        len(tests)
        - sum(p is not None for p in adjusted_p_list)
        - (len(primary_rows) if plan.primary or adjusted_p_values else 0)
    )
    same_parts = [
        plan.translate(f"trust.same_{name}", share=f"{100 * share:.0f}")
        for name, share in _compute_same_shares(conditions).items()
        if share >= SAME_SHARE
    ]
    return _fill_notes(
        plan,
        {
            "fall": any(gain.adjusted_p is not None for gain in all_gains),
            "tokens_differ": max(factors.values(), default=0) > COST_RATIO,
            "equal_tokens": max(needed_samples),
            "ties": tie_count > 0,
            "even_samples": even_count,
            "margin": margins,
            "no_baseline": "alone" not in plan.arms and any(findings.flips for findings in conditions),
            "no_writing": "written" not in plan.arms and bool(primary_rows),
            "two_prompts": mixed_names,
            "paid_once": shared_arms,
            "uncorrected": other_count > 0,
            "many": adjusted_p_values,
            "shared": same_parts,
        },
        factor=_join_figures(plan, {label: f"{factor:.1f}" for label, factor in factors.items()}),
        samples=max(needed_samples),
        ties=tie_count,
        of=sum(len(findings.units) for findings, _ in primary_rows),
        gains=_join_figures(plan, tie_gains),
        names=comma.join(mixed_names),
        arms=comma.join(plan.translate(f"arms.{arm}") for arm in shared_arms),
        all=len(tests),
        tests=other_count,
        conditions=len(conditions),
        ps=comma.join(f"{p:.3f}" for p in adjusted_p_values),
        even=even_count,
        margins=_join_figures(plan, margins),
        margin=f"{100 * (plan.margin or 0):g}",
        level=f"{100 * level:.3g}",
        intervals=plan.translate("opening.between").join(intervals),
        parts=comma.join(same_parts),
    )


def _compute_same_shares(conditions: Sequence[Findings]) -> dict[str, float]:
    """Return the shares of first answers and of samples that are the same under every condition."""
    answers = defaultdict[str, dict[tuple[object, ...], list[str]]](dict)
    for talk in [talk for findings in conditions for talk in findings.talks]:
        unit = talk.run.planned.item.id, talk.run.planned.repeat, talk.run.planned.swap
        for position in talk.list_blind_positions():
            answers["first"].setdefault((*unit, position["who"]), []).append(position["answer"])
        for number, sample in enumerate(talk.list_samples()):
            answers["samples"].setdefault((*unit, number), []).append(str(sample.winners))
    matches = {
        name: [len({*answers}) == 1 for answers in groups.values() if len(answers) > 1]
        for name, groups in answers.items()
    }
    return {name: fmean(equals) for name, equals in matches.items() if equals}
