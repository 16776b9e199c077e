"""Branches of one fan-out wait for each other before one of them stops the run.

Under `ainvoke` a branch that raises cancels its siblings, and what they were about to answer is paid for and lost. A
branch that has to stop the run therefore waits until its siblings are done, so that their answers are kept and only
its own call is made again on resume. They also share what the budget leaves.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from langgraph.runtime import get_runtime

from ..state.incident import Call
from .faults import Stopped

HOPS = 40
"""Turns of the event loop after which langgraph has taken the results of siblings that just ended; it needs a few."""


@dataclass
class Fan:
    """The branches of one superstep, or a step alone: what runs, and what its questions cost so far.

    `calls`: calls made and not yet in the state. `asking`: calls under way.
    """

    running: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    calls: list[Call] = field(default_factory=list)
    asking: int = 0


_fans: dict[str, Fan] = {}
_fan: ContextVar[Fan | None] = ContextVar("moot_fan", default=None)


def fan() -> Fan:
    """The fan-out, or the step alone, in which a question is asked."""
    return _fan.get() or Fan()


@contextmanager
def alone() -> Iterator[None]:
    """Within the block a step asks with nobody beside it."""
    token = _fan.set(Fan())
    try:
        yield
    finally:
        _fan.reset(token)


@asynccontextmanager
async def together() -> AsyncIterator[None]:
    """Count a branch in; let a `Stopped` out only when no sibling is running any more."""
    info = get_runtime().execution_info
    step = f"{info.checkpoint_id if info else ''} {id(asyncio.get_running_loop())}"
    siblings = _fans.setdefault(step, Fan())
    siblings.running += 1
    token = _fan.set(siblings)
    try:
        yield
    except Stopped:
        siblings.running -= 1
        siblings.changed.set()
        await _quiet(siblings)
        siblings.running += 1
        raise
    finally:
        _fan.reset(token)
        siblings.running -= 1
        siblings.changed.set()
        if not siblings.running:
            _fans.pop(step, None)


async def _quiet(siblings: Fan) -> None:
    while siblings.running:
        siblings.changed.clear()
        await siblings.changed.wait()
    for _ in range(HOPS):
        await asyncio.sleep(0)
