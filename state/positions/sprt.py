"""Wald's sequential probability ratio test for the end of a deliberation.

Each round either changes a position or does not. "Still moving" is a chance of ½, "done" one of 0.1.
The bounds assume independent rounds, and those of a deliberation seldom are: a stop of this kind is no
guarantee.

A. Wald, "Sequential tests of statistical hypotheses", Annals of Mathematical Statistics 16 (1945).
"""

import math
from collections.abc import Sequence

MOVE_CHANCE_OPEN, MOVE_CHANCE_DONE, TEST_ERROR = 0.5, 0.1, 0.05
"""Chance that a round moves somebody while the talk still moves, and when it is done; the error allowed either way."""
LOG_RATIO_BOUND = math.log(TEST_ERROR / (1 - TEST_ERROR))
"""Sum of log likelihood ratios at or below which the talk counts as done: −2.94."""
MIN_TEST_ROUNDS = 2
"""First round after which the test may stop."""


def compute_log_ratio(moves: Sequence[bool]) -> float:
    """Compute Σ ln P(u | still moving) / P(u | done) over the rounds, by whether each changed a position."""
    return sum(
        math.log(MOVE_CHANCE_OPEN / MOVE_CHANCE_DONE)
        if has_moved
        else math.log((1 - MOVE_CHANCE_OPEN) / (1 - MOVE_CHANCE_DONE))
        for has_moved in moves
    )


def is_done(moves: Sequence[bool]) -> bool:
    """Return whether the test stops after the last of these rounds, if it has not stopped before."""
    return len(moves) >= MIN_TEST_ROUNDS and compute_log_ratio(moves) <= LOG_RATIO_BOUND
