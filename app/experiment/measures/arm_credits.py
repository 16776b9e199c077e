"""Accuracy of arms, gains of one arm over another, and accuracy of samples at equal spending."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from statistics import fmean
from typing import Literal

from ....state import make_rng
from ..failures import MISSING_FAILURES
from .agreement import TOLERANCE, Answer, group_answers, is_same_answer, label_answers, pick_cluster_answer
from .positions import ValuesByItem

FailureRule = Literal["wrong", "left out", "worst", "best", "ties lost", "ties won"]
"""Rule for failed runs: wrong (intention to treat) or left out (per protocol).

`worst` and `best` give the bounds of a difference. Runs whose failure says nothing about the answer count as wrong for
one arm and as right for the other. All other failed runs are wrong. `ties lost` and `ties won` do the same with ties.
"""
SpendKey = Literal["money", "tokens", "calls"]

COMPARISONS = {
    "net_money": ("talk", "samples_money"),
    "net_tokens": ("talk", "samples_tokens"),
    "net_calls": ("talk", "samples_calls"),
    "net_think_money": ("talk", "think_money"),
    "net_think_tokens": ("talk", "think_tokens"),
    "net_think_calls": ("talk", "think_calls"),
    "voting": ("vote", "single"),
    "writing": ("written", "vote"),
    "exchange": ("notes", "written"),
    "rethinking": ("rethought", "notes"),
    "talking back": ("talk", "rethought"),
    "talking": ("talk", "vote"),
    "over one alone": ("talk", "single"),
    "over self-correction": ("talk", "alone"),
    "over other statements": ("talk", "noise"),
    "to full information": ("informed", "talk"),
}
"""Arm and baseline of each comparison."""

MECHANISMS = ("voting", "writing", "exchange", "rethinking", "talking back")
"""Comparisons of successive arms between one answer and the talk, with equal numbers of ballots."""


@dataclass(frozen=True)
class Unit:
    """Credits of all arms for one item in one repeat.

    `credits`: credit by arm: 1 for right, 0 for wrong, a fraction for a tie, `None` without an answer. `swap`: elements
    of the item that are in reversed order. The swapped versions of an item are averaged before all other computations.
    `failures`: kind of failure by arm. A failed run counts as wrong, even if a later retry has an answer. `ties`: arms
    in which the right answer was tied with others.
    """

    item: str
    credits: Mapping[str, float | None]
    repeat: int = 1
    swap: str = ""
    failures: Mapping[str, str] = field(default_factory=dict)
    ties: Collection[str] = ()

    def get_credit(self, arm: str, weight: int, failure_rule: FailureRule) -> float:
        """Return the credit of an arm, with failed runs counted as `failure_rule` says.

        `weight`: sign of the arm in the difference, 1 or −1.
        """
        failure = self.failures.get(arm, "")
        is_tied = not failure and arm in self.ties and failure_rule in ("ties lost", "ties won")
        if is_tied or (failure in MISSING_FAILURES and failure_rule in ("worst", "best")):
            return float((weight > 0) == (failure_rule in ("best", "ties won")))
        return 0.0 if failure and failure_rule != "left out" else self.credits[arm] or 0.0


def collect_accuracies(units: Sequence[Unit], arm: str, failure_rule: FailureRule = "wrong") -> ValuesByItem:
    """Return the credits of an arm, by item.

    `failure_rule`: how failed runs count.
    """
    return _combine_credits(units, {arm: 1}, failure_rule)


def collect_gains(units: Sequence[Unit], arm: str, baseline: str, failure_rule: FailureRule = "wrong") -> ValuesByItem:
    """Return the credits of an arm minus those of its baseline, by item, where both exist.

    `failure_rule`: how failed runs count.
    """
    return _combine_credits(units, {arm: 1, baseline: -1}, failure_rule)


def _combine_credits(units: Sequence[Unit], weights: Mapping[str, int], failure_rule: FailureRule) -> ValuesByItem:
    values: ValuesByItem = {unit.item: [] for unit in units}
    units_by_repeat: dict[tuple[str, int], list[Unit]] = {}
    for unit in units:
        if weights.keys() <= unit.credits.keys():
            units_by_repeat.setdefault((unit.item, unit.repeat), []).append(unit)
    for (item, _), versions in units_by_repeat.items():
        has_failure = any(version.credits[arm] is None for version in versions for arm in weights)
        if failure_rule != "left out" or not has_failure:
            parts = [[w * unit.get_credit(arm, w, failure_rule) for arm, w in weights.items()] for unit in versions]
            values[item].append(fmean(map(sum, parts)))
    return values


@dataclass(frozen=True)
class Spend:
    """Spending: number of calls, number of tokens, and cost. The cost is `None` if a price is unknown."""

    calls: float
    tokens: float
    cost: float | None = None

    def find_amount(self, key: SpendKey) -> float | None:
        """Return the amount spent in `key`: money, tokens or calls; `None` if a price is unknown."""
        return {"money": self.cost, "tokens": self.tokens, "calls": self.calls}[key]

    def divide(self, count: int) -> "Spend":
        """Return the spending divided by `count`."""
        return Spend(self.calls / count, self.tokens / count, None if self.cost is None else self.cost / count)


def sum_spends(spends: Sequence[Spend]) -> Spend:
    """Return the total spending. The cost is `None` if one cost is unknown."""
    costs = [spend.cost for spend in spends]
    cost = None if None in costs else sum(amount for amount in costs if amount is not None)
    return Spend(sum(spend.calls for spend in spends), sum(spend.tokens for spend in spends), cost)


def count_samples_for_spend(spends: Sequence[Spend], talk: Spend, measure: SpendKey) -> float | None:
    """Return how many samples, in the order drawn, together spend as much as a deliberation.

    `spends`: spending of each sample. `talk`: spending of the deliberation. `measure`: measure of spending. The last
    sample counts in part. Return `None` if all samples together spend less, or if a price is unknown.
    """
    total, target = 0.0, talk.find_amount(measure)
    for count, spend in enumerate(spends, 1):
        amount = spend.find_amount(measure)
        if amount is None or target is None:
            return None
        if total + amount >= target:
            return count - 1 + ((target - total) / amount if amount else 1.0)
        total += amount
    return None


def interpolate_credit(credits: Sequence[float], count: float) -> float:
    """Return the credit at a fractional number of samples, by linear interpolation.

    `credits`: credit of the majority of the first k samples, from k = 1. The credit of zero samples is 0.
    """
    whole_count, share = int(count), count - int(count)
    before, after = (credits[k - 1] if k else 0.0 for k in (whole_count, min(whole_count + 1, len(credits))))
    return (1 - share) * before + share * after


def compute_accuracy_curve(
    answers: Sequence[Answer],
    truth: Answer,
    *,
    seed: int,
    purpose: Sequence[str | int],
    tolerance: float = TOLERANCE,
    subsets: int = 2000,
) -> list[float]:
    """Compute the mean credit of the majority of k samples, for each k from 1.

    The mean is over all subsets of size k, if there are at most `subsets`. Otherwise it is over the first k samples of
    `subsets` random orders from the stream `("accuracy at k", *purpose)`. Numbers are grouped once, over all samples.
    """
    groups, labels, right_labels = group_answers(answers, tolerance), label_answers(answers, tolerance), set[int]()
    for number, group in enumerate(groups):
        if is_same_answer(pick_cluster_answer([answers[index] for index in group]), truth, tolerance):
            right_labels.add(number)
    rng = make_rng(seed, "accuracy at k", *purpose)
    shuffles = [rng.sample(labels, len(labels)) for _ in range(subsets)] if 2 ** len(labels) > subsets else []
    credit_curves = [_score_majorities(shuffle, right_labels, len(groups)) for shuffle in shuffles]
    curve = []
    for k in range(1, len(labels) + 1):
        if math.comb(len(labels), k) > subsets:
            curve.append(fmean(credit_curve[k - 1] for credit_curve in credit_curves))
        else:
            scores = (_score_majorities(subset, right_labels, len(groups))[-1] for subset in combinations(labels, k))
            curve.append(fmean(scores))
    return curve


def _score_majorities(labels: Sequence[int], right_labels: set[int], label_count: int) -> list[float]:
    votes, credits, maximum, top_count, right_count = [0] * label_count, list[float](), 0, 0, 0
    for label in labels:
        votes[label] += 1
        if votes[label] > maximum:
            maximum, top_count, right_count = votes[label], 0, 0
        if votes[label] == maximum:
            top_count += 1
            right_count += label in right_labels
        credits.append(right_count / top_count)
    return credits
