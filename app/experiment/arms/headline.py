"""Headline of the report: the gain or loss of talking, the baseline, and the certainty."""

from collections.abc import Sequence

from ..measures import Spend
from ..plan import PRIMARY_ARMS, Plan
from ..statistics import IntervalEstimate, estimate_mean
from ..statistics.significance import MAX_EXACT_ITEMS
from ..wording import join_sentences, translate_for_plan
from .accuracy import GainRow
from .figure import clamp_end
from .findings import Findings

SIGNIFICANCE_LEVEL = 0.05


def build_effect_sentences(plan: Plan, conditions: Sequence[Findings]) -> str:
    """Return one sentence for each condition in the plan's language; empty without arms."""
    labelled_texts = [
        (findings.label, text)
        for findings in conditions
        if findings.talks and (text := _describe_condition(findings, plan))
    ]
    if len(conditions) == 1:
        return "".join(text for _, text in labelled_texts)
    sentences = (
        translate_for_plan(plan, "sentence.under", condition=label, text=lower_first_letter(text))
        for label, text in labelled_texts
    )
    return join_sentences(plan, sentences)


def pick_primary_row(plan: Plan, rows: Sequence[GainRow]) -> GainRow | None:
    """Return the row of the plan's primary comparison, or else of the most informative one."""
    rows_by_name = {row.name: row for row in rows}
    return next((rows_by_name[name] for name in (plan.primary, *PRIMARY_ARMS) if name in rows_by_name), None)


def list_price_sentences(plan: Plan, conditions: Sequence[Findings]) -> list[str]:
    """Return a sentence for each condition with the accuracies and spends of its main comparison."""
    price_sentences = []
    for findings in conditions:
        row = pick_primary_row(plan, findings.gains) if findings.talks and findings.graded else None
        if row is None or row.as_wrong.value is None:
            continue
        talk_row, baseline_row = (next(arm_row for arm_row in findings.arms if arm_row.arm == arm) for arm in row.arms)
        share_texts = {
            "right": f"{100 * (talk_row.as_wrong.value or 0):.1f} %",
            "other": f"{100 * (baseline_row.as_wrong.value or 0):.1f} %",
        }
        spend_texts = {
            "spent": _format_spend(plan, talk_row.spent),
            "other_spent": _format_spend(plan, baseline_row.spent),
        }
        text = translate_for_plan(
            plan, "opening.compared", against=translate_for_plan(plan, f"over.{row.name}"), **share_texts, **spend_texts
        )
        price_sentences.append(
            translate_for_plan(plan, "sentence.under", condition=findings.label, text=lower_first_letter(text))
            if len(conditions) > 1
            else text
        )
    return price_sentences


def _format_spend(plan: Plan, spend: Spend) -> str:
    amounts = {"calls": f"{spend.calls:,}", "tokens": f"{spend.tokens:,}"}
    if spend.cost is None:
        return translate_for_plan(plan, "opening.spent", **amounts)
    return translate_for_plan(plan, "opening.spent_money", money=f"{spend.cost:,.4g}", **amounts)


def lower_first_letter(text: str) -> str:
    """Lower the first letter of a sentence that continues after a colon."""
    return text[:1].lower() + text[1:]


def _describe_condition(findings: Findings, plan: Plan) -> str:
    row = pick_primary_row(plan, findings.gains) if findings.graded else None
    if row is None or row.as_wrong.value is None:
        return _describe_agreement(findings)
    verdict = _describe_verdict(plan, row, row.as_wrong.value)
    statement = f"{verdict}{_describe_flips(findings)}{translate_for_plan(plan, 'opening.stop')}"
    return join_sentences(plan, [statement, _describe_shortfall(findings, row), _warn_of_few_items(plan, row.as_wrong)])


def _describe_shortfall(findings: Findings, row: GainRow) -> str:
    """Return a note if the samples in the comparison cost less than the talk, else an empty text."""
    measure = row.arms[1].removeprefix("samples_")
    values = {
        "count": findings.shortfalls.get(measure, 0),
        "of": len(findings.talks),
        "limit": findings.plan.samples_max,
    }
    return translate_for_plan(findings.plan, f"notes.shortfall_{measure}", **values) if values["count"] else ""


def _describe_verdict(plan: Plan, row: GainRow, value: float) -> str:
    """Describe the verdict that the figures allow, without a full stop."""
    is_equivalent = row.equivalence is not None and row.equivalence.is_equivalent
    margin_text = f"{100 * row.equivalence.margin:g}" if row.equivalence else ""
    values = {
        "points": format_points(value),
        "over": translate_for_plan(plan, f"over.{row.name}"),
        "interval": format_interval(row.as_wrong),
    }
    if row.as_wrong.items < 2:
        return translate_for_plan(plan, "sentence.one_item", **values)
    if (
        row.p is not None
        and 2 ** (1 - row.as_wrong.items) > SIGNIFICANCE_LEVEL
        and row.as_wrong.items <= MAX_EXACT_ITEMS
    ):
        return translate_for_plan(plan, "sentence.too_few", items=row.as_wrong.items, **values)
    if row.p is not None and row.p <= SIGNIFICANCE_LEVEL:
        margin_note = translate_for_plan(plan, "sentence.close", margin=margin_text) if is_equivalent else ""
        loss_values = values | {"points": format_points(-value)[1:]}
        return (
            translate_for_plan(plan, "sentence.gained", **values)
            if value > 0
            else translate_for_plan(plan, "sentence.lost", **loss_values)
        ) + margin_note
    if is_equivalent:
        return translate_for_plan(plan, "sentence.equal", margin=margin_text, **values)
    return translate_for_plan(plan, "sentence.none", **values) + (
        translate_for_plan(plan, "sentence.not_equal", margin=margin_text) if row.equivalence else ""
    )


def _describe_flips(findings: Findings) -> str:
    """Describe the shares of first answers that the talk corrected and corrupted; empty without any."""
    if findings.flips is None:
        return ""
    rates = {
        "corrected": estimate_mean(findings.flips.corrected).value,
        "corrupted": estimate_mean(findings.flips.corrupted).value,
    }
    known_rates = {name: f"{100 * rate:.0f}" for name, rate in rates.items() if rate is not None}
    return (
        translate_for_plan(
            findings.plan, "_".join(["sentence.flips", *(known_rates if len(known_rates) == 1 else [])]), **known_rates
        )
        if known_rates
        else ""
    )


def _warn_of_few_items(plan: Plan, estimate: IntervalEstimate) -> str:
    if estimate.items < 2:
        return translate_for_plan(plan, "sentence.one_says_nothing")
    return translate_for_plan(plan, "sentence.rough", items=estimate.items) if estimate.is_rough else ""


def _describe_agreement(findings: Findings) -> str:
    """Describe the agreement before and after the talk, for reports without a comparison of arms."""
    moments = findings.moments
    if len(moments) < 2 or moments[0].agreement.value is None or moments[-1].agreement.value is None:
        return ""
    shares = {"before": moments[0].agreement.value, "after": moments[-1].agreement.value}
    percentages = {name: f"{100 * share:.0f}" for name, share in shares.items()}
    return translate_for_plan(
        findings.plan, "sentence.no_arm" if findings.graded else "sentence.no_truth", **percentages
    )


def format_points(value: float) -> str:
    """Format a difference in points of a hundred, with its sign."""
    return f"{100 * value:+.1f}".replace("-", "−")


def format_interval(estimate: IntervalEstimate) -> str:
    """Format the interval of a difference in points; empty without an interval."""
    if estimate.low is None or estimate.high is None:
        return ""
    return f" [{format_points(clamp_end(estimate.low))}, {format_points(clamp_end(estimate.high))}]"
