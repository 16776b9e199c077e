"""The rules of positions: whether they are asked for, and what they are about."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from ..refused import unusable
from ..rules import Rules, TalkRules
from ..statement import Participant

SIDES = ("for", "against", "undecided")
"""What can be answered where a run has neither options nor a number."""
DECLARING = ("declared", "sequential", "calibrated")
"""Stopping rules that read the positions of each round."""
CALIBRATED = ("stop_file", "stop_insist")
"""What belongs to a calibrated stop alone."""

_TOLERANCE = r"^\d+(?:\.\d+)?(?:[eE]-?\d+)? (?:relative|absolute)$"
Id = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80)]
OptionText = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2_000)]


class NumberAnswer(BaseModel):
    """A number as the answer: its unit, and how near two numbers are to be the same answer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    number: str = Field(max_length=40, description="The unit, such as `kg`; empty: a bare number.")
    tolerance: str = Field(
        default="0.01 relative",
        pattern=_TOLERANCE,
        description="`0.01 relative` (to the larger of the two) or `2 absolute` (in the unit).",
    )


@dataclass(frozen=True)
class Question:
    """What positions are about: `signs` are what can be answered, or, where it is a number, its unit and tolerance."""

    signs: Sequence[str] = SIDES
    texts: dict[str, str] = field(default_factory=dict)
    numeric: bool = False
    unit: str = ""
    tolerance: float = 0.0
    relative: bool = True

    def alike(self, one: str, other: str) -> bool:
        """Whether two answers are the same."""
        return self.near(float(one), float(other)) if self.numeric else one == other

    def near(self, one: float, other: float) -> bool:
        """Whether two numbers are within the tolerance; a relative one is of the larger of the two."""
        if self.relative:
            return math.isclose(one, other, rel_tol=self.tolerance, abs_tol=0.0)
        return math.isclose(one, other, rel_tol=1e-12, abs_tol=self.tolerance)


class PositionRules(TalkRules):
    """The knobs of protocols whose participants say where they stand."""

    concedes: ClassVar[bool] = True
    """Whether positions of a round come with a stance."""
    sides: ClassVar[Sequence[str]] = SIDES
    """What can be answered where a run has neither options nor a number."""
    named: ClassVar[bool] = False
    """Whether the synthesizer names the run's answer, where the run has options or a number."""
    blind_round: ClassVar[int | None] = None
    """The round in which the talk itself asks everyone blind where it stands; none: that is a question of its own."""
    people_declare: ClassVar[bool] = True
    """Whether people are asked for their position as models are."""

    positions: Literal["off", "ends", "rounds"] = Field(
        default="off",
        description="Whether each participant says where it stands, unseen: never, before and after the talk, or also "
        "after each round. A call for each model each time.",
    )
    answer: Literal["none", "option"] | NumberAnswer = Field(
        default="none",
        description="What the run answers: nothing (positions are for, against or undecided), one of `options`, or "
        "{number: unit, tolerance}.",
    )
    options: dict[Id, OptionText] = Field(
        default={}, max_length=50, description="What can be answered, id → text; with `answer: option`."
    )
    still_rounds: int = Field(
        default=2, ge=1, le=100, description="Declarations in a row without a move that end a `declared` talk."
    )

    stop_file: str = Field(
        default="", max_length=4000, description="What `moot calibrate` wrote; with `stopping: calibrated`."
    )
    stop_insist: bool = Field(
        default=False, description="Stop by it also with a model, protocol or size of group it was not made for."
    )

    @property
    def begins_blind(self) -> bool:
        """Whether the first round of the talk is everyone's own, unseen by the others."""
        return self.blind_round == 1

    @property
    def naming(self) -> bool:
        """Whether the synthesizer is asked to name the run's answer."""
        return self.named and self.answer != "none"

    @model_validator(mode="before")
    @classmethod
    def _declares(cls, given: Any) -> Any:
        """A rule that reads the positions of each round asks for them."""
        if isinstance(given, dict) and given.get("stopping") in DECLARING and given.get("positions", "off") == "off":
            return given | {"positions": "rounds"}
        return given

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.stopping in DECLARING and self.positions != "rounds":
            remedy = f"stopping: {self.stopping} reads positions after each round; write rounds, or leave it out"
            raise unusable("positions", self.positions, remedy)
        if (self.stopping == "calibrated") != bool(self.stop_file):
            remedy = "stopping: calibrated and stop_file, which `moot calibrate` writes, belong together; give both"
            raise unusable("stop_file", self.stop_file, remedy)
        if self.answer == "option" and len(self.options) < 2:
            raise unusable("options", self.options, "answer: option needs two or more; write {A: text, B: text}")
        if self.options and self.answer != "option":
            raise unusable("answer", self.answer, "options are there to be answered with; write answer: option")
        if twice := _alike(self.options):
            raise unusable("options", twice, "ids that differ in case or punctuation alone cannot be told apart")
        texts = [" ".join(one.casefold().split()) for one in self.options.values()]
        if len(set(texts)) < len(texts):
            raise unusable("options", self.options, "two options say the same, and cannot be told apart; leave one out")
        return self


def seats_asked(rules: PositionRules, participants: Sequence[Participant]) -> list[str]:
    """Who is asked for a position: everyone who takes part; in a session the models, since people only send texts."""
    return [one.name for one in participants if one.kind == "model" or rules.people_declare]


def asked_at_first(rules: Rules, participants: Sequence[Participant]) -> int:
    """How many models are asked for their position before the talk."""
    asks = isinstance(rules, PositionRules) and rules.positions != "off" and not rules.begins_blind
    return sum(one.kind == "model" for one in participants) if asks else 0


def asked_alone(rules: Rules, participants: Sequence[Participant]) -> int:
    """How many models begin the talk, at the same time and each alone; 0: somebody speaks first."""
    blind = isinstance(rules, PositionRules) and rules.begins_blind
    return sum(one.kind == "model" for one in participants) if blind else 0


def _alike(options: dict[str, str]) -> str:
    """The first id that reads like one before it; empty: none."""
    seen: set[str] = set()
    for one in options:
        bare = re.sub(r"[\W_]+", "", one).casefold()
        if bare in seen or not bare:
            return one
        seen.add(bare)
    return ""


def question_of(rules: PositionRules) -> Question:
    """What the positions of a run are about."""
    if isinstance(rules.answer, NumberAnswer):
        figure, _, kind = rules.answer.tolerance.partition(" ")
        unit = rules.answer.number.strip()
        return Question((), {}, numeric=True, unit=unit, tolerance=float(figure), relative=kind == "relative")
    return Question(list(rules.options), dict(rules.options)) if rules.answer == "option" else Question(rules.sides)
