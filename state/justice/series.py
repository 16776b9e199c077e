"""Summary of several runs: consensus rates, adopted rules, and the effect of the amounts."""

from collections import Counter
from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist

from pydantic import Field

from ..frozen import FrozenModel
from .phases import Phase2Result
from .principle import SharingRule, needs_amount


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
    """Adopted rule and the number of runs that adopted it."""

    rule: SharingRule = Field(description="Principle and amount.")
    runs: int = Field(ge=1, description="Number of runs that adopted it.")


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
    """Compute the share of true cases. `None` cases are excluded and counted."""
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
