"""The sentence a person can repeat: what talking gained, lost, or did not change, over what, and how sure that is."""

from collections.abc import Sequence

from ..measures import Spend
from ..plan import PRIMARY, Plan
from ..statistics import Estimate, mean
from ..statistics.significance import EXACT
from ..words import say, sentences
from .accuracy import GainRow
from .figure import within
from .findings import Findings

ALPHA = 0.05


def sentence(plan: Plan, found: Sequence[Findings]) -> str:
    """One sentence for each condition, in the plan's language; empty where no arm was run."""
    told = [(one.label, text) for one in found if one.talks and (text := _of_condition(one, plan))]
    if len(found) == 1:
        return "".join(text for _, text in told)
    named = (say(plan, "sentence.under", condition=name, text=lowered(text)) for name, text in told)
    return sentences(plan, named)


def primary(plan: Plan, rows: Sequence[GainRow]) -> GainRow | None:
    """The comparison of the sentence: the plan's primary measure where it is one, else the one that says most."""
    by_name = {row.name: row for row in rows}
    return next((by_name[name] for name in (plan.primary, *PRIMARY) if name in by_name), None)


def priced(plan: Plan, found: Sequence[Findings]) -> list[str]:
    """A sentence for each condition with the two accuracies the first one compares, and what each took."""
    told = []
    for one in found:
        row = primary(plan, one.gains) if one.talks and one.graded else None
        if row is None or row.all.value is None:
            continue
        talk, other = (next(each for each in one.arms if each.arm == arm) for arm in row.arms)
        shares = {"right": f"{100 * (talk.all.value or 0):.1f} %", "other": f"{100 * (other.all.value or 0):.1f} %"}
        prices = {"spent": _spent(plan, talk.spent), "other_spent": _spent(plan, other.spent)}
        text = say(plan, "opening.compared", against=say(plan, f"over.{row.name}"), **shares, **prices)
        told.append(say(plan, "sentence.under", condition=one.label, text=lowered(text)) if len(found) > 1 else text)
    return told


def _spent(plan: Plan, spent: Spend) -> str:
    given = {"calls": f"{spent.calls:,}", "tokens": f"{spent.tokens:,}"}
    if spent.cost is None:
        return say(plan, "opening.spent", **given)
    return say(plan, "opening.spent_money", money=f"{spent.cost:,.4g}", **given)


def lowered(text: str) -> str:
    """A sentence as it goes on after a colon."""
    return text[:1].lower() + text[1:]


def _of_condition(found: Findings, plan: Plan) -> str:
    row = primary(plan, found.gains) if found.graded else None
    if row is None or row.all.value is None:
        return _agreed(found)
    told = f"{_verdict(plan, row, row.all.value)}{_corrected(found)}{say(plan, 'opening.stop')}"
    return sentences(plan, [told, _short(found, row), _caution(plan, row.all)])


def _short(found: Findings, row: GainRow) -> str:
    """That the samples compared with were fewer than the talk's spend would buy, where they were."""
    by = row.arms[1].removeprefix("samples_")
    given = {"count": found.shortfalls.get(by, 0), "of": len(found.talks), "limit": found.plan.samples_max}
    return say(found.plan, f"notes.shortfall_{by}", **given) if given["count"] else ""


def _verdict(plan: Plan, row: GainRow, value: float) -> str:
    """Which of the verdicts the figures allow, without a full stop."""
    equal = row.equal is not None and row.equal.equal
    margin = f"{100 * row.equal.margin:g}" if row.equal else ""
    given = {"points": points(value), "over": say(plan, f"over.{row.name}"), "interval": interval(row.all)}
    if row.all.items < 2:
        return say(plan, "sentence.one_item", **given)
    if row.p is not None and 2 ** (1 - row.all.items) > ALPHA and row.all.items <= EXACT:
        return say(plan, "sentence.too_few", items=row.all.items, **given)
    if row.p is not None and row.p <= ALPHA:
        close = say(plan, "sentence.close", margin=margin) if equal else ""
        lost = given | {"points": points(-value)[1:]}
        return (say(plan, "sentence.gained", **given) if value > 0 else say(plan, "sentence.lost", **lost)) + close
    if equal:
        return say(plan, "sentence.equal", margin=margin, **given)
    return say(plan, "sentence.none", **given) + (say(plan, "sentence.not_equal", margin=margin) if row.equal else "")


def _corrected(found: Findings) -> str:
    """How many first answers the talk corrected, and how many it corrupted, as far as there were such."""
    if found.flips is None:
        return ""
    rates = {"corrected": mean(found.flips.corrected).value, "corrupted": mean(found.flips.corrupted).value}
    known = {name: f"{100 * rate:.0f}" for name, rate in rates.items() if rate is not None}
    return say(found.plan, "_".join(["sentence.flips", *(known if len(known) == 1 else [])]), **known) if known else ""


def _caution(plan: Plan, found: Estimate) -> str:
    if found.items < 2:
        return say(plan, "sentence.one_says_nothing")
    return say(plan, "sentence.rough", items=found.items) if found.rough else ""


def _agreed(found: Findings) -> str:
    """What can be said without a truth, or without an arm: how far answers agreed before and after."""
    moments = found.moments
    if len(moments) < 2 or moments[0].agreement.value is None or moments[-1].agreement.value is None:
        return ""
    shares = {"before": moments[0].agreement.value, "after": moments[-1].agreement.value}
    told = {name: f"{100 * share:.0f}" for name, share in shares.items()}
    return say(found.plan, "sentence.no_arm" if found.graded else "sentence.no_truth", **told)


def points(value: float) -> str:
    """A difference in points of a hundred, with its sign."""
    return f"{100 * value:+.1f}".replace("-", "−")


def interval(found: Estimate) -> str:
    """The interval of a difference, in points; empty where there is none."""
    if found.low is None or found.high is None:
        return ""
    return f" [{points(within(found.low))}, {points(within(found.high))}]"
