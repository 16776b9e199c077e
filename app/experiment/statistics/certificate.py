"""A certificate that the first sample's answer is the mode of what a model would answer, never that it is true.

The first sample names the answer; the samples after it are counted for it and against each rival. E(a, b) =
2^(a+b+1)·B(a+1, b+1)·P[Beta(a+1, b+1) > ½] bounds the chance that a rival is at least as frequent (see `sequential`);
the rival is the worst one, an unseen one included.
"""

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from ....state.refused import Refused
from .sequential import log_e_of_counts


@dataclass(frozen=True)
class Certificate:
    """Whether an answer is certified as the mode, and by which counts."""

    answer: Hashable
    votes: int
    """Samples after the first that gave the answer."""
    rival_votes: int
    """Samples that gave its strongest rival; 0 where no other answer was given."""
    log_e: float
    alpha: float
    certified_after: int | None
    """Samples, the first included, after which the evidence first reached 1/α; missing where it has not."""

    @property
    def e(self) -> float:
        """The evidence."""
        return math.exp(self.log_e) if self.log_e < 700 else math.inf


def fewest_samples(alpha: float = 0.05) -> int:
    """Samples after the first that are enough if all agree with it: the least a with (2^(a+1) − 1)/(a + 1) ≥ 1/α."""
    if not 0 < alpha < 1:
        raise Refused("alpha", alpha, "give a share above 0 and below 1, such as 0.05")
    return next(a for a in range(1, 2000) if (2 ** (a + 1) - 1) / (a + 1) >= 1 / alpha)


def certify(answers: Sequence[Hashable], *, planned: int, alpha: float = 0.05) -> Certificate:
    """Certify the first of independent samples' answers, looking after each; answers that are the same are equal keys.

    `planned`: samples the plan can draw in all. Raises `Refused` where these cannot be enough. Ballots cast after a
    talk are no independent draws: they must not be given here.
    """
    least = fewest_samples(alpha) + 1
    if planned < least:
        remedy = f"a vote can be certified at alpha = {alpha:g} with {least} independent samples or more"
        raise Refused("samples", planned, remedy)
    if not answers:
        raise Refused("samples", 0, "there is no answer to certify")
    votes, rivals = _counts(answers)
    logs = log_e_of_counts(votes, rivals)
    reached = np.flatnonzero(logs >= -math.log(alpha) - 1e-12)
    after = int(reached[0]) + 1 if reached.size else None
    return Certificate(answers[0], int(votes[-1]), int(rivals[-1]), float(logs[-1]), alpha, after)


def _counts(answers: Sequence[Hashable]) -> tuple[np.ndarray, np.ndarray]:
    """After each sample: votes of the first one's answer among those after it, and of its strongest rival."""
    counted: Counter[Hashable] = Counter()
    votes, rivals = [0], [0]
    for answer in answers[1:]:
        counted[answer] += 1
        votes.append(counted[answers[0]])
        rivals.append(rivals[-1] if answer == answers[0] else max(rivals[-1], counted[answer]))
    return np.array(votes, dtype=np.float64), np.array(rivals, dtype=np.float64)
