"""Estimates, and the anonymous feedback on a round of estimates: figures and reasons."""

from collections import Counter
from collections.abc import Sequence

from pydantic import Field

from ..frozen_models import FrozenModel
from ..positions.settings import AnswerFormat
from .statistics import compute_pooled_quantile, compute_quantile


class ExpertEstimate(FrozenModel):
    """Estimate of one expert in one round. Other experts never learn its author."""

    round: int = Field(ge=1, description="Round of the estimate.")
    who: str = Field(description="Expert that gave the estimate.")
    answer: str = Field(description="The 50 % quantile, or the option's id.")
    number: float | None = Field(default=None, description="The 50 % quantile; none: the answer is an option.")
    low: float | None = Field(default=None, description="The 5 % quantile.")
    high: float | None = Field(default=None, description="The 95 % quantile.")
    unit: str = Field(default="", description="Unit of the numbers; empty: none.")
    reason: str = Field(default="", description="Reason in the expert's words.")


class RoundFeedback(FrozenModel):
    """Feedback on a round to all experts. Numbers are in the run's unit."""

    round: int = Field(ge=1, description="Round of the estimates.")
    estimate_count: int = Field(ge=1, description="Number of estimates.")
    median: float | None = Field(default=None, description="Median of the experts' 50 % quantiles; none for options.")
    first_quartile: float | None = Field(default=None, description="First quartile of the experts' 50 % quantiles.")
    third_quartile: float | None = Field(default=None, description="Third quartile of the experts' 50 % quantiles.")
    lowest: float | None = Field(default=None, description="Lowest 50 % quantile.")
    highest: float | None = Field(default=None, description="Highest 50 % quantile.")
    pooled: dict[str, float] = Field(
        default_factory=dict, description="Quantiles of the pooled distribution, by per cent: 5, 25, 50, 75, 95."
    )
    counts: dict[str, int] = Field(default_factory=dict, description="Experts for each option; empty for numbers.")
    reasons: list[ExpertEstimate] = Field(
        default_factory=list, description="Estimates outside the quartiles, or of the minority, with their reasons."
    )


def summarize_estimates(round: int, estimates: Sequence[ExpertEstimate], answer_format: AnswerFormat) -> RoundFeedback:
    """Summarize the estimates of a round for all experts. `estimates` must not be empty."""
    if not answer_format.is_numeric:
        answer_counts = Counter(estimate.answer for estimate in estimates)
        counts = {sign: answer_counts[sign] for sign in answer_format.signs}
        leading_signs = [sign for sign, count in counts.items() if count == max(counts.values())]
        minority_estimates = [estimate for estimate in estimates if leading_signs != [estimate.answer]]
        return RoundFeedback(round=round, estimate_count=len(estimates), counts=counts, reasons=minority_estimates)
    numbers = [estimate.number for estimate in estimates if estimate.number is not None]
    first, median, third = (compute_quantile(numbers, share) for share in (0.25, 0.5, 0.75))
    quantile_triples = [(estimate.low or 0.0, estimate.number or 0.0, estimate.high or 0.0) for estimate in estimates]
    return RoundFeedback(
        round=round,
        estimate_count=len(estimates),
        median=median,
        first_quartile=first,
        third_quartile=third,
        lowest=min(numbers),
        highest=max(numbers),
        pooled={f"{share}": compute_pooled_quantile(quantile_triples, share / 100) for share in (5, 25, 50, 75, 95)},
        reasons=[
            estimate for estimate in estimates if estimate.number is not None and not first <= estimate.number <= third
        ],
    )


def has_enough_estimates(feedback: RoundFeedback, experts: Sequence[object]) -> bool:
    """Return whether at least two experts, and at least half of them, estimated in a round."""
    return feedback.estimate_count >= 2 and 2 * feedback.estimate_count >= len(experts)


def map_changed_estimates(estimates: Sequence[ExpertEstimate]) -> dict[str, list[ExpertEstimate]]:
    """Map each expert to its first and last estimate, if the two have different answers."""
    estimates_by_expert: dict[str, list[ExpertEstimate]] = {}
    for estimate in estimates:
        estimates_by_expert.setdefault(estimate.who, []).append(estimate)
    return {
        name: [series[0], series[-1]]
        for name, series in estimates_by_expert.items()
        if series[0].answer != series[-1].answer
    }
