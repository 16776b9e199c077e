"""Principles of distributive justice, and what a participant says about them: a choice, a ranking, how certain.

The four are those of Frohlich and Oppenheimer, Choosing Justice (1992): the largest floor (Rawls's difference
principle), the largest average, and the largest average under a floor or a range constraint.
"""

from typing import Annotated, Final, Literal, Self, TypeGuard, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

Principle = Literal[
    "maximizing_floor",
    "maximizing_average",
    "maximizing_average_floor_constraint",
    "maximizing_average_range_constraint",
]
Certainty = Literal["very_unsure", "unsure", "no_opinion", "sure", "very_sure"]

PRINCIPLES: Final[tuple[Principle, ...]] = get_args(Principle)
"""In the order of their ballot numbers, 1 to 4."""
CERTAINTIES: Final[tuple[Certainty, ...]] = get_args(Certainty)
"""From least to most certain."""
CONSTRAINED: Final = frozenset(PRINCIPLES[2:])
"""The principles that come with an amount."""

MAX_AMOUNT: Final = 10**15


def numbered(number: int) -> Principle:
    """The principle of a ballot number, 1 to 4; ValueError for any other."""
    if number not in range(1, 5):
        raise ValueError(f"principle {number}: the ballot numbers are 1, 2, 3 and 4")
    return PRINCIPLES[number - 1]


def number_of(principle: Principle) -> int:
    """The ballot number of a principle, 1 to 4."""
    return PRINCIPLES.index(principle) + 1


def needs_amount(principle: Principle) -> bool:
    """Whether the principle is one with a constraint."""
    return principle in CONSTRAINED


def _is_ballot_number(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 4


def _by_number(value: object) -> object:
    return numbered(value) if _is_ballot_number(value) else value


NumberedPrinciple = Annotated[Principle, BeforeValidator(_by_number)]
"""A principle's id; its ballot number is understood."""


class SharingRule(BaseModel):
    """A principle with its amount: what a ballot names and a group adopts. Equal pairs are equal rules."""

    model_config = ConfigDict(frozen=True)

    principle: NumberedPrinciple = Field(description="Principle id, or its ballot number 1 to 4.")
    constraint_amount: int | None = Field(
        default=None,
        gt=0,
        le=MAX_AMOUNT,
        description="Floor at least, or range at most, in units of income; for principles 3 and 4 only.",
    )

    @model_validator(mode="before")
    @classmethod
    def _without_idle_amount(cls, value: object) -> object:
        if isinstance(value, dict) and _by_number(value.get("principle")) in PRINCIPLES[:2]:
            return value | {"constraint_amount": None}
        return value

    @model_validator(mode="after")
    def _with_needed_amount(self) -> Self:
        if needs_amount(self.principle) and self.constraint_amount is None:
            raise ValueError(f"constraint_amount: {self.principle} needs a whole amount above 0")
        return self


class Choice(SharingRule):
    """A participant's choice of a principle."""

    certainty: Certainty = Field(default="no_opinion", description="How certain the participant is.")
    reasoning: str = Field(default="", description="The participant's reasons.")

    @property
    def rule(self) -> SharingRule:
        """What was chosen, without certainty and reasons."""
        return SharingRule(principle=self.principle, constraint_amount=self.constraint_amount)


class Ranking(BaseModel):
    """The four principles in order of preference."""

    model_config = ConfigDict(frozen=True)

    order: list[NumberedPrinciple] = Field(min_length=4, max_length=4, description="Each principle once, best first.")
    certainty: Certainty = Field(description="How certain the participant is of the whole order.")
    defaulted: bool = Field(default=False, description="True where no usable ranking was given; measures leave it out.")
    raw_replies: list[str] = Field(default_factory=list, description="Each reply as it came.")

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        if len(set(self.order)) != len(PRINCIPLES):
            raise ValueError("order: rank each of the four principles exactly once, best first")
        return self

    def rank(self, principle: Principle) -> int:
        """The place of a principle, 1 (best) to 4."""
        return self.order.index(principle) + 1


def default_ranking(raw_replies: list[str]) -> Ranking:
    """What is stored when no usable ranking was given: 1, 2, 3, 4, no opinion, marked as defaulted."""
    return Ranking(order=list(PRINCIPLES), certainty="no_opinion", defaulted=True, raw_replies=raw_replies)
