"""Certificates of votes: whether the first of a talk's independent samples gave what most of them would give.

Only independent samples are draws from one mixture of answers; ballots cast after a talk are none.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ....state.positions import question_of
from ..measures import clusters
from ..plan import Plan
from ..statistics import Certificate, certify, fewest_samples
from .answered import TalkWithArms, samples, worded

ALPHA = 0.05


@dataclass(frozen=True)
class Certified:
    """One talk's samples. `answer`: of the first, in words; `certificate`: none where too few were drawn."""

    run: str
    answer: str
    samples: int
    certificate: Certificate | None

    @property
    def after(self) -> int | None:
        """Samples after which it was certified; none: it was not."""
        return self.certificate.certified_after if self.certificate else None


def certificates(plan: Plan, talks: Sequence[TalkWithArms]) -> list[Certified]:
    """A certificate for each talk whose samples were drawn."""
    if "samples" not in plan.arms:
        return []
    return [one for talk in talks if (one := _certified(plan, talk)) is not None]


def _certified(plan: Plan, talk: TalkWithArms) -> Certified | None:
    answers = [answer for one in samples(talk) for answer in one.winners or ()]
    if not answers or talk.rules is None:
        return None
    question = question_of(talk.rules)
    kinds = {place: number for number, one in enumerate(clusters(answers, question.tolerance)) for place in one}
    alpha = alpha_of(plan)
    found = None
    if len(answers) > fewest_samples(alpha):
        found = certify([kinds[place] for place in range(len(answers))], planned=len(answers), alpha=alpha)
    return Certified(talk.talk.trial.run, worded(answers[0], question), len(answers), found)


def alpha_of(plan: Plan) -> float:
    """The chance of a certificate that does not hold, each."""
    return plan.certificate.alpha if plan.certificate else ALPHA
