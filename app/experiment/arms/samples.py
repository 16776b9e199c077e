"""Independent samples for a deliberation: their majority's accuracy, and certificates.

The samples must be independent, from a single distribution of answers. Ballots after a deliberation are not
independent.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from statistics import fmean

from .. import MAX_SAMPLES, Plan, plan_runs
from ..measures import Spend, SpendKey, compute_accuracy_curve, label_answers, sum_spends
from ..statistics import Certificate, certify_mode, compute_min_samples
from .answers import TalkWithArms, format_answer

CurvePoint = tuple[float, float, float, float | None]
"""Point of the curve: calls, tokens, accuracy, money."""


@dataclass(frozen=True)
class CertifiedTalk:
    """Samples of one deliberation, with the certificate for the first sample's answer.

    `answer`: the first sample's answer in words. `certificate`: `None` with too few samples.
    """

    run: str
    answer: str
    samples: int
    certificate: Certificate | None


def certify_talks(plan: Plan, talks: Sequence[TalkWithArms]) -> list[CertifiedTalk]:
    """Return the certificates for all deliberations that have samples; empty without samples in the plan."""
    alpha, certified_talks = plan.certificate_alpha, []
    family_size = sum(not planned_run.arm for planned_run in plan_runs(plan))
    for talk in talks if "samples" in plan.arms else ():
        answers = [answer for sample in talk.list_samples() for answer in sample.winners or ()]
        if answers and talk.settings is not None:
            keys, certificate = label_answers(answers, talk.answer_format.tolerance), None
            if len(keys) > compute_min_samples(alpha):
                certificate = certify_mode(keys, alpha=alpha, family_size=family_size)
            first_answer = format_answer(answers[0], talk.answer_format)
            certified_talks.append(CertifiedTalk(talk.run.planned.run, first_answer, len(answers), certificate))
    return certified_talks


def compute_sample_curve(talks: Sequence[TalkWithArms], seed: int) -> list[CurvePoint]:
    """Return a point of the accuracy curve for each number of samples.

    The curve ends at the smallest number of samples of any deliberation. `seed`: seed of the draws.
    """
    talk_curves: list[list[CurvePoint]] = []
    for talk in talks:
        samples = talk.list_samples()
        answers = [answer for sample in samples for answer in sample.winners or ()]
        if talk.truth is not None and answers:
            run, tolerance = talk.run.planned.run, talk.answer_format.tolerance
            scores = compute_accuracy_curve(answers, talk.truth, seed=seed, purpose=[run], tolerance=tolerance)
            mean = sum_spends([sample.spent for sample in samples]).divide(len(samples))
            talk_curves.append(
                [
                    (k * mean.calls, k * mean.tokens, accuracy, None if mean.cost is None else k * mean.cost)
                    for k, accuracy in enumerate(scores, 1)
                ]
            )
    curve = []
    for talk_points in zip(*talk_curves, strict=False):
        calls, tokens, accuracies, costs = zip(*talk_points, strict=True)
        curve.append((fmean(calls), fmean(tokens), fmean(accuracies), None if None in costs else fmean(costs)))
    return curve


@dataclass(frozen=True)
class Shortfall:
    """How far samples cost less than their deliberations.

    `count`: number of deliberations with this shortfall. `reached`, `needed`: mean spending of their samples, and of
    the deliberations. `samples`: largest number of samples that a deliberation would need, at the mean cost of its
    samples.
    """

    count: int
    measure: SpendKey
    reached: Spend
    needed: Spend
    samples: int


def find_shortfall(talks: Sequence[TalkWithArms], arm: str, model: str, key: SpendKey) -> Shortfall | None:
    """Return how far an arm's samples cost less than their deliberations, in money, tokens or calls.

    `model`: model of the samples, or empty for all. `key`: measure of spending. Return `None` if all samples reach the
    deliberation's amount.
    """
    spends, counts = [], []
    for talk in talks:
        samples, target = talk.list_samples(arm, model), talk.find_target_spend(arm)
        spent = sum_spends([sample.spent for sample in samples])
        amount, needed = spent.find_amount(key), target.find_amount(key) if target else None
        if samples and target and needed is not None and amount is not None and amount < needed:
            spends.append((spent, target))
            counts.append(len(samples) / max(amount / needed, 1e-9))
    if not spends:
        return None
    reached, needed_spend = (sum_spends(own_spends).divide(len(spends)) for own_spends in zip(*spends, strict=True))
    return Shortfall(len(spends), key, reached, needed_spend, min(MAX_SAMPLES, ceil(max(counts))))
