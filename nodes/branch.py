"""Branches of one fan-out wait for each other before one of them stops the run.

Under `ainvoke` a branch that raises cancels its siblings, and what they were about to answer is paid for and lost. A
branch that has to stop the run therefore waits until its siblings are done, so that their answers are kept and only
its own call is made again on resume.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from langgraph.runtime import get_runtime

from .faults import Stopped

HOPS = 40
"""Turns of the event loop after which langgraph has taken the results of siblings that just ended; it needs a few."""


@dataclass
class _Siblings:
    running: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)


_fans: dict[str, _Siblings] = {}


@asynccontextmanager
async def together() -> AsyncIterator[None]:
    """Count a branch in; let a `Stopped` out only when no sibling is running any more."""
    info = get_runtime().execution_info
    step = f"{info.checkpoint_id if info else ''} {id(asyncio.get_running_loop())}"
    fan = _fans.setdefault(step, _Siblings())
    fan.running += 1
    try:
        yield
    except Stopped:
        fan.running -= 1
        fan.changed.set()
        await _quiet(fan)
        fan.running += 1
        raise
    finally:
        fan.running -= 1
        fan.changed.set()
        if not fan.running:
            _fans.pop(step, None)


async def _quiet(fan: _Siblings) -> None:
    while fan.running:
        fan.changed.clear()
        await fan.changed.wait()
    for _ in range(HOPS):
        await asyncio.sleep(0)
