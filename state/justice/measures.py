"""Measures of an experiment: mean ranks, first places, and changes between the four rankings.

Missing and default rankings are excluded and counted. Comparing two rankings requires both.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from math import sqrt
from statistics import NormalDist, fmean

from pydantic import Field

from ..frozen_models import FrozenModel
from .phase_results import Phase2Result
from .principle import CERTAINTIES, PRINCIPLES, Principle, Ranking, SharingRule, get_ballot_number, needs_amount


class RankingSummary(FrozenModel):
    """Mean ranks and first places of the principles in one of the four rankings."""

    ranking: int = Field(ge=1, le=4, description="Number of the ranking, 1 to 4.")
    mean_rank: dict[Principle, float] = Field(
        default_factory=dict, description="Mean rank of each principle, 1 (best) to 4; empty: no counted ranking."
    )
    first_places: dict[Principle, int] = Field(
        default_factory=dict, description="Number of first places of each principle."
    )
    counted: int = Field(default=0, ge=0, description="Number of counted rankings.")
    left_out: int = Field(default=0, ge=0, description="Number of missing or defaulted rankings.")


class RankingChange(FrozenModel):
    """Differences between two of the four rankings, over all participants."""

    first: int = Field(ge=1, le=4, description="Number of the earlier ranking.")
    second: int = Field(ge=1, le=4, description="Number of the later ranking.")
    kendall: dict[str, int] = Field(
        default_factory=dict, description="Kendall distance by participant: pairs of principles in opposite order, 0–6."
    )
    kendall_mean: float | None = Field(
        default=None, ge=0, le=6, description="Mean Kendall distance; `None` without a counted participant."
    )
    flips: list[list[int]] = Field(
        default_factory=list,
        description="4 × 4 table of participants: first place before (row) and after (column), principles 1 to 4.",
    )
    certainty_shift: dict[str, int] = Field(
        default_factory=dict, description="Change of certainty by participant, −4 to +4 levels."
    )
    certainty_mean: float | None = Field(
        default=None, ge=-4, le=4, description="Mean change of certainty; `None` without a counted participant."
    )
    certainty_distribution: list[int] = Field(
        default_factory=list, description="Numbers of participants with a change of −4, −3, … +4 levels."
    )
    counted: int = Field(default=0, ge=0, description="Number of counted participants.")
    left_out: int = Field(default=0, ge=0, description="Number of participants with a missing or defaulted ranking.")


class CeilingCheck(FrozenModel):
    """Share of the participants whose first choice is the most common one.

    If it is high, few participants can still move towards this choice.
    """

    warning: bool = Field(default=False, description="Whether the share reaches the threshold.")
    principle: Principle | None = Field(
        default=None, description="Principle with the most first places; among equals, the lowest number."
    )
    share: float | None = Field(
        default=None, ge=0, le=1, description="Share of this principle in the counted first rankings."
    )
    threshold: float = Field(
        default=0.8, ge=0.5, le=1, description="Share from which on Moot warns of a common first choice."
    )
    counted: int = Field(default=0, ge=0, description="Number of counted rankings.")
    left_out: int = Field(default=0, ge=0, description="Number of missing or defaulted rankings.")


class Measures(FrozenModel):
    """Measures of the rankings in one experiment."""

    standings: list[RankingSummary] = Field(default_factory=list, description="Summaries of rankings 1 to 4.")
    changes: list[RankingChange] = Field(
        default_factory=list, description="Changes from ranking 1 to 2, 2 to 3, 3 to 4, and 1 to 4."
    )
    ceiling: CeilingCheck = Field(
        default=CeilingCheck(), description="Check whether the first rankings leave room for change."
    )


RankingsById = Mapping[str, Sequence[Ranking | None]]
"""Rankings 1 to 4 by participant id, `None` where one is missing."""


def compute_measures(rankings: RankingsById, ceiling_warning_share: float = 0.8) -> Measures:
    """Compute all measures of the participants' four rankings.

    `ceiling_warning_share`: threshold of `detect_ceiling`.
    """
    return Measures(
        standings=[summarize_ranking(rankings, number) for number in range(1, 5)],
        changes=[compute_change(rankings, first, second) for first, second in ((1, 2), (2, 3), (3, 4), (1, 4))],
        ceiling=detect_ceiling(rankings, ceiling_warning_share),
    )


def compute_kendall_distance(first: Ranking, second: Ranking) -> int:
    """Count the pairs of principles that the two rankings put in opposite order (Kendall, 1938).

    The distance runs from 0 (equal) to 6 (reversed).
    """
    pairs = combinations(PRINCIPLES, 2)
    return sum((first.get_rank(a) < first.get_rank(b)) != (second.get_rank(a) < second.get_rank(b)) for a, b in pairs)


def summarize_ranking(rankings: RankingsById, number: int) -> RankingSummary:
    """Compute the mean ranks and first places in ranking number 1, 2, 3 or 4."""
    usable_rankings = _select_usable_rankings(rankings, number)
    left_out = len(rankings) - len(usable_rankings)
    if not usable_rankings:
        return RankingSummary(ranking=number, first_places=dict.fromkeys(PRINCIPLES, 0), left_out=left_out)
    first_places = Counter(ranking.order[0] for ranking in usable_rankings.values())
    return RankingSummary(
        ranking=number,
        mean_rank={
            principle: sum(ranking.get_rank(principle) for ranking in usable_rankings.values()) / len(usable_rankings)
            for principle in PRINCIPLES
        },
        first_places={principle: first_places[principle] for principle in PRINCIPLES},
        counted=len(usable_rankings),
        left_out=left_out,
    )


def compute_change(rankings: RankingsById, first: int, second: int) -> RankingChange:
    """Compute the change from ranking number `first` to `second`, over participants with both rankings."""
    before, after = _select_usable_rankings(rankings, first), _select_usable_rankings(rankings, second)
    ids = [id for id in rankings if id in before and id in after]
    distances = {id: compute_kendall_distance(before[id], after[id]) for id in ids}
    shifts = {id: _get_certainty_level(after[id]) - _get_certainty_level(before[id]) for id in ids}
    pairs = [(before[id], after[id]) for id in ids]
    counts = Counter((get_ballot_number(before.order[0]), get_ballot_number(after.order[0])) for before, after in pairs)
    return RankingChange(
        first=first,
        second=second,
        kendall=distances,
        kendall_mean=_compute_mean(distances.values()),
        flips=[[counts[row, column] for column in range(1, 5)] for row in range(1, 5)],
        certainty_shift=shifts,
        certainty_mean=_compute_mean(shifts.values()),
        certainty_distribution=[list(shifts.values()).count(levels) for levels in range(-4, 5)],
        counted=len(ids),
        left_out=len(rankings) - len(ids),
    )


def detect_ceiling(rankings: RankingsById, threshold: float) -> CeilingCheck:
    """Find the most common first place in ranking 1, and compare its share with `threshold`."""
    summary = summarize_ranking(rankings, 1)
    if not summary.counted:
        return CeilingCheck(threshold=threshold, left_out=summary.left_out)
    principle = max(PRINCIPLES, key=lambda candidate: summary.first_places[candidate])
    share = summary.first_places[principle] / summary.counted
    return CeilingCheck(
        warning=share >= threshold,
        principle=principle,
        share=share,
        threshold=threshold,
        counted=summary.counted,
        left_out=summary.left_out,
    )


def combine_rankings(runs: Sequence[RankingsById]) -> dict[str, Sequence[Ranking | None]]:
    """Combine the rankings of several runs under the keys `run:participant`, with runs counted from 1."""
    return {f"{number}:{id}": rankings for number, run in enumerate(runs, 1) for id, rankings in run.items()}


def _select_usable_rankings(rankings: RankingsById, number: int) -> dict[str, Ranking]:
    given_rankings = {id: stages[number - 1] for id, stages in rankings.items() if len(stages) >= number}
    return {id: ranking for id, ranking in given_rankings.items() if ranking is not None and not ranking.defaulted}


def _get_certainty_level(ranking: Ranking) -> int:
    return CERTAINTIES.index(ranking.certainty)


def _compute_mean(values: Collection[int]) -> float | None:
    return fmean(values) if values else None


class WilsonRate(FrozenModel):
    """Share of cases with its 95 % Wilson interval."""

    count: int = Field(default=0, ge=0, description="Number of true cases.")
    of: int = Field(default=0, ge=0, description="Number of counted cases.")
    share: float | None = Field(
        default=None, ge=0, le=1, description="Share of true cases; `None` without a counted case."
    )
    low: float | None = Field(default=None, ge=0, le=1, description="Lower end of the interval.")
    high: float | None = Field(default=None, ge=0, le=1, description="Upper end of the interval.")
    left_out: int = Field(default=0, ge=0, description="Cases that could not be counted.")


class AdoptedRule(FrozenModel):
    """Rule that groups adopted, with the number of runs that adopted it."""

    rule: SharingRule = Field(description="Principle and amount.")
    runs: int = Field(ge=1, description="Number of runs that adopted this rule.")


class SeriesSummary(FrozenModel):
    """Results of the group phase over one or more runs."""

    consensus: WilsonRate = Field(
        default=WilsonRate(), description="Rate of runs with consensus, without imposed rules and aborted runs."
    )
    agreed: list[AdoptedRule] = Field(default_factory=list, description="Adopted rules, most frequent first.")
    constraint_satisfied: WilsonRate = Field(
        default=WilsonRate(), description="Rate of adopted amounts that a distribution met."
    )
    binding: WilsonRate = Field(
        default=WilsonRate(), description="Rate of adopted amounts that excluded at least one distribution."
    )
    decisive: WilsonRate = Field(default=WilsonRate(), description="Rate of adopted amounts that changed the outcome.")


def compute_wilson_interval(count: int, total: int, confidence: float = 0.95) -> tuple[float, float]:
    """Compute the Wilson score interval of `count` successes in `total` ≥ 1 trials (Wilson, 1927)."""
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, weight = count / total, z * z / total
    centre = (share + weight / 2) / (1 + weight)
    half_width = z / (1 + weight) * sqrt(share * (1 - share) / total + weight / total / 4)
    return max(0.0, centre - half_width), min(1.0, centre + half_width)


def compute_rate(cases: Sequence[bool | None]) -> WilsonRate:
    """Compute the share of `True` cases and its interval. `None` cases are excluded and counted apart."""
    known_cases = [case for case in cases if case is not None]
    count, total, left_out = sum(known_cases), len(known_cases), len(cases) - len(known_cases)
    if not total:
        return WilsonRate(left_out=left_out)
    low, high = compute_wilson_interval(count, total)
    return WilsonRate(count=count, of=total, share=count / total, low=low, high=high, left_out=left_out)


def summarize_runs(runs: Sequence[Phase2Result | None]) -> SeriesSummary:
    """Summarize the group phase of several runs.

    `None` in `runs` stands for a run that did not reach the group phase.
    """
    agreements = [(run, run.adopted_rule) for run in runs if run is not None and run.consensus_reached]
    rule_counts = Counter(rule for _, rule in agreements if rule)
    constrained_runs = [run for run, rule in agreements if rule and needs_amount(rule.principle)]
    return SeriesSummary(
        consensus=compute_rate([run.consensus_reached if run else None for run in runs]),
        agreed=[AdoptedRule(rule=rule, runs=count) for rule, count in rule_counts.most_common()],
        constraint_satisfied=compute_rate([run.constraint_satisfied for run in constrained_runs]),
        binding=compute_rate([run.binding for run in constrained_runs]),
        decisive=compute_rate([run.decisive for run in constrained_runs]),
    )
