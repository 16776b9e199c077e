"""First sentence of the report: whether deliberation helped, against which arm, how certain it is."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from .. import FAILURES, PRIMARY_ARMS, ExperimentProgress, Plan
from ..measures import MECHANISMS, Spend, SpendKey
from ..statistics import (
    NO_BREAK,
    SIGNIFICANCE_LEVEL,
    adjust_p_values,
    compute_bounds,
    compute_lower_bound,
    estimate_mean,
    format_end,
    format_gain,
    format_points,
)
from .accuracy import GainRow, Judgement
from .findings import Findings
from .samples import Shortfall

HELPED, HURT = ("helped", "helped_little"), ("hurt", "hurt_little")


def build_effect_sentences(
    plan: Plan,
    conditions: Sequence[Findings],
    primary_rows: Sequence[tuple[Findings, GainRow]],
    progress: ExperimentProgress,
) -> tuple[str, str]:
    """Return the finding and its notes, in the plan's language; both are empty without arms.

    Each condition has a line. For a rehearsal, and for an experiment that has not ended, the finding is the state
    instead of a verdict.
    """
    if progress.is_rehearsal:
        return plan.translate("opening.rehearsed"), ""
    if progress.is_interim:
        return plan.translate("sentence.interim", ended=progress.ended_items, of=len(plan.items)), ""
    headlines, notes = list[str](), list[str]()
    rows = {findings.label: row for findings, row in primary_rows}
    for findings in conditions:
        if findings.talks and (texts := _describe_condition(findings, rows.get(findings.label))):
            headline, *own_notes = texts
            if len(conditions) > 1:
                headline = headline[:1].lower() + headline[1:]
            headlines.append(findings.add_condition(headline))
            notes.append(findings.add_condition(plan.join_sentences(own_notes)))
    shortfalls = [shortfall for findings, row in primary_rows if (shortfall := findings.find_shortfall(row.arms[1]))]
    headline = plan.join_sentences(["\n".join(headlines), _format_remedy(plan, shortfalls)])
    if primary_rows and (progress.is_exploratory or not (plan.primary or plan.until)):
        headline = plan.translate("sentence.exploratory", text=headline)
    return headline, "\n".join(filter(None, notes))


def list_primary_rows(plan: Plan, conditions: Sequence[Findings]) -> list[tuple[Findings, GainRow]]:
    """Return the main comparison of each condition: the declared or, without one, the most informative.

    With several conditions, their p values are adjusted together.
    """
    names = (plan.primary, *plan.until, *PRIMARY_ARMS)
    found_rows = {
        findings.label: [row for name in names if (row := findings.find_gain_row(name))]
        for findings in conditions
        if findings.graded
    }
    rows = {label: own_rows[0] for label, own_rows in found_rows.items() if own_rows}
    p_values = {label: row.wrong.p.p for label, row in rows.items() if row.wrong.p}
    adjusted_p_values = adjust_p_values(p_values) if len(p_values) > 1 else {}
    return [
        (findings, replace(row, wrong=replace(row.wrong, adjusted_p=adjusted_p_values.get(findings.label))))
        for findings in conditions
        if (row := rows.get(findings.label))
    ]


def _describe_condition(findings: Findings, row: GainRow | None) -> list[str]:
    plan = findings.plan
    row = findings.find_gain_row(next(iter(plan.until))) if findings.stop else row
    if row is None or row.wrong.estimate.value is None:
        return [text] if (text := _describe_agreement(findings)) else []
    if shortfall := findings.find_shortfall(row.arms[1]):
        return [format_shortfall(findings, row, shortfall)]
    return [_describe_stop(findings, row)] if findings.stop else _describe_verdict(findings, row)


def _describe_verdict(findings: Findings, row: GainRow) -> list[str]:
    plan = findings.plan
    rights = {arm_row.arm: f"{100 * (arm_row.as_wrong.value or 0):.1f} %" for arm_row in findings.arms}
    values = {
        "right": rights.get(row.arms[0], "–"),
        "other": rights.get(row.arms[1], "–"),
        "who": plan.translate(f"stopped.{row.arms[0]}"),
        "over": plan.translate(f"over.{row.name}"),
    }
    failed_count = sum(talk.run.failure in FAILURES for talk in findings.talks)
    verdict, values = fill_verdict(plan, row.wrong, row.left_out, failed_count, format_end, **values)
    if verdict == "depends":
        return [plan.translate("verdict.depends", **values)]
    if verdict == "none" and row.wrong.adjusted_p is not None:
        verdict, values["p"] = "none_corrected", f"{row.wrong.adjusted_p:.3f}"
    shortfall_text, notes, is_net = "", list[str](), row.arms[1].startswith("samples")
    thinking_name = row.name.replace("net", "net_think") if is_net else ""  # thinking in writing at the same cost
    thinking_gain = next((gain for gain in findings.gains if gain.name == thinking_name), None)
    if thinking_gain and verdict in HELPED:  # both tests must hold (Berger 1982)
        if shortfall := findings.find_shortfall(thinking_gain.arms[1]):
            shortfall_text = format_shortfall(findings, thinking_gain, shortfall)
            shortfall_text = plan.join_sentences([shortfall_text, _format_remedy(plan, [shortfall])])
        values["think"] = format_gain(thinking_gain.wrong.estimate)
        values["think_over"] = plan.translate(f"over.{thinking_gain.name}")
        if thinking_gain.wrong.verdict in HURT:
            verdict = "worse_than_think"
        elif shortfall or thinking_gain.wrong.verdict not in HELPED:
            verdict = "unlike_think"
        else:
            notes = [plan.translate("verdict.over_think", **values)]
    elif verdict in HELPED and is_net:
        notes = [plan.translate("sentence.no_think")]
    texts = [plan.translate(f"verdict.{verdict}", **values), shortfall_text, *notes, *_list_notes(findings, row)]
    return [*texts, _describe_best(findings), *_list_parts(findings)]


def fill_verdict(
    plan: Plan,
    wrong: Judgement,
    left_out: Judgement,
    failed_count: int,
    format_value: Callable[[float], str],
    **values: Any,
) -> tuple[str, dict[str, Any]]:
    """Return the key of a verdict's phrase, with the values of the phrase.

    `wrong`, `left_out`: difference with failed runs counted as wrong, and without them. The key is `depends` if the two
    have other directions. `format_value` formats a difference or an end of its interval.
    """
    estimate, verdict = wrong.estimate, wrong.verdict or "none"
    left_out_value = left_out.estimate.value
    values |= {
        "points": format_value(estimate.value or 0),
        "items": estimate.items,
        "count": failed_count,
        "without": "–" if left_out_value is None else format_value(left_out_value),
        "margin": f"{100 * (plan.margin or 0):g}",
        "swaps": wrong.swap_count,
        "p": f"{2 ** (1 - wrong.swap_count):.2g}".removeprefix("0"),
    }
    if failed_count and _get_direction(wrong) != _get_direction(left_out):
        return "depends", values
    if verdict == "equal" and wrong.equivalence:
        estimate = wrong.equivalence.interval
    low, high = ("–" if end is None else format_value(end) for end in (estimate.low, estimate.high))
    return verdict, values | {
        "low": low,
        "high": high,
        "interval": "" if estimate.low is None else f" [{low},{NO_BREAK}{high}]",
    }


def _describe_stop(findings: Findings, row: GainRow) -> str:
    """Return a sentence about the gain at an early stop, with the confidence limit that passed the bound."""
    plan, d = findings.plan, findings.stop
    (bound,) = plan.until.values()
    ends = {
        "above": format_points(compute_lower_bound(d, bound.alpha)),
        "below": format_points(-compute_lower_bound([-value for value in d], bound.alpha)),
        "either": "",
    }
    low, high = compute_bounds(d, bound.alpha)
    return plan.translate(
        f"stopped.{bound.direction}",
        items=len(d),
        of=len(plan.items),
        points=format_points(fmean(d)),
        bound=ends[bound.direction],
        who=plan.translate(f"stopped.{row.arms[0]}"),
        low=format_points(low),
        high=format_points(high),
    )


def _describe_best(findings: Findings) -> str:
    """Return a sentence about the gain over the best single model; empty without the arm `each`."""
    plan, best = findings.plan, findings.best
    if best is None:
        return ""
    measure = findings.net.removeprefix("net_")
    for model in best.models:
        row = findings.find_gain_row(f"net_each_{measure}:{model}")
        if row and (shortfall := findings.find_shortfall(row.arms[1])):
            text = format_shortfall(findings, row, shortfall)
            text = plan.join_sentences([text, _format_remedy(plan, [shortfall])])
            return plan.translate("best.short", model=model, text=text)
    return plan.translate(
        "best.better" if best.is_better else "best.not_shown",
        against=plan.best or plan.translate("best.of", count=len(best.models)),
        points=format_points(best.value),
        low=format_end(best.low),
        high=format_end(best.high),
    )


def _list_parts(findings: Findings) -> list[str]:
    """Return sentences that split the gain of deliberation over one answer into its mechanisms.

    The list is empty if the plan lacks the arms for this.
    """
    plan, rows = findings.plan, [row for row in findings.gains if row.name in MECHANISMS]
    total = findings.find_gain_row("over one alone")
    if len(rows) < len(MECHANISMS) or total is None or total.wrong.estimate.value is None:
        return []
    names = {row.name: plan.translate(f"mechanisms.{row.name}") for row in rows}
    parts = [f"{names[row.name]} {format_points(row.wrong.estimate.value or 0)}" for row in rows]
    proven_names = [names[row.name] for row in rows if (row.adjusted_p or 0) <= SIGNIFICANCE_LEVEL]
    comma = plan.translate("opening.comma")
    return [
        plan.translate("mechanisms.parts", points=format_points(total.wrong.estimate.value), parts=comma.join(parts)),
        plan.translate("mechanisms.found", names=comma.join(proven_names))
        if proven_names
        else plan.translate("mechanisms.none"),
    ]


def _get_direction(judgement: Judgement) -> str:
    """Return the first word of a verdict, which is its direction: hurt, helped or equal."""
    return (judgement.verdict or "").partition("_")[0]


def _list_notes(findings: Findings, row: GainRow) -> list[str]:
    plan, notes = findings.plan, list[str]()
    for suffix, flips in (("", findings.flips), ("_alone", findings.alone_flips)):
        names = ("corrected", "corrupted") if flips else ()
        rates = {name: rate for name in names if (rate := estimate_mean(getattr(flips, name)).value) is not None}
        if rates:
            key = "_".join(["sentence.flips", *rates]) if len(rates) == 1 else "sentence.flips"
            notes.append(plan.translate(key + suffix, **{name: f"{100 * rate:.3g}" for name, rate in rates.items()}))
    if findings.flip_gap:
        notes.append(plan.translate("sentence.flips_gap", points=format_gain(findings.flip_gap)))
    if row.wrong.estimate.items > 1 and row.wrong.estimate.is_rough:
        notes.append(plan.translate("sentence.rough", items=row.wrong.estimate.items))
    return notes


def format_shortfall(findings: Findings, row: GainRow, shortfall: Shortfall) -> str:
    """Return the sentence that replaces a verdict if the samples cost less than the deliberation."""
    plan = findings.plan
    return plan.translate(
        "sentence.shortfall",
        had=format_amount(plan, shortfall.reached, shortfall.measure),
        needed=format_amount(plan, shortfall.needed, shortfall.measure),
        gain=format_gain(row.wrong.estimate),
        questions=shortfall.count,
        of=len(findings.talks),
    )


def _format_remedy(plan: Plan, shortfalls: Sequence[Shortfall]) -> str:
    if not shortfalls:
        return ""
    measure = plan.translate(f"opening.{shortfalls[0].measure}")
    return plan.translate("sentence.remedy", samples=max(entry.samples for entry in shortfalls), measure=measure)


def format_amount(plan: Plan, spent: Spend, measure: SpendKey) -> str:
    """Return spending as text, in calls, tokens or money with its unit."""
    amount = spent.find_amount(measure) or 0
    number_format = {"money": ",.3g", "tokens": ",.0f", "calls": ",.1f"}[measure]
    return plan.translate(f"pictures.cost_{measure}", count=f"{amount:{number_format}}".removesuffix(".0"))


def _describe_agreement(findings: Findings) -> str:
    shares = [moment.majority.value for moment in findings.moments]
    if len(shares) < 2 or shares[0] is None or shares[-1] is None:
        return ""
    return findings.plan.translate(
        "sentence.no_arm" if findings.graded else "sentence.no_truth",
        before=f"{100 * shares[0]:.0f}",
        after=f"{100 * shares[-1]:.0f}",
    )
