"""The sentence a person can repeat: what talking gained, lost, or did not change, over what, and how sure that is."""

from collections.abc import Sequence

from ..plan import PRIMARY, Plan
from ..statistics import Estimate, mean
from ..statistics.significance import EXACT
from .accuracy import GainRow
from .figure import within
from .findings import Findings

OVER = {
    "voting": "a vote on the first answers over the first participant alone",
    "talking": "a vote on the same first answers",
    "net": "the same calls spent on independent answers",
    "net_tokens": "the same tokens spent on independent answers",
    "over the first alone": "the first participant alone",
    "over self-correction": "each thinking again alone",
    "over other statements": "statements on something else",
}
"""What talking is compared with, in words."""
ALPHA = 0.05


def sentence(plan: Plan, found: Sequence[Findings]) -> str:
    """One sentence for each condition; empty where no arm was run."""
    told = [_of_condition(one, plan) for one in found if one.talks]
    named = [f"Under {one.label}: {text[0].lower()}{text[1:]}" for one, text in zip(found, told, strict=False) if text]
    return " ".join(named if len(found) > 1 else filter(None, told))


def primary(plan: Plan, rows: Sequence[GainRow]) -> GainRow | None:
    """The comparison of the sentence: the plan's primary measure where it is one, else the one that says most."""
    by_name = {row.name: row for row in rows}
    return next((by_name[name] for name in (plan.primary, *PRIMARY) if name in by_name), None)


def _of_condition(found: Findings, plan: Plan) -> str:
    row = primary(plan, found.gains) if found.graded else None
    if row is None or row.all.value is None:
        return _agreed(found)
    return f"{_verdict(row, row.all.value)}{_corrected(found)}{_caution(row.all)}"


def _verdict(row: GainRow, value: float) -> str:
    over, equal = OVER[row.name], row.equal is not None and row.equal.equal
    within = f"within {100 * row.equal.margin:g} points" if row.equal else ""
    if row.all.items < 2:
        return f"On this one item talking changed accuracy by {points(value)} points against {over}"
    if row.p is not None and 2 ** (1 - row.all.items) > ALPHA and row.all.items <= EXACT:
        few = f"{row.all.items} items are too few for any test to tell that from chance"
        return f"Talking changed accuracy by {points(value)} points against {over}{interval(row.all)}; {few}"
    if row.p is not None and row.p <= ALPHA:
        gained = f"gained {points(value)}" if value > 0 else f"lost {points(-value)[1:]}"
        close = f", a difference {within}" if equal else ""
        return f"Talking {gained} points over {over}{interval(row.all)}{close}"
    if equal:
        return f"Talking made no difference against {over}: equal {within}{interval(row.all)}"
    told = f"No difference was found: talking changed accuracy by {points(value)} points against {over}"
    beyond = f", which does not show that they are equal {within}" if within else ""
    return f"{told}{interval(row.all)}{beyond}"


def _corrected(found: Findings) -> str:
    flips = found.flips
    if flips is None or not flips.n00 + flips.n01 + flips.n10 + flips.n11:
        return "."
    parts = []
    if (right := mean(flips.corrected).value) is not None:
        parts.append(f"corrected {100 * right:.0f} % of wrong first answers")
    if (wrong := mean(flips.corrupted).value) is not None:
        parts.append(f"corrupted {100 * wrong:.0f} % of right ones")
    return f"; it {' and '.join(parts)}." if parts else "."


def _caution(found: Estimate) -> str:
    if found.items < 2:
        return " One item says nothing about others."
    return f" With {found.items} items the interval is rough." if found.rough else ""


def _agreed(found: Findings) -> str:
    """What can be said without a truth, or without an arm: how far answers agreed before and after."""
    moments = found.moments
    if len(moments) < 2 or moments[0].agreement.value is None or moments[-1].agreement.value is None:
        return ""
    before, after = moments[0].agreement.value, moments[-1].agreement.value
    why = "no arm was run to compare it with" if found.graded else "nobody said which answer is right"
    return (
        f"The most common answer was held by {100 * before:.0f} % before the talk and by {100 * after:.0f} % after it; "
        f"{why}, so nothing follows about {'what talking gained' if found.graded else 'accuracy'}."
    )


def points(value: float) -> str:
    """A difference in points of a hundred, with its sign."""
    return f"{100 * value:+.1f}".replace("-", "−")


def interval(found: Estimate) -> str:
    """The interval of a difference, in points; empty where there is none."""
    if found.low is None or found.high is None:
        return ""
    return f" [{points(within(found.low))}, {points(within(found.high))}]"
