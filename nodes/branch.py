"""Branches of one fan-out wait for each other before one of them stops the run.

Under `ainvoke` a branch that raises cancels its siblings, and what they were about to answer is paid for and lost. A
branch that has to stop the run therefore waits until its siblings are done, so that their answers are kept and only
its own call is made again on resume.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from langchain_core.runnables import RunnableConfig

from .faults import Stopped


@dataclass
class _Siblings:
    running: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)


_fans: dict[str, _Siblings] = {}


@asynccontextmanager
async def together(config: RunnableConfig | None) -> AsyncIterator[None]:
    """Count a branch in; let a `Stopped` out only when no sibling is running any more."""
    key = _step_of(config)
    fan = _fans.setdefault(key, _Siblings())
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
            _fans.pop(key, None)


async def _quiet(fan: _Siblings) -> None:
    while fan.running:
        fan.changed.clear()
        await fan.changed.wait()
    await asyncio.sleep(0.01)  # one breath for langgraph to take the siblings' results


def _step_of(config: RunnableConfig | None) -> str:
    """One superstep of one run: branches of the same fan-out share its checkpoint."""
    known = (config or {}).get("configurable", {})
    namespace = str(known.get("checkpoint_ns", "")).rpartition(":")[0]
    return f"{known.get('thread_id', '')} {known.get('checkpoint_id', '')} {namespace} {id(asyncio.get_running_loop())}"
