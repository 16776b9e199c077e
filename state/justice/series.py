"""A series of runs: how often groups agree, on what, and what the amounts did."""

from collections import Counter
from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist

from pydantic import BaseModel, ConfigDict, Field

from .phases import Phase2Result
from .principle import SharingRule, needs_amount


class Rate(BaseModel):
    """A share of cases with its 95 % Wilson interval."""

    model_config = ConfigDict(frozen=True)

    count: int = Field(default=0, ge=0, description="Cases in which it holds.")
    of: int = Field(default=0, ge=0, description="Cases counted.")
    share: float | None = Field(default=None, ge=0, le=1, description="count / of; none without cases.")
    low: float | None = Field(default=None, ge=0, le=1, description="Lower end of the interval.")
    high: float | None = Field(default=None, ge=0, le=1, description="Upper end of the interval.")
    left_out: int = Field(default=0, ge=0, description="Cases that could not be counted.")


class Agreed(BaseModel):
    """A rule that was adopted, and how often."""

    model_config = ConfigDict(frozen=True)

    rule: SharingRule = Field(description="Principle and amount.")
    runs: int = Field(ge=1, description="Runs in which it was adopted.")


class Series(BaseModel):
    """What is reported of the group phase over one or more runs."""

    model_config = ConfigDict(frozen=True)

    consensus: Rate = Field(default=Rate(), description="Runs that reached consensus; left out: imposed or broken off.")
    agreed: list[Agreed] = Field(default_factory=list, description="What was adopted, most frequent first.")
    constraint_satisfied: Rate = Field(default=Rate(), description="Of the adopted amounts: met by a distribution.")
    binding: Rate = Field(default=Rate(), description="Of the adopted amounts: excluded at least one distribution.")
    decisive: Rate = Field(default=Rate(), description="Of the adopted amounts: changed the outcome.")


def wilson_interval(count: int, of: int, confidence: float = 0.95) -> tuple[float, float]:
    """The Wilson score interval of `count` successes in `of` ≥ 1 trials (Wilson, 1927), within [0, 1]."""
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, weight = count / of, z * z / of
    centre = (share + weight / 2) / (1 + weight)
    half = z / (1 + weight) * sqrt(share * (1 - share) / of + weight / of / 4)
    return max(0.0, centre - half), min(1.0, centre + half)


def rate(cases: Sequence[bool | None]) -> Rate:
    """The share of true cases; those that are None are left out and counted."""
    counted = [case for case in cases if case is not None]
    count, of, left_out = sum(counted), len(counted), len(cases) - len(counted)
    if not of:
        return Rate(left_out=left_out)
    low, high = wilson_interval(count, of)
    return Rate(count=count, of=of, share=count / of, low=low, high=high, left_out=left_out)


def series(runs: Sequence[Phase2Result | None]) -> Series:
    """What is reported of the group phase of `runs`; None stands for a run that did not get there."""
    agreed = [(run, run.agreed_rule) for run in runs if run is not None and run.consensus_reached]
    rules = Counter(rule for _, rule in agreed if rule)
    constrained = [run for run, rule in agreed if rule and needs_amount(rule.principle)]
    return Series(
        consensus=rate([run.consensus_reached if run else None for run in runs]),
        agreed=[Agreed(rule=rule, runs=count) for rule, count in rules.most_common()],
        constraint_satisfied=rate([run.constraint_satisfied for run in constrained]),
        binding=rate([run.binding for run in constrained]),
        decisive=rate([run.decisive for run in constrained]),
    )
