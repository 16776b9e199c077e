"""Limiter that delays, counts or denies the calls of runs, for a program that executes many of them.

If the client of a run has left, the run begins no further call.
"""

from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Protocol

from langgraph.errors import GraphDrained
from langgraph.runtime import get_runtime

from ..state import Call, bind_variable

CLIENT_LEFT = "client left"
"""Reason to drain a run whose client has left."""


class CallLimiter(Protocol):
    """Interface of a limiter, which admits or denies each call, decides when it starts, and counts it."""

    async def admit_call(self, planned_call: Call, reserve: Call | None) -> bool:
        """Wait until a call may start. Return `False` if it is denied.

        `planned_call`: the call in advance, with its maximum token counts. `reserve`: the call to reserve for the
        synthesis, or `None`.
        """

    async def count_call(self, planned_call: Call, record: Call | None) -> None:
        """Count a finished call. `record`: its record, or `None` if its cost is unknown."""


_call_limiter: ContextVar[CallLimiter | None] = ContextVar("moot_call_limiter", default=None)


def find_call_limiter() -> CallLimiter | None:
    """Return the call limiter of the current run, or `None`."""
    return _call_limiter.get()


def use_call_limiter(limiter: CallLimiter) -> AbstractContextManager[None]:
    """Send every call within the `with` block through `limiter`."""
    return bind_variable(_call_limiter, limiter)


def check_client_waits() -> None:
    """Check before a call that the client of the run still waits for it.

    Raises `GraphDrained`, which lets open calls finish.
    """
    try:
        control = get_runtime().control
    except RuntimeError:
        return
    if control is not None and control.drain_reason == CLIENT_LEFT:
        raise GraphDrained(CLIENT_LEFT)
