"""Settings of positions: when Moot asks for them, and the format of an answer."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from ..errors import check_effect, make_setting_error
from ..frozen_models import ClosedModel
from ..settings import Settings, StoppingSettings
from ..statement import Participant

POSITION_SIDES = ("for", "against", "undecided")
"""Possible answers in a run with neither options nor a number."""
DECLARATION_RULES = ("declared", "calibrated")
"""Stopping rules that read the positions of each round."""
CALIBRATION_SETTINGS = ("calibration_file", "allow_other_calibration")
"""Settings that only a calibrated stop uses."""

_TOLERANCE = r"^\d+(?:\.\d+)?(?:[eE]-?\d+)? (?:relative|absolute)$"
OptionId = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80)]
OptionText = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2_000)]


class NumberAnswer(ClosedModel):
    """Settings of a numeric answer: its unit, and the tolerance within which numbers are equal."""

    number: str = Field(max_length=40, description="Unit, such as `kg`; empty: none.")
    tolerance: str = Field(
        default="0.01 relative",
        pattern=_TOLERANCE,
        description=(
            "Largest difference of numbers that count as equal: `0.01 relative` (to the larger) or `2 absolute` "
            "(in the unit)."
        ),
    )


@dataclass(frozen=True)
class AnswerFormat:
    """Format of an answer.

    `signs`: the possible answers. `option_texts`: their full texts, by sign. A number has a unit and a tolerance
    instead.
    """

    signs: Sequence[str] = POSITION_SIDES
    option_texts: dict[str, str] = field(default_factory=dict)
    is_numeric: bool = False
    unit: str = ""
    tolerance: float = 0.0
    is_relative: bool = True

    def is_same_answer(self, first: str, second: str) -> bool:
        """Return whether two answers count as the same."""
        return self.is_near(float(first), float(second)) if self.is_numeric else first == second

    def is_near(self, first: float, second: float) -> bool:
        """Return whether two numbers are within the tolerance.

        A relative tolerance is a share of the larger number.
        """
        if self.is_relative:
            return math.isclose(first, second, rel_tol=self.tolerance, abs_tol=0.0)
        return math.isclose(first, second, rel_tol=1e-12, abs_tol=self.tolerance)


class PositionSettings(StoppingSettings):
    """Settings of protocols whose participants declare positions."""

    concedes: ClassVar[bool] = True
    """Flag for protocols in which a position states a stance in each round."""
    sides: ClassVar[Sequence[str]] = POSITION_SIDES
    """Possible answers in a run with neither options nor a number."""
    named: ClassVar[bool] = False
    """Flag for protocols whose synthesizer names the answer if the run has options or a number."""
    blind_round: ClassVar[int | None] = None
    """Round in which the protocol itself asks for positions, before anyone sees another's.

    `None` if positions are a separate question.
    """
    people_declare: ClassVar[bool] = True
    """Flag for protocols that ask people for their position as they ask models."""

    positions: Literal["off", "ends", "rounds"] = Field(
        default="off",
        description=(
            "When Moot asks for private positions: never, before and after, or also after each round. Each "
            "position costs one call."
        ),
    )
    answer: Literal["none", "option"] | NumberAnswer = Field(
        default="none",
        description=(
            "What the run answers: for or against (`none`), one of `options`, or a number as {number: unit, tolerance}."
        ),
    )
    options: dict[OptionId, OptionText] = Field(
        default={}, max_length=50, description="Possible answers, id → text, for `answer: option`."
    )
    answer_temperature: float | None = Field(
        default=None,
        ge=0,
        le=2,
        description="Sampling temperature of positions, ballots and other counted answers; none: as for statements.",
    )
    stable_rounds: int = Field(
        default=2,
        ge=1,
        le=100,
        description="With `declared`: rounds in a row without a changed position that end the run.",
    )

    calibration_file: str = Field(
        default="", max_length=4000, description="File that `moot calibrate` wrote, for `stop_rule: calibrated`."
    )
    allow_other_calibration: bool = Field(
        default=False, description="Whether `calibration_file` may come from another model, protocol or group size."
    )

    @property
    def begins_blind(self) -> bool:
        """Return whether all participants speak in the first round without seeing each other's statements."""
        return self.blind_round == 1

    @property
    def needs_named_answer(self) -> bool:
        """Return whether Moot asks the synthesizer for the run's answer."""
        return self.named and self.answer != "none"

    @model_validator(mode="before")
    @classmethod
    def _enable_positions(cls, values: Any) -> Any:
        needs_rounds = isinstance(values, dict) and values.get("stop_rule") in DECLARATION_RULES
        return values | {"positions": "rounds"} if needs_rounds and values.get("positions", "off") == "off" else values

    @model_validator(mode="after")
    def _check_positions(self) -> Self:
        needs_judge, unused = "judge" in (self.stop_rule, getattr(self, "convergence", "")), self.unused_settings
        check_effect(self, "judge_interval", needs_judge or "judge_interval" in unused, "set stop_rule to judge")
        if "judge" in self.models and not needs_judge and "models.judge" not in unused:
            raise make_setting_error(
                "models.judge", self.models["judge"], "it has no effect here; set stop_rule to judge, or leave it out"
            )
        reads_rounds = self.stop_rule not in ("asked", "lexical", "judge", "calibrated") or "stable_rounds" in unused
        check_effect(self, "stable_rounds", reads_rounds, "set stop_rule to declared")
        if self.stop_rule in DECLARATION_RULES and self.positions != "rounds":
            raise make_setting_error(
                "positions",
                self.positions,
                f"stop_rule: {self.stop_rule} needs positions after each round; write rounds, or leave positions out",
            )
        if (self.stop_rule == "calibrated") != bool(self.calibration_file):
            remedy = "must be given if stop_rule is calibrated, else left out; `moot calibrate` writes this file"
            raise make_setting_error("calibration_file", self.calibration_file, remedy)
        if self.answer == "option" and len(self.options) < 2:
            raise make_setting_error(
                "options", self.options, "answer: option needs two options or more; write {A: text, B: text}"
            )
        if self.options and self.answer != "option":
            raise make_setting_error(
                "answer", self.answer, "options need answer: option; add it, or leave the options out"
            )
        plain_ids = [re.sub(r"[\W_]+", "", id).casefold() for id in self.options]
        for position, id in enumerate(self.options):
            if plain_ids[position] in ("", *plain_ids[:position]):
                raise make_setting_error("options", id, "two ids differ only in case or punctuation; rename one")
        texts = [" ".join(text.casefold().split()) for text in self.options.values()]
        if len(set(texts)) < len(texts):
            raise make_setting_error("options", self.options, "two options have the same text; change or delete one")
        return self


def list_asked_seats(settings: PositionSettings, participants: Sequence[Participant]) -> list[str]:
    """Return the participants whom Moot asks for a position: all, or in a session only models."""
    return [participant.name for participant in participants if participant.kind == "model" or settings.people_declare]


def count_initial_questions(settings: Settings, participants: Sequence[Participant]) -> int:
    """Count the models that Moot asks for a position before round 1."""
    is_asked = isinstance(settings, PositionSettings) and settings.positions != "off" and not settings.begins_blind
    return sum(participant.kind == "model" for participant in participants) if is_asked else 0


def count_blind_starters(settings: Settings, participants: Sequence[Participant]) -> int:
    """Return how many models answer in parallel at the start; 0 if a single participant speaks first."""
    is_blind = isinstance(settings, PositionSettings) and settings.begins_blind
    return sum(participant.kind == "model" for participant in participants) if is_blind else 0


def build_answer_format(settings: PositionSettings) -> AnswerFormat:
    """Return the format of a participant's answer in a run: a number, one of the options, or a side."""
    if isinstance(settings.answer, NumberAnswer):
        figure, _, kind = settings.answer.tolerance.partition(" ")
        unit = settings.answer.number.strip()
        return AnswerFormat((), {}, is_numeric=True, unit=unit, tolerance=float(figure), is_relative=kind == "relative")
    if settings.answer == "option":
        return AnswerFormat(list(settings.options), dict(settings.options))
    return AnswerFormat(settings.sides)
