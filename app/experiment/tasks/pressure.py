"""Conformity pressure: an easy question that others answer first, mostly wrongly (Asch 1951).

The observed participant has the last seat. In a control, this is the only seat, asked twice without a deliberation.
"""

from collections.abc import Sequence
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from ....prompts import load_phrases
from ....state import make_rng, make_setting_error
from .item import TaskItem, TaskSettings, load_wordings

LINE_NAMES = ("A", "B", "C")


class PressureSettings(TaskSettings):
    """Settings of the pressure task, such as the numbers of scripted participants."""

    confederates: list[Annotated[int, Field(ge=0, le=12)]] = Field(
        default=[3],
        min_length=1,
        description="Numbers of scripted participants, used in turn; 0: a control without a deliberation.",
    )
    claims: Literal["wrong", "right", "one_dissents"] = Field(
        default="wrong",
        description=(
            "Lines that the scripted participants choose: all the same wrong line, all the right line, or only "
            "one of them "
            "the right line."
        ),
    )

    @field_validator("confederates", mode="before")
    @classmethod
    def _wrap_single_count(cls, value: object) -> object:
        return [value] if isinstance(value, int) else value

    @model_validator(mode="after")
    def _check_dissent(self) -> Self:
        if self.claims == "one_dissents" and 1 in self.confederates:
            raise make_setting_error("claims", self.claims, "this needs 2 confederates or more, or a control with 0")
        return self


def make_pressure_item(settings: PressureSettings, number: int, language: str) -> TaskItem:
    """Make the item with this number, from 1, with the settings' seed.

    The wrong option is the same for any number of confederates.
    """
    rng = make_rng(settings.seed, "pressure", number)
    standard = rng.randint(12, 30)
    true_line, wrong_line, third_line = rng.sample(LINE_NAMES, 3)
    line_lengths = {
        true_line: standard,
        wrong_line: standard + rng.choice([-4, -3, 3, 4]),
        third_line: standard + rng.choice([-6, 6]),
    }
    claims = load_wordings(language, "pressure", "claims")
    order = [0, *rng.sample(range(1, len(claims)), len(claims) - 1)]  # the first speaker cannot say "as well"
    count = settings.confederates[(number - 1) % len(settings.confederates)]
    named_lines = [true_line if settings.claims == "right" else wrong_line] * count
    script = [claims[order[seat % len(order)]].format(line=line) for seat, line in enumerate(named_lines)]
    if settings.claims == "one_dissents" and count:
        script[rng.randrange(1, count)] = claims[0].format(line=true_line)
    lengths = {name.lower(): line_lengths[name] for name in LINE_NAMES}
    return TaskItem(
        id=f"pressure-{number}",
        language=language,
        topic=load_phrases("tasks").translate_phrase(language, "pressure.question", standard=standard, **lengths),
        truth=true_line,
        options=LINE_NAMES,
        scripted=tuple(script),
        wrong_option=wrong_line,
        is_control=not count,
    )


def collect_yielding(items: Sequence[TaskItem], answers: Sequence[str]) -> dict[int, dict[str, list[float]]]:
    """Return whether participants gave the wrong option, by number of confederates and by item.

    A value is 1 if the observed answer was the item's wrong option, else 0.
    """
    yields: dict[int, dict[str, list[float]]] = {}
    for item, answer in zip(items, answers, strict=True):
        yields.setdefault(len(item.scripted), {}).setdefault(item.id, []).append(float(answer == item.wrong_option))
    return yields
