"""Accuracy by arm, what the arms gain over each other, and what a talk's spend would have bought elsewhere."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Literal

from ....state.draw import stream
from ....state.independent import samples_bought
from .answers import TOLERANCE, Answer, centre, clusters, same
from .positions import Values

Failed = Literal["wrong", "left out"]
"""What a failed run counts as: wrong (intention to treat), or nothing (per protocol)."""

GAINS = {
    "voting": ("vote", "single"),
    "talking": ("talk", "vote"),
    "net_calls": ("talk", "samples_calls"),
    "net_tokens": ("talk", "samples_tokens"),
}
"""By gain: the arm, and what it is compared with."""

SUBSETS = 2000


@dataclass(frozen=True)
class Unit:
    """One item in one repeat, with the credit of each arm: 1 right, 0 wrong, between them a tie; None a failed run."""

    item: str
    credit: Mapping[str, float | None]
    repeat: int = 1
    swap: str = ""
    """Which of the swapped pair this is; they are averaged before anything else is computed."""


def accuracies(units: Sequence[Unit], arm: str, failed: Failed = "wrong") -> Values:
    """The credit of an arm in each unit that has it, by item."""
    return _averaged(units, {arm: 1}, failed)


def paired(units: Sequence[Unit], arm: str, against: str, failed: Failed = "wrong") -> Values:
    """The credit of an arm minus that of another in each unit that has both, by item."""
    return _averaged(units, {arm: 1, against: -1}, failed)


def gains(units: Sequence[Unit], failed: Failed = "wrong") -> dict[str, Values]:
    """The paired differences of every gain whose two arms were run."""
    run = {arm for unit in units for arm in unit.credit}
    return {name: paired(units, *pair, failed) for name, pair in GAINS.items() if run.issuperset(pair)}


def _averaged(units: Sequence[Unit], weights: Mapping[str, int], failed: Failed) -> Values:
    values: Values = {unit.item: [] for unit in units}
    pairs: dict[tuple[str, int], list[Unit]] = {}
    for unit in units:
        if weights.keys() <= unit.credit.keys():
            pairs.setdefault((unit.item, unit.repeat), []).append(unit)
    for (item, _), swapped in pairs.items():
        if failed == "left out" and any(one.credit[arm] is None for one in swapped for arm in weights):
            continue
        values[item].append(fmean(sum(w * (one.credit[arm] or 0.0) for arm, w in weights.items()) for one in swapped))
    return values


def bounds(values: Values, failed: Mapping[str, int], least: float, greatest: float) -> tuple[Values, Values]:
    """The values with each item's failed runs at the measure's least value, and at its greatest."""
    items = [*values, *(item for item in failed if item not in values)]
    low, high = (
        {item: [*values.get(item, []), *[end] * failed.get(item, 0)] for item in items} for end in (least, greatest)
    )
    return low, high


@dataclass(frozen=True)
class Spend:
    """What was spent; money is missing where a price is not known."""

    calls: int
    tokens: int
    cost: float | None = None


@dataclass(frozen=True)
class Pool:
    """How many independent samples are drawn for an item."""

    size: int
    wanted: int
    """1.25 times the most that the talk's spend buys, rounded up; more than `size` where the limit cut it short."""


def pool_size(talk: Spend, sample: Spend, most: int = 50) -> Pool:
    """The samples to draw beside a talk, from what it spent and what one sample costs; at most `most`."""
    wanted = samples_bought((talk.calls, talk.tokens), (max(sample.calls, 1), max(sample.tokens, 1)))
    return Pool(min(wanted, most), wanted)


def samples_reaching(spent: Sequence[Spend], talk: Spend, by: Literal["calls", "tokens"]) -> int | None:
    """The fewest samples, in the order drawn, whose spend reaches the talk's; missing where all do not."""
    total, aim = 0, getattr(talk, by)
    for count, one in enumerate(spent, 1):
        total += getattr(one, by)
        if total >= aim:
            return count
    return None


def accuracy_at(
    answers: Sequence[Answer],
    truth: Answer,
    *,
    seed: int,
    purpose: Sequence[str | int],
    tolerance: float = TOLERANCE,
    subsets: int = SUBSETS,
) -> list[float]:
    """The mean credit of the majority of k of the samples, k = 1 … all of them.

    Over all subsets of k where they are no more than `subsets`, else over the first k of so many shufflings from the
    stream `("accuracy at k", *purpose)`. Which numbers are the same answer is settled once, on all samples.
    """
    found = clusters(answers, tolerance)
    label = {place: number for number, one in enumerate(found) for place in one}
    centres = [centre([answers[place] for place in one]) for one in found]
    true = {number for number, one in enumerate(centres) if same(one, truth, tolerance)}
    places, labels = range(len(answers)), [label[place] for place in range(len(answers))]
    draw = stream(seed, "accuracy at k", *purpose)
    shuffled = [draw.sample(labels, len(labels)) for _ in range(subsets)] if 2 ** len(places) > subsets else []
    credits = [_majority_credits(one, true, len(found)) for one in shuffled]
    curve = []
    for k in range(1, len(places) + 1):
        if math.comb(len(places), k) > subsets:
            curve.append(fmean(one[k - 1] for one in credits))
        else:
            curve.append(fmean(_majority_credits(one, true, len(found))[-1] for one in combinations(labels, k)))
    return curve


def _majority_credits(labels: Sequence[int], true: set[int], kinds: int) -> list[float]:
    """The credit of the majority of the first one, the first two … of the answers, given by their labels."""
    votes, credits = [0] * kinds, []
    for one in labels:
        votes[one] += 1
        most = max(votes)
        credits.append(sum(votes[right] == most for right in true) / votes.count(most))
    return credits
