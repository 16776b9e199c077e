"""Answers given alone, to compare a talk with: the rules, the channels, and how many samples a talk's spend buys."""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import Annotated, ClassVar, Literal, NotRequired

from pydantic import ConfigDict, Field
from typing_extensions import TypedDict

from .deliberation import Given, Record, delta
from .incident import Call, Incident, total_tokens
from .positions.channels import Positions
from .positions.position import Position
from .positions.rules import PositionRules
from .reducers import latest_of
from .requirements import Sent
from .statement import Statement
from .writes import Input

Alone = Literal["samples", "alone", "noise", "informed", "ballot"]
MOST_SAMPLES = 50
ASKED = "declaration"
"""What a call is for in which an answer is asked."""


class IndependentRules(PositionRules):
    """The knobs of answers that are given alone."""

    model_config = ConfigDict(title="Independent")

    reserve: ClassVar[int] = 0

    protocol: Literal["independent"] = Field(default="independent", description="Always `independent`.")
    arm: Alone = Field(
        default="samples",
        description="Independent samples; everyone on their own, round by round, without (`alone`) or with (`noise`) "
        "statements on something else; one who knows everything; one ballot from no side.",
    )
    rounds: int = Field(default=1, ge=0, le=10_000, description="Rounds after the first answers: alone, noise.")
    talk_calls: int = Field(default=0, ge=0, description="Calls of the talk that samples are compared with.")
    talk_tokens: int = Field(default=0, ge=0, description="Tokens of that talk.")
    samples_max: int = Field(default=MOST_SAMPLES, ge=1, le=1000, description="Most samples that are drawn.")


class Apart(TypedDict):
    """What answers are compared with that saw others."""

    heard: Annotated[list[Statement], delta(latest_of(list[Statement]))]
    """Statements of another talk, on something else; empty but for `noise`."""


class IndependentInput(Input):
    """What answers alone are opened with."""

    positions: NotRequired[Annotated[list[Position], Field(description="First answers, of the talk: not asked again.")]]
    heard: NotRequired[Annotated[list[Statement], Field(description="Statements on something else.")]]


class AnswersAlone(Given, Record, Positions, Apart):
    """What decides whether more answers are asked, and what they come to."""


class AskedAlone(AnswersAlone):
    """A branch for one answer."""

    who: Sent[str]
    draw: Sent[int]


def last_draw(calls: Sequence[Call], incidents: Sequence[Incident]) -> int:
    """The number of the latest answer asked, given or not; for rounds, of the round; 0: none was."""
    unanswered = [one.turn for one in incidents if one.where == ASKED]
    return max([*(one.turn for one in calls), *unanswered], default=0)


def samples_wanted(rules: IndependentRules, drawn: int, calls: Sequence[Call]) -> int:
    """How many samples to draw in all: 1.25 times the most that the talk's spend buys, at most `samples_max`.

    What one costs is the mean of those drawn; before any, one call.
    """
    one = (Fraction(len(calls), drawn), Fraction(total_tokens(list(calls)), drawn)) if drawn else (Fraction(1), 0)
    return min(samples_bought((rules.talk_calls, rules.talk_tokens), one), rules.samples_max)


def samples_bought(talk: tuple[int, int], sample: tuple[Fraction | int, Fraction | int]) -> int:
    """1.25 times the samples that a talk's calls, or its tokens, would buy, whichever is more, rounded up."""
    bought = max((ceil(spent / each) for spent, each in zip(talk, sample, strict=True) if each), default=0)
    return max(1, ceil(Fraction(5, 4) * bought))
