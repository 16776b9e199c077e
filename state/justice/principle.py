"""Principles of distributive justice, and a participant's choice, ranking and certainty.

The four are those of Frohlich and Oppenheimer, Choosing Justice (1992): the largest floor (Rawls's
difference principle), the largest average, and the largest average under a floor or a range constraint.
"""

from typing import Annotated, Final, Literal, Self, get_args

from pydantic import BeforeValidator, Field, model_validator

from ..answers.labelled_lines import ReadAs
from ..frozen_models import FrozenModel

Principle = Literal[
    "maximizing_floor",
    "maximizing_average",
    "maximizing_average_floor_constraint",
    "maximizing_average_range_constraint",
]
Certainty = Literal["very_unsure", "unsure", "no_opinion", "sure", "very_sure"]

PRINCIPLES: Final[tuple[Principle, ...]] = get_args(Principle)
CERTAINTIES: Final[tuple[Certainty, ...]] = get_args(Certainty)
CONSTRAINED_PRINCIPLES: Final = frozenset(PRINCIPLES[2:])

MAX_AMOUNT: Final = 10**15


def get_principle(number: int) -> Principle:
    """Return the principle with a ballot number, 1 to 4. Raises `ValueError` for any other number."""
    if number not in range(1, 5):
        raise ValueError(f"principle {number}: write 1, 2, 3 or 4, the number on the ballot")
    return PRINCIPLES[number - 1]


def get_ballot_number(principle: Principle) -> int:
    """Return the ballot number of a principle, 1 to 4."""
    return PRINCIPLES.index(principle) + 1


def needs_amount(principle: Principle) -> bool:
    """Return whether the principle has a constraint, and so needs an amount."""
    return principle in CONSTRAINED_PRINCIPLES


def _resolve_number(value: object) -> object:
    return (
        get_principle(value) if (isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 4) else value
    )


NumberedPrinciple = Annotated[Principle, BeforeValidator(_resolve_number)]
"""Id of a principle. Its ballot number is accepted too."""


class SharingRule(FrozenModel):
    """Principle with its amount, as a ballot names it or a group adopts it.

    Two rules are equal if both parts are equal.
    """

    principle: NumberedPrinciple = Field(description="Id of the principle, or its ballot number 1 to 4.")
    constraint_amount: int | None = Field(
        default=None,
        gt=0,
        le=MAX_AMOUNT,
        description="Minimum floor or maximum range, in units of income; only for principles 3 and 4.",
    )

    @model_validator(mode="before")
    @classmethod
    def _drop_unused_amount(cls, value: object) -> object:
        if isinstance(value, dict) and _resolve_number(value.get("principle")) in PRINCIPLES[:2]:
            return value | {"constraint_amount": None}
        return value

    @model_validator(mode="after")
    def _check_amount(self) -> Self:
        if needs_amount(self.principle) and self.constraint_amount is None:
            raise ValueError(f"constraint_amount: {self.principle} needs a whole amount above 0")
        return self


class PrincipleChoice(SharingRule):
    """Choice of a principle by a participant, with its certainty and reasons."""

    certainty: Certainty = Field(default="no_opinion", description="Certainty of the participant.")
    reasoning: str = Field(default="", description="Reasons of the participant.")

    @property
    def rule(self) -> SharingRule:
        """Return the chosen principle and its amount, without certainty and reasons."""
        return SharingRule(principle=self.principle, constraint_amount=self.constraint_amount)


class Ranking(FrozenModel):
    """The four principles in order of preference."""

    order: list[NumberedPrinciple] = Field(min_length=4, max_length=4, description="Principles, each once, best first.")
    certainty: Certainty = Field(description="Certainty of the participant about the order.")
    defaulted: bool = Field(
        default=False, description="Whether a default replaces an unusable ranking. Measures exclude it."
    )
    read_as: ReadAs | None = Field(default=None, description="Form of the answer; none: defaulted.")
    raw_replies: list[str] = Field(default_factory=list, description="Every reply, unchanged.")

    @model_validator(mode="after")
    def _check_complete(self) -> Self:
        if len(set(self.order)) != len(PRINCIPLES):
            raise ValueError("order: rank each of the four principles exactly once, best first")
        return self

    def get_rank(self, principle: Principle) -> int:
        """Return the rank of a principle, 1 (best) to 4."""
        return self.order.index(principle) + 1


def make_default_ranking(raw_replies: list[str]) -> Ranking:
    """Make the ranking 1, 2, 3, 4 without an opinion, which replaces an unusable ranking.

    `raw_replies`: the unusable replies, for the record.
    """
    return Ranking(order=list(PRINCIPLES), certainty="no_opinion", defaulted=True, raw_replies=raw_replies)
