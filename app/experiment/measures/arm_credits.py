"""Accuracy by arm, gains of one arm over another, and the accuracy that a talk's spend could buy elsewhere."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Literal

from ....state.random_streams import make_rng
from .answer_equality import TOLERANCE, Answer, group_answers, is_same_answer, pick_centre
from .positions import ValuesByItem

FailureRule = Literal["wrong", "left out"]
"""Rule for failed runs: wrong (intention to treat) or left out (per protocol)."""

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
"""By comparison: the arm, and its baseline."""

SUBSETS = 2000


@dataclass(frozen=True)
class Unit:
    """One item in one repeat, with the credit of each arm."""

    item: str
    credit: Mapping[str, float | None]
    """Credit by arm: 1 right, 0 wrong, between for a tie; `None` for a failed run."""
    repeat: int = 1
    swap: str = ""
    """Version of the swapped pair; versions are averaged before all other computations."""


def collect_accuracies(units: Sequence[Unit], arm: str, failed: FailureRule = "wrong") -> ValuesByItem:
    """Return the credit of an arm in each unit that has it, by item."""
    return _combine_credits(units, {arm: 1}, failed)


def collect_gains(units: Sequence[Unit], arm: str, against: str, failed: FailureRule = "wrong") -> ValuesByItem:
    """Return the credit of an arm minus that of another in each unit that has both, by item."""
    return _combine_credits(units, {arm: 1, against: -1}, failed)


def _combine_credits(units: Sequence[Unit], weights: Mapping[str, int], failed: FailureRule) -> ValuesByItem:
    values: ValuesByItem = {unit.item: [] for unit in units}
    pairs: dict[tuple[str, int], list[Unit]] = {}
    for unit in units:
        if weights.keys() <= unit.credit.keys():
            pairs.setdefault((unit.item, unit.repeat), []).append(unit)
    for (item, _), swapped in pairs.items():
        if failed == "left out" and any(version.credit[arm] is None for version in swapped for arm in weights):
            continue
        values[item].append(
            fmean(sum(w * (version.credit[arm] or 0.0) for arm, w in weights.items()) for version in swapped)
        )
    return values


@dataclass(frozen=True)
class Spend:
    """Spending; its cost is `None` if a price is unknown."""

    calls: int
    tokens: int
    cost: float | None = None


def count_samples_for_spend(spent: Sequence[Spend], talk: Spend, measure: Literal["calls", "tokens"]) -> int | None:
    """Return the fewest samples, in the order drawn, whose spend reaches the talk's.

    `None` if all samples together do not reach it.
    """
    total, target = 0, getattr(talk, measure)
    for count, spend in enumerate(spent, 1):
        total += getattr(spend, measure)
        if total >= target:
            return count
    return None


def compute_accuracy_curve(
    answers: Sequence[Answer],
    truth: Answer,
    *,
    seed: int,
    purpose: Sequence[str | int],
    tolerance: float = TOLERANCE,
    subsets: int = SUBSETS,
) -> list[float]:
    """Return the mean credit of the majority of k of the samples, k = 1 … all of them.

    Means are over all subsets of size k, if there are at most `subsets`. Else they are over the first k of as many
    shuffles from the stream `("accuracy at k", *purpose)`. Equality of numbers is decided once, on all samples.
    """
    groups = group_answers(answers, tolerance)
    label = {index: number for number, group in enumerate(groups) for index in group}
    centres = [pick_centre([answers[index] for index in group]) for group in groups]
    right_labels = {number for number, candidate in enumerate(centres) if is_same_answer(candidate, truth, tolerance)}
    indices, labels = range(len(answers)), [label[index] for index in range(len(answers))]
    rng = make_rng(seed, "accuracy at k", *purpose)
    shuffled = [rng.sample(labels, len(labels)) for _ in range(subsets)] if 2 ** len(indices) > subsets else []
    credits = [_score_majorities(labels_in_order, right_labels, len(groups)) for labels_in_order in shuffled]
    curve = []
    for k in range(1, len(indices) + 1):
        if math.comb(len(indices), k) > subsets:
            curve.append(fmean(accuracies_by_size[k - 1] for accuracies_by_size in credits))
        else:
            curve.append(
                fmean(_score_majorities(subset, right_labels, len(groups))[-1] for subset in combinations(labels, k))
            )
    return curve


def _score_majorities(labels: Sequence[int], right_labels: set[int], kinds: int) -> list[float]:
    """Return the credit of the majority of the first one, the first two … of the labelled answers."""
    votes, credits = [0] * kinds, []
    for label in labels:
        votes[label] += 1
        maximum = max(votes)
        credits.append(sum(votes[right_label] == maximum for right_label in right_labels) / votes.count(maximum))
    return credits
