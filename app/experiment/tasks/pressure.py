"""Conformity pressure: an easy question to which all others give the same wrong answer (Asch 1951).

The last seat is the observed participant.
"""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field, field_validator

from ....prompts import load_phrases
from ....state.random_streams import make_rng
from .item import TaskItem, TaskSettings, load_wordings

LINE_NAMES = ("A", "B", "C")


class PressureSettings(TaskSettings):
    """Settings of the pressure task."""

    confederates: list[Annotated[int, Field(ge=0, le=12)]] = Field(
        default=[3], min_length=1, description="Scripted participants who name a wrong line; several: in turn."
    )

    @field_validator("confederates", mode="before")
    @classmethod
    def _wrap_single_count(cls, value: object) -> object:
        return [value] if isinstance(value, int) else value


def make_pressure_item(settings: PressureSettings, number: int, language: str) -> TaskItem:
    """Make item `number`, from 1, with the settings' seed.

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
    script = [claims[order[seat % len(order)]].format(wrong=wrong_line) for seat in range(count)]
    lengths = {name.lower(): line_lengths[name] for name in LINE_NAMES}
    return TaskItem(
        id=f"pressure-{number}",
        task="pressure",
        language=language,
        topic=load_phrases("tasks").translate_phrase(language, "pressure.question", standard=standard, **lengths),
        truth=true_line,
        options=LINE_NAMES,
        scripted=tuple(script),
        wrong_option=wrong_line,
    )


def collect_yielding(items: Sequence[TaskItem], answers: Sequence[str]) -> dict[int, dict[str, list[float]]]:
    """Collect how often participants yield, by number of confederates and by item.

    A value is 1 if the observed answer was the confederates' wrong option, else 0.
    """
    yields: dict[int, dict[str, list[float]]] = {}
    for item, answer in zip(items, answers, strict=True):
        yields.setdefault(len(item.scripted), {}).setdefault(item.id, []).append(float(answer == item.wrong_option))
    return yields
