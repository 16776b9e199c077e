"""Headline of the report: the gain or loss from talking, what it is compared with, and the certainty."""

from collections.abc import Sequence

from ..plan import PRIMARY_ARMS, Plan
from ..statistics import IntervalEstimate, estimate_mean
from ..statistics.significance import MAX_EXACT_ITEMS
from .accuracy import GainRow
from .figure import clamp_end
from .findings import Findings

SIGNIFICANCE_LEVEL = 0.05


def build_effect_sentences(plan: Plan, conditions: Sequence[Findings]) -> str:
    """Build one sentence for each condition, in the plan's language; empty without arms."""
    sentences = []
    for findings in conditions:
        if findings.talks and (text := _describe_condition(findings, plan)):
            sentences.append(_label_sentence(plan, conditions, findings, text))
    return "".join(sentences) if len(conditions) == 1 else plan.join_sentences(sentences)


def list_price_sentences(plan: Plan, conditions: Sequence[Findings]) -> list[str]:
    """List a sentence for each condition with the accuracy and cost of its main comparison."""
    sentences = []
    for findings in conditions:
        row = _pick_primary_row(plan, findings) if findings.talks else None
        if row is not None and row.as_wrong.value is not None:
            values = {"against": plan.translate(f"over.{row.name}")}
            for arm, share_key, spend_key in zip(row.arms, ("right", "other"), ("spent", "other_spent"), strict=True):
                arm_row = next(arm_row for arm_row in findings.arms if arm_row.arm == arm)
                values[share_key] = f"{100 * (arm_row.as_wrong.value or 0):.1f} %"
                spend = {"calls": f"{arm_row.spent.calls:,}", "tokens": f"{arm_row.spent.tokens:,}"}
                if (cost := arm_row.spent.cost) is None:
                    values[spend_key] = plan.translate("opening.spent", **spend)
                else:
                    values[spend_key] = plan.translate("opening.spent_money", money=f"{cost:,.4g}", **spend)
            text = plan.translate("opening.compared", **values)
            sentences.append(_label_sentence(plan, conditions, findings, text))
    return sentences


def _label_sentence(plan: Plan, conditions: Sequence[Findings], findings: Findings, text: str) -> str:
    lowered_text = text[:1].lower() + text[1:]
    under = plan.translate("sentence.under", condition=findings.label, text=lowered_text)
    return under if len(conditions) > 1 else text


def _pick_primary_row(plan: Plan, findings: Findings) -> GainRow | None:
    """Return the row of the plan's primary comparison, or else the most informative row."""
    rows_by_name = {row.name: row for row in findings.gains} if findings.graded else {}
    return next((rows_by_name[name] for name in (plan.primary, *PRIMARY_ARMS) if name in rows_by_name), None)


def _describe_condition(findings: Findings, plan: Plan) -> str:
    row = _pick_primary_row(plan, findings)
    if row is None or row.as_wrong.value is None:
        return _describe_agreement(findings)
    verdict, estimate = _describe_verdict(plan, row, row.as_wrong.value), row.as_wrong
    sentences = [f"{verdict}{_describe_flips(findings)}{plan.translate('opening.stop')}"]
    measure = row.arms[1].removeprefix("samples_")
    if count := findings.shortfalls.get(measure, 0):  # the samples in the comparison cost less than the talk
        values = {"count": count, "of": len(findings.talks), "limit": plan.samples_max}
        sentences.append(plan.translate(f"notes.shortfall_{measure}", **values))
    if estimate.items < 2:
        sentences.append(plan.translate("sentence.one_says_nothing"))
    elif estimate.is_rough:
        sentences.append(plan.translate("sentence.rough", items=estimate.items))
    return plan.join_sentences(sentences)


def _describe_verdict(plan: Plan, row: GainRow, value: float) -> str:
    is_equivalent = row.equivalence is not None and row.equivalence.is_equivalent
    margin = f"{100 * row.equivalence.margin:g}" if row.equivalence else ""
    over, items = plan.translate(f"over.{row.name}"), row.as_wrong.items
    values = {"points": format_points(value), "over": over, "interval": format_interval(row.as_wrong)}
    if items < 2:
        return plan.translate("sentence.one_item", **values)
    if row.p is not None and 2 ** (1 - items) > SIGNIFICANCE_LEVEL and items <= MAX_EXACT_ITEMS:
        return plan.translate("sentence.too_few", items=items, **values)
    if row.p is not None and row.p <= SIGNIFICANCE_LEVEL:
        values["points"] = values["points"] if value > 0 else format_points(-value)[1:]
        margin_note = plan.translate("sentence.close", margin=margin) if is_equivalent else ""
        return plan.translate(f"sentence.{'gained' if value > 0 else 'lost'}", **values) + margin_note
    if is_equivalent:
        return plan.translate("sentence.equal", margin=margin, **values)
    margin_note = plan.translate("sentence.not_equal", margin=margin) if row.equivalence else ""
    return plan.translate("sentence.none", **values) + margin_note


def _describe_flips(findings: Findings) -> str:
    rates = {}
    for name in ("corrected", "corrupted") if findings.flips else ():
        if (rate := estimate_mean(getattr(findings.flips, name)).value) is not None:
            rates[name] = f"{100 * rate:.0f}"
    suffix = "".join(f"_{name}" for name in rates) if len(rates) == 1 else ""
    return findings.plan.translate(f"sentence.flips{suffix}", **rates) if rates else ""


def _describe_agreement(findings: Findings) -> str:
    shares = [moment.agreement.value for moment in findings.moments]
    if len(shares) < 2 or shares[0] is None or shares[-1] is None:
        return ""
    percentages = {"before": f"{100 * shares[0]:.0f}", "after": f"{100 * shares[-1]:.0f}"}
    return findings.plan.translate("sentence.no_arm" if findings.graded else "sentence.no_truth", **percentages)


def format_points(value: float) -> str:
    """Format a difference in percentage points, with its sign."""
    return f"{100 * value:+.1f}".replace("-", "−")


def format_interval(estimate: IntervalEstimate) -> str:
    """Format the interval of a difference in points; empty without an interval."""
    if estimate.low is None or estimate.high is None:
        return ""
    return f" [{format_points(clamp_end(estimate.low))}, {format_points(clamp_end(estimate.high))}]"
