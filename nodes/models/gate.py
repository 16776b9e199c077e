"""What calls pass that are made within a run: whoever runs many at once may hold them back, count them, deny them."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from ...state.incident import Call


class Gate(Protocol):
    """Decides which calls are made, and when."""

    async def enter(self, ahead: Call, kept: Call | None) -> bool:
        """Wait until a call may be made; false where it may not.

        `ahead`: the call as it is known before it, with the most its prompt and its answer can be, in tokens. `kept`:
        what has to be left for the closing text, none where nothing has.
        """

    async def leave(self, ahead: Call, made: Call | None) -> None:
        """A call that had entered is over. `made`: its record; none where nobody knows what it cost."""


_gate: ContextVar[Gate | None] = ContextVar("moot_gate", default=None)


def gate() -> Gate | None:
    """The gate of the run that is under way here, if it has one."""
    return _gate.get()


@contextmanager
def through(passed: Gate) -> Iterator[None]:
    """Within the block, every call passes this gate."""
    token = _gate.set(passed)
    try:
        yield
    finally:
        _gate.reset(token)
