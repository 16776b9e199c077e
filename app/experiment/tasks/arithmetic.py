"""A sum to work out, a + b × c + d − e ÷ f and longer, with a whole number as its answer."""

from random import Random

from pydantic import Field

from ....prompts import phrases
from ....state.draw import stream
from .item import Item, Settings


class Arithmetic(Settings):
    """What arithmetic takes."""

    length: int = Field(default=1, ge=1, le=10, description="How often the pattern of six numbers stands in a row.")


def arithmetic(settings: Arithmetic, number: int, language: str) -> Item:
    """Item `number` (from 1) of a seed."""
    draw = stream(settings.seed, "arithmetic", number)
    parts = [_part(draw) for _ in range(settings.length)]
    expression = " + ".join(text for text, _ in parts)
    return Item(
        id=f"arithmetic-{number}",
        task="arithmetic",
        language=language,
        topic=phrases("tasks").say(language, "arithmetic.question", expression=expression),
        truth=float(sum(value for _, value in parts)),
        tolerance=0.0,
    )


def _part(draw: Random) -> tuple[str, int]:
    a, d = draw.randint(10, 99), draw.randint(10, 99)
    b, c = draw.randint(2, 19), draw.randint(2, 19)
    f, quotient = draw.randint(2, 12), draw.randint(2, 12)
    return f"{a} + {b} × {c} + {d} − {f * quotient} ÷ {f}", a + b * c + d - quotient
