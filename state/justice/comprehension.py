"""The comprehension test before Phase 1: four questions on what the principles pick, their answers computed."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final, Self

from pydantic import BaseModel, ConfigDict, Field

from .income import DistributionId, DistributionSet
from .principle import PRINCIPLES, Principle, SharingRule, needs_amount
from .selection import median_rule, select

QUESTIONS: Final = len(PRINCIPLES)
"""Questions of the test: one for each principle."""


class ComprehensionAnswer(BaseModel):
    """One question of the test, and how it was answered."""

    model_config = ConfigDict(frozen=True)

    principle: Principle = Field(description="The principle it was about.")
    constraint_amount: int | None = Field(default=None, gt=0, description="The amount it named, for 3 and 4.")
    answer: DistributionId = Field(description="What the principle picks from the table that was shown.")
    given: DistributionId | None = Field(default=None, description="The last answer that could be read; none: none.")
    right: bool = Field(default=False, description="Whether it is the right one; false: asked until no try was left.")
    tries: int = Field(default=0, ge=0, le=10, description="Replies that came, the right one counted.")
    raw_replies: list[str] = Field(default_factory=list, description="Each reply as it came.")

    @property
    def rule(self) -> SharingRule:
        """The principle with its amount."""
        return SharingRule(principle=self.principle, constraint_amount=self.constraint_amount)

    def answered(self, replies: list[str], given: Sequence[DistributionId]) -> Self:
        """The question after these replies, of which those that could be read named `given`."""
        last = given[-1] if given else None
        news = {"given": last, "right": last == self.answer, "tries": len(replies), "raw_replies": replies}
        return self.model_copy(update=news)


def asked_about(table: DistributionSet, principle: Principle) -> ComprehensionAnswer:
    """The question on a principle with its answer for this table, not yet asked.

    The amount of a constraint is the upper median of the table's floors or ranges: it excludes some and leaves some.
    """
    rule = median_rule(table, principle) if needs_amount(principle) else SharingRule(principle=principle)
    picked = select(table, rule).distribution
    return ComprehensionAnswer(principle=principle, constraint_amount=rule.constraint_amount, answer=picked)


def told_apart(values: Sequence[Fraction]) -> list[str]:
    """Numbers with as many decimals, the same for all, as it takes to show that different ones differ."""
    for places in range(20):
        texts = [f"{float(round(value, places)):,.{places}f}" for value in values]
        if len(set(texts)) == len(set(values)):
            return texts
    return texts
