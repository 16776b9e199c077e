"""Arithmetic task: compute a + b × c + d − e ÷ f, or a longer sum. The answer is a whole number."""

from pydantic import Field

from ....prompts import load_phrases
from ....state import make_rng
from .item import TaskItem, TaskSettings


class ArithmeticSettings(TaskSettings):
    """Settings of the arithmetic task: number and seed of the items, and the length of a sum."""

    length: int = Field(default=1, ge=1, le=10, description="Repetitions of the pattern of six numbers.")


def make_arithmetic_item(settings: ArithmeticSettings, number: int, language: str) -> TaskItem:
    """Make the item with this number, from 1, with the settings' seed."""
    rng = make_rng(settings.seed, "arithmetic", number)
    parts, total = [], 0
    for _ in range(settings.length):
        a, d = rng.randint(10, 99), rng.randint(10, 99)
        b, c = rng.randint(2, 19), rng.randint(2, 19)
        f, quotient = rng.randint(2, 12), rng.randint(2, 12)
        parts.append(f"{a} + {b} × {c} + {d} − {f * quotient} ÷ {f}")
        total += a + b * c + d - quotient
    return TaskItem(
        id=f"arithmetic-{number}",
        language=language,
        topic=load_phrases("tasks").translate_phrase(language, "arithmetic.question", expression=" + ".join(parts)),
        truth=float(total),
        tolerance=0.0,
    )
