"""Accuracy and spend of the majority as the number of independent samples grows."""

from collections.abc import Sequence
from statistics import fmean

from ....state.positions import build_answer_format
from ..measures import compute_accuracy_curve
from .answers import TalkWithArms, list_samples, sum_spends
from .truth import find_truth

CurvePoint = tuple[float, float, float, float | None]
"""Calls, tokens, accuracy, money."""


def compute_sample_curve(talks: Sequence[TalkWithArms], seed: int) -> list[CurvePoint]:
    """Return a point for each number of samples, up to the fewest samples of a talk."""
    talk_curves = [points for talk in talks if (points := _compute_talk_curve(talk, seed))]
    length = min((len(curve_points) for curve_points in talk_curves), default=0)
    return [_compute_mean_point([curve_points[k] for curve_points in talk_curves]) for k in range(length)]


def count_shortfalls(talks: Sequence[TalkWithArms]) -> dict[str, int]:
    """Count the talks whose calls or tokens exceed those of their samples, by measure."""
    counts = {measure: sum(_has_shortfall(talk, measure) for talk in talks) for measure in ("calls", "tokens")}
    return {measure: count for measure, count in counts.items() if count}


def _compute_talk_curve(talk: TalkWithArms, seed: int) -> list[CurvePoint]:
    """Return the accuracy of k samples of one talk, with the mean spend of k samples."""
    drawn_samples = list_samples(talk)
    answer_format = build_answer_format(talk.settings) if talk.settings else None
    truth = find_truth(talk.run.planned.item, answer_format) if answer_format else None
    answers = [answer for sample in drawn_samples for answer in sample.winners or ()]
    if answer_format is None or truth is None or not answers:
        return []
    total_spend, sample_count = sum_spends([sample.spent for sample in drawn_samples]), len(drawn_samples)
    accuracies = compute_accuracy_curve(
        answers, truth, seed=seed, purpose=[talk.run.planned.run], tolerance=answer_format.tolerance
    )
    cost = None if total_spend.cost is None else total_spend.cost / sample_count
    mean_spend = (total_spend.calls / sample_count, total_spend.tokens / sample_count)
    return [
        (k * mean_spend[0], k * mean_spend[1], accuracy, None if cost is None else k * cost)
        for k, accuracy in enumerate(accuracies, 1)
    ]


def _compute_mean_point(points: Sequence[CurvePoint]) -> CurvePoint:
    costs = [point[3] for point in points]
    cost = None if None in costs else fmean(amount for amount in costs if amount is not None)
    return (
        fmean(point[0] for point in points),
        fmean(point[1] for point in points),
        fmean(point[2] for point in points),
        cost,
    )


def _has_shortfall(talk: TalkWithArms, measure: str) -> bool:
    drawn_samples, document = list_samples(talk), talk.run.document
    samples_spend = sum(sample.spent.calls if measure == "calls" else sample.spent.tokens for sample in drawn_samples)
    return (
        bool(drawn_samples)
        and document is not None
        and samples_spend < document["totalCalls" if measure == "calls" else "totalTokens"]
    )
