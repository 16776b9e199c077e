"""Certificates of votes: the first of a talk's independent samples is the model's most common answer.

Only independent samples are draws from one mixture of answers. Ballots cast after a talk are not.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ....state.positions import build_answer_format
from ..measures import group_answers
from ..plan import Plan
from ..statistics import Certificate, certify_mode, compute_min_samples
from .answers import TalkWithArms, format_answer, list_samples

CERTIFICATE_ALPHA = 0.05


@dataclass(frozen=True)
class CertifiedTalk:
    """Samples of one talk with their certificate."""

    run: str
    answer: str
    """First sample's answer in words."""
    samples: int
    certificate: Certificate | None
    """Certificate; `None` with too few samples."""

    @property
    def stopping_time(self) -> int | None:
        """Return the number of samples after which the answer was certified, or `None`."""
        return self.certificate.stopping_time if self.certificate else None


def certify_talks(plan: Plan, talks: Sequence[TalkWithArms]) -> list[CertifiedTalk]:
    """Return a certificate for each talk with samples; empty if the plan has none."""
    if "samples" not in plan.arms:
        return []
    return [certified_talk for talk in talks if (certified_talk := _certify_talk(plan, talk)) is not None]


def _certify_talk(plan: Plan, talk: TalkWithArms) -> CertifiedTalk | None:
    answers = [answer for sample in list_samples(talk) for answer in sample.winners or ()]
    if not answers or talk.settings is None:
        return None
    answer_format = build_answer_format(talk.settings)
    cluster_numbers = {
        index: number
        for number, cluster in enumerate(group_answers(answers, answer_format.tolerance))
        for index in cluster
    }
    alpha = get_certificate_alpha(plan)
    certificate = None
    if len(answers) > compute_min_samples(alpha):
        certificate = certify_mode(
            [cluster_numbers[index] for index in range(len(answers))], max_samples=len(answers), alpha=alpha
        )
    return CertifiedTalk(talk.run.planned.run, format_answer(answers[0], answer_format), len(answers), certificate)


def get_certificate_alpha(plan: Plan) -> float:
    """Return the chance of a false certificate, which holds for each talk."""
    return plan.certificate.alpha if plan.certificate else CERTIFICATE_ALPHA
