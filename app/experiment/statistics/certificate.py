"""Certificate that the first sample's answer is the mode of a model's answers, true or not.

The first sample names the answer. The samples after it are counted for it and against each rival.
E(a, b) = 2^(a+b+1)·B(a+1, b+1)·P[Beta(a+1, b+1) > ½] bounds the chance that a rival is at least as frequent
(see `sequential`). The rival is the worst one, possible unseen ones included.
"""

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from ....state.errors import InputError
from .sequential import compute_log_e_from_counts


@dataclass(frozen=True)
class Certificate:
    """Certification of an answer as the mode, with its counts."""

    answer: Hashable
    votes: int
    """Samples after the first that gave the answer."""
    rival_votes: int
    """Samples that gave its strongest rival; 0 without another answer."""
    log_e: float
    alpha: float
    certified_after: int | None
    """Samples, the first included, after which the evidence first reached 1/α; `None` before that."""

    @property
    def e(self) -> float:
        """Return the evidence."""
        return math.exp(self.log_e) if self.log_e < 700 else math.inf


def compute_min_samples(alpha: float = 0.05) -> int:
    """Return the fewest samples after the first that certify it if all agree.

    It is the smallest a with (2^(a+1) − 1)/(a + 1) ≥ 1/α.
    """
    if not 0 < alpha < 1:
        raise InputError("alpha", alpha, "give a share above 0 and below 1, such as 0.05")
    return next(a for a in range(1, 2000) if (2 ** (a + 1) - 1) / (a + 1) >= 1 / alpha)


def certify_mode(answers: Sequence[Hashable], *, planned: int, alpha: float = 0.05) -> Certificate:
    """Certify the first of independent samples' answers, with a test after each sample.

    Equal answers are equal keys. `planned`: samples that the plan can draw in all. Raises `InputError` if these
    cannot suffice. Ballots cast after a talk are not independent draws and must not be used.
    """
    minimum = compute_min_samples(alpha) + 1
    if planned < minimum:
        remedy = f"a vote can be certified at alpha = {alpha:g} with {minimum} independent samples or more"
        raise InputError("samples", planned, remedy)
    if not answers:
        raise InputError("samples", 0, "there is no answer to certify")
    votes, rivals = _count_votes(answers)
    logs = compute_log_e_from_counts(votes, rivals)
    passes = np.flatnonzero(logs >= -math.log(alpha) - 1e-12)
    after = int(passes[0]) + 1 if passes.size else None
    return Certificate(answers[0], int(votes[-1]), int(rivals[-1]), float(logs[-1]), alpha, after)


def _count_votes(answers: Sequence[Hashable]) -> tuple[np.ndarray, np.ndarray]:
    """Return after each sample the later votes for the first answer and for its strongest rival."""
    counter: Counter[Hashable] = Counter()
    votes, rivals = [0], [0]
    for answer in answers[1:]:
        counter[answer] += 1
        votes.append(counter[answers[0]])
        rivals.append(rivals[-1] if answer == answers[0] else max(rivals[-1], counter[answer]))
    return np.array(votes, dtype=np.float64), np.array(rivals, dtype=np.float64)
