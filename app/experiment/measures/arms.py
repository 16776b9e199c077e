"""Accuracy by arm, what the arms gain over each other, and what a talk's spend would have bought elsewhere."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Literal

from ....state.draw import stream
from .answers import TOLERANCE, Answer, centre, clusters, same
from .positions import Values

Failed = Literal["wrong", "left out"]
"""What a failed run counts as: wrong (intention to treat), or nothing (per protocol)."""

COMPARISONS = {
    "voting": ("vote", "single"),
    "talking": ("talk", "vote"),
    "net": ("talk", "samples_calls"),
    "net_tokens": ("talk", "samples_tokens"),
    "over the first alone": ("talk", "single"),
    "over self-correction": ("talk", "alone"),
    "over other statements": ("talk", "noise"),
    "to full information": ("informed", "talk"),
}
"""By comparison: the arm, and what it is compared with."""

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


@dataclass(frozen=True)
class Spend:
    """What was spent; money is missing where a price is not known."""

    calls: int
    tokens: int
    cost: float | None = None


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
