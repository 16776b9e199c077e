"""Comprehension test before Phase 1: four questions whose answers Moot computes.

Each question asks which distribution a principle selects.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final, Self

from pydantic import Field

from ..answers.labelled_lines import ReadAs
from ..frozen_models import FrozenModel
from .distribution_choice import make_median_rule, select_distribution
from .income import DistributionId, DistributionSet
from .principle import PRINCIPLES, Principle, SharingRule, needs_amount

QUESTION_COUNT: Final = len(PRINCIPLES)


class ComprehensionAnswer(FrozenModel):
    """Question of the test, with its correct answer and the participant's replies."""

    principle: Principle = Field(description="Principle in the question.")
    constraint_amount: int | None = Field(
        default=None, gt=0, description="Amount in the question, for principles 3 and 4."
    )
    answer: DistributionId = Field(description="Distribution that the principle selects.")
    given: DistributionId | None = Field(default=None, description="Last readable answer; `None` without one.")
    right: bool = Field(default=False, description="Whether the last answer is right; false: no attempt is left.")
    attempts: int = Field(default=0, ge=0, le=10, description="Number of replies.")
    read_as: ReadAs | None = Field(default=None, description="Form in which the right answer was read.")
    raw_replies: list[str] = Field(default_factory=list, description="Every reply, unchanged.")

    @property
    def rule(self) -> SharingRule:
        """Return the principle of the question, with its amount."""
        return SharingRule(principle=self.principle, constraint_amount=self.constraint_amount)

    def with_replies(
        self, replies: list[str], answers: Sequence[DistributionId], read_as: ReadAs | None = None
    ) -> Self:
        """Return the question with the participant's replies.

        `answers`: the distributions that the replies name. `read_as`: how the reply was read.
        """
        last_answer = answers[-1] if answers else None
        update = {
            "given": last_answer,
            "right": last_answer == self.answer,
            "attempts": len(replies),
            "read_as": read_as,
            "raw_replies": replies,
        }
        return self.model_copy(update=update)


def make_question(table: DistributionSet, principle: Principle) -> ComprehensionAnswer:
    """Make the question which distribution `principle` selects from `table`, with the correct answer."""
    rule = make_median_rule(table, principle) if needs_amount(principle) else SharingRule(principle=principle)
    distribution = select_distribution(table, rule).distribution
    return ComprehensionAnswer(principle=principle, constraint_amount=rule.constraint_amount, answer=distribution)


def format_distinct_numbers(values: Sequence[Fraction]) -> list[str]:
    """Format numbers so that unequal numbers look unequal, with the fewest decimals, equally many for all."""
    for decimals in range(20):
        texts = [f"{float(round(value, decimals)):,.{decimals}f}" for value in values]
        if len(set(texts)) == len(set(values)):
            return texts
    return texts
