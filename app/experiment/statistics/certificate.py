"""Certificate that the first sample's answer is the mode of a model's answers, true or not.

The first sample names the answer. The samples after it are counted for it and against each rival.
E(a, b) = 2^(a+b+1)·B(a+1, b+1)·P[Beta(a+1, b+1) > ½] bounds the chance that a rival is at least as frequent
(see `sequential`). Its b counts the strongest rival, so that E holds against every rival, unseen ones included.
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
    stopping_time: int | None
    """Samples, the first included, after which the evidence first reached 1/α; `None` before that."""

    @property
    def e(self) -> float:
        """Return the evidence."""
        return math.exp(self.log_e) if self.log_e < 700 else math.inf


def compute_min_samples(alpha: float = 0.05) -> int:
    """Return the fewest further samples that certify the first answer if all of them give it.

    It is the smallest a with (2^(a+1) − 1)/(a + 1) ≥ 1/α.
    """
    if not 0 < alpha < 1:
        raise InputError("alpha", alpha, "give a share above 0 and below 1, such as 0.05")
    return next(a for a in range(1, 2000) if (2 ** (a + 1) - 1) / (a + 1) >= 1 / alpha)


def certify_mode(answers: Sequence[Hashable], *, max_samples: int, alpha: float = 0.05) -> Certificate:
    """Test after each independent sample whether the first answer is the mode.

    `answers`: keys that are equal for equal answers, in the order drawn. Ballots cast after a talk are not
    independent and must not be used. `max_samples`: most samples that the plan can draw. Raises `InputError` if
    these cannot suffice.
    """
    min_count = compute_min_samples(alpha) + 1
    if max_samples < min_count:
        remedy = f"a vote can be certified at alpha = {alpha:g} with {min_count} independent samples or more"
        raise InputError("samples", max_samples, remedy)
    if not answers:
        raise InputError("samples", 0, "there is no answer to certify")
    votes, rival_votes = _count_votes(answers)
    log_e_values = compute_log_e_from_counts(votes, rival_votes)
    crossings = np.flatnonzero(log_e_values >= -math.log(alpha) - 1e-12)
    stopping_time = int(crossings[0]) + 1 if crossings.size else None
    return Certificate(answers[0], int(votes[-1]), int(rival_votes[-1]), float(log_e_values[-1]), alpha, stopping_time)


def _count_votes(answers: Sequence[Hashable]) -> tuple[np.ndarray, np.ndarray]:
    """Return the votes for the first answer and for its strongest rival after each sample.

    The first sample is not counted as a vote.
    """
    counter: Counter[Hashable] = Counter()
    votes, rival_votes = [0], [0]
    for answer in answers[1:]:
        counter[answer] += 1
        votes.append(counter[answers[0]])
        rival_votes.append(rival_votes[-1] if answer == answers[0] else max(rival_votes[-1], counter[answer]))
    return np.array(votes, dtype=np.float64), np.array(rival_votes, dtype=np.float64)
