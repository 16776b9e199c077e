"""Wald's sequential probability ratio test of whether a deliberation is done (Wald 1945, Ann. Math. Statist. 16:117).

Each round either moves a position or does not. "Still moving" is a chance of ½, "done" one of 0.1. The bounds assume
rounds that are independent, which those of a deliberation seldom are: a stop of this kind is no guarantee.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

MOVING, DONE = 0.5, 0.1
ALPHA = BETA = 0.05
BOUND = math.log(BETA / (1 - ALPHA))
"""At or below it a deliberation is called done."""
FIRST = 2
"""No round before it ends anything."""


@dataclass(frozen=True)
class Movement:
    """The evidence that positions still move."""

    log_ratio: float
    """Σ ln of the chance of each round if still moving over that if done."""
    done_after: int | None
    """The round, from 1, at which it first fell to the bound; missing where it has not."""


def movement(moved: Sequence[bool]) -> Movement:
    """Whether a deliberation is done, by whether any position changed in each round."""
    total, after = 0.0, None
    for turn, any_moved in enumerate(moved, 1):
        total += math.log(MOVING / DONE) if any_moved else math.log((1 - MOVING) / (1 - DONE))
        if after is None and turn >= FIRST and total <= BOUND:
            after = turn
    return Movement(total, after)
