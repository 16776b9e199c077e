"""Draws: every random choice comes from a stream of its own, named by the run's seed and a purpose.

A stream's seed is the first 8 bytes, big-endian, of the SHA-256 of the compact UTF-8 JSON list `[seed, purpose…]`. So
neither the order of calls, nor a resumed run, nor one participant's failure moves another's draws.
"""

import hashlib
import json
import random
from collections.abc import Callable, Sequence
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field

T = TypeVar("T", bound=int | float | str | list[str])


class Draw(BaseModel):
    """One draw, with what is needed to make it again."""

    model_config = ConfigDict(frozen=True)

    purpose: list[str | int] = Field(description="What names the stream beside the run's seed.")
    stream: int = Field(ge=0, le=2**64 - 1, description="Seed of the stream.")
    kind: str = Field(
        description="What was drawn: `multiplier`, `class`, `distribution`, `principle`, `order`, `seed`."
    )
    value: int | float | str | list[str] = Field(description="What came out.")


def stream_seed(seed: int, *purpose: str | int) -> int:
    """The seed of the stream `purpose` of a run, in 0…2⁶⁴−1."""
    name = json.dumps([seed, *purpose], ensure_ascii=False, separators=(",", ":"))
    return int.from_bytes(hashlib.sha256(name.encode("utf-8")).digest()[:8], "big")


def stream(seed: int, *purpose: str | int) -> random.Random:
    """A fresh generator for one purpose; the same arguments always give the same numbers."""
    return random.Random(stream_seed(seed, *purpose))


def drawn(seed: int, purpose: Sequence[str | int], kind: str, pick: Callable[[random.Random], T]) -> tuple[T, Draw]:
    """What `pick` takes from the stream `purpose` of a run with `seed`, and the record of it."""
    value = pick(stream(seed, *purpose))
    record = Draw(purpose=list(purpose), stream=stream_seed(seed, *purpose), kind=kind, value=value)
    return value, record
