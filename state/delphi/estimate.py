"""Estimates, and what everyone is told of a round of them: figures and reasons, never a name."""

from collections import Counter
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from ..positions.rules import Question
from .statistics import pooled_quantile, quantile


class Estimate(BaseModel):
    """What one expert estimated in one round. No other expert is told whose it is."""

    model_config = ConfigDict(frozen=True)

    round: int = Field(ge=1, description="The round it was given in.")
    who: str = Field(description="The expert.")
    answer: str = Field(description="The 50 % quantile, or the option's id.")
    number: float | None = Field(default=None, description="The 50 % quantile; none where it is an option.")
    low: float | None = Field(default=None, description="The 5 % quantile.")
    high: float | None = Field(default=None, description="The 95 % quantile.")
    unit: str = Field(default="", description="The unit of the numbers; empty: none.")
    reason: str = Field(default="", description="Why, in the expert's words.")


class Feedback(BaseModel):
    """What everyone is told of a round. Numbers are in the run's unit."""

    model_config = ConfigDict(frozen=True)

    round: int = Field(ge=1, description="The round.")
    given: int = Field(ge=1, description="Estimates given.")
    median: float | None = Field(default=None, description="Median of the 50 % quantiles; none for options.")
    first_quartile: float | None = Field(default=None, description="Their first quartile.")
    third_quartile: float | None = Field(default=None, description="Their third quartile.")
    lowest: float | None = Field(default=None, description="The lowest of them.")
    highest: float | None = Field(default=None, description="The highest of them.")
    pooled: dict[str, float] = Field(
        default_factory=dict, description="Quantiles of the pooled distribution, by per cent: 5, 25, 50, 75, 95."
    )
    counts: dict[str, int] = Field(default_factory=dict, description="Experts for each option; empty for numbers.")
    reasons: list[Estimate] = Field(
        default_factory=list, description="Estimates outside the quartiles, or of the minority, whose reasons are told."
    )


def fed_back(round: int, given: Sequence[Estimate], question: Question) -> Feedback:
    """What is told of the one or more estimates of a round."""
    if not question.numeric:
        found = Counter(one.answer for one in given)
        counts = {sign: found[sign] for sign in question.signs}
        leading = [sign for sign, count in counts.items() if count == max(counts.values())]
        minority = [one for one in given if leading != [one.answer]]
        return Feedback(round=round, given=len(given), counts=counts, reasons=minority)
    numbers = [one.number for one in given if one.number is not None]
    first, median, third = (quantile(numbers, share) for share in (0.25, 0.5, 0.75))
    experts = [(one.low or 0.0, one.number or 0.0, one.high or 0.0) for one in given]
    return Feedback(
        round=round,
        given=len(given),
        median=median,
        first_quartile=first,
        third_quartile=third,
        lowest=min(numbers),
        highest=max(numbers),
        pooled={f"{share}": pooled_quantile(experts, share / 100) for share in (5, 25, 50, 75, 95)},
        reasons=[one for one in given if one.number is not None and not first <= one.number <= third],
    )


def is_enough(told: Feedback, experts: Sequence[object]) -> bool:
    """Whether two or more, and half of the experts or more, estimated in a round; fewer say nothing of a group."""
    return told.given >= 2 and 2 * told.given >= len(experts)


def movers(estimates: Sequence[Estimate]) -> dict[str, list[Estimate]]:
    """Who changed its answer between its first and its last estimate, with both."""
    own: dict[str, list[Estimate]] = {}
    for one in estimates:
        own.setdefault(one.who, []).append(one)
    return {who: [given[0], given[-1]] for who, given in own.items() if given[0].answer != given[-1].answer}
