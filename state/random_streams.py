"""Random draws: each random choice has its own stream, derived from the run's seed and a purpose.

The seed of a stream is the first 8 bytes, big-endian, of a SHA-256. It covers the compact UTF-8 JSON list `[seed,
purpose…]`. So the order of calls, a resume, or a failed participant cannot change other draws.
"""

import hashlib
import json
import random
from collections.abc import Callable, Sequence
from typing import TypeVar

from pydantic import Field

from .frozen_models import FrozenModel

T = TypeVar("T", bound=int | float | str | list[str])


class Draw(FrozenModel):
    """Random draw, with the data needed to repeat it."""

    purpose: list[str | int] = Field(description="Name of the random stream within the run.")
    stream: int = Field(ge=0, le=2**64 - 1, description="Seed of the stream.")
    kind: str = Field(description="Kind of value: `multiplier`, `class`, `distribution`, `principle`, `order`, `seed`.")
    value: int | float | str | list[str] = Field(description="Drawn value.")


def derive_stream_seed(seed: int, *purpose: str | int) -> int:
    """Derive the seed of one purpose's random stream from the run's seed, in 0…2⁶⁴−1."""
    label = json.dumps([seed, *purpose], ensure_ascii=False, separators=(",", ":"))
    return int.from_bytes(hashlib.sha256(label.encode("utf-8")).digest()[:8], "big")


def make_rng(seed: int, *purpose: str | int) -> random.Random:
    """Return a new random generator for one purpose. The same arguments always give the same numbers."""
    return random.Random(derive_stream_seed(seed, *purpose))


def draw_value(
    seed: int, purpose: Sequence[str | int], kind: str, pick: Callable[[random.Random], T]
) -> tuple[T, Draw]:
    """Draw a value with `pick`. Return it with the draw for the record.

    `purpose`: parts that name the random stream. `kind`: kind of the draw, for the record.
    """
    value = pick(make_rng(seed, *purpose))
    return value, Draw(purpose=list(purpose), stream=derive_stream_seed(seed, *purpose), kind=kind, value=value)
