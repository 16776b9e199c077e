"""Limiter of the calls within a run: code that runs many at once can delay, count or deny them."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from ..state.call_record import Call


class CallLimiter(Protocol):
    """Limiter that admits or denies each call, decides when it starts, and counts it."""

    async def enter(self, planned: Call, reserve: Call | None) -> bool:
        """Wait until a call may be made; return false if it is denied.

        `planned`: the call before it is made, with the most tokens of its prompt and its answer. `reserve`: the
        call to keep in reserve for the synthesis, or `None`.
        """

    async def leave(self, planned: Call, record: Call | None) -> None:
        """Count a finished call. `record`: its record, or `None` if its cost is unknown."""


_call_limiter: ContextVar[CallLimiter | None] = ContextVar("moot_call_limiter", default=None)


def get_call_limiter() -> CallLimiter | None:
    """Return the call limiter of the current run, or `None`."""
    return _call_limiter.get()


@contextmanager
def use_call_limiter(limiter: CallLimiter) -> Iterator[None]:
    """Send every call within the block through a limiter."""
    token = _call_limiter.set(limiter)
    try:
        yield
    finally:
        _call_limiter.reset(token)
