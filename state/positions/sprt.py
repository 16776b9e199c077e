"""Wald's sequential probability ratio test of whether a deliberation is done.

Each round either moves a position or does not. "Still moving" is a chance of ½, "done" one of 0.1. The bounds assume
rounds that are independent, which those of a deliberation seldom are: a stop of this kind is no guarantee.

A. Wald, "Sequential tests of statistical hypotheses", Annals of Mathematical Statistics 16 (1945).
"""

import math
from collections.abc import Sequence

MOVING, DONE, ERROR = 0.5, 0.1, 0.05
"""Chance that a round moves somebody while the talk still moves, and when it is done; the error allowed either way."""
BOUND = math.log(ERROR / (1 - ERROR))
"""Sum of log likelihood ratios at or under which the talk is taken to be done: −2.94."""
SOONEST = 2
"""First round after which the test may stop."""


def log_ratio(moves: Sequence[bool]) -> float:
    """Σ ln P(u | still moving) / P(u | done) over the rounds, by whether each moved anybody."""
    return sum(math.log(MOVING / DONE) if one else math.log((1 - MOVING) / (1 - DONE)) for one in moves)


def is_done(moves: Sequence[bool]) -> bool:
    """Whether the test stops after the last of these rounds, if it has not before."""
    return len(moves) >= SOONEST and log_ratio(moves) <= BOUND
