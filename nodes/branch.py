"""Branches of one fan-out wait for each other before one of them stops the run.

Under `ainvoke` a branch that raises cancels its siblings, and what they were about to answer is paid for and lost. A
branch that has to stop the run therefore waits until its siblings are done, so that their answers are kept and only
its own call is made again on resume. They also share what the budget leaves, with siblings whose answers were saved
before the process died that asked them: the state counts those only when the whole step is done. A call that was under
way when a process died is on no record, so of those a cap on what is paid can be passed by one per branch.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from langgraph.checkpoint.base import BaseCheckpointSaver, PendingWrite
from langgraph.config import get_config
from langgraph.runtime import get_runtime

from ..state.incident import Call
from .faults import Stopped
from .pregel import CHECKPOINTER

FANS = "__pregel_fans"
"""Where a run's config keeps its `Fans`; langgraph leaves names that begin so out of what it streams of a config."""

HOPS = 40
"""Turns of the event loop after which langgraph has taken the results of siblings that just ended; it needs a few."""

LOOKS = 100
"""How often one looks, 0.01 s apart, whether those results are saved: under `invoke` by threads, in their own time."""


@dataclass
class Fan:
    """The branches of one superstep, or a step alone: what runs, and what its questions cost so far.

    `ended`: the branches that have their answer. `calls`: calls made and not yet in the state. `asking`: calls under
    way. `recalled`: whether `calls` hold those of siblings that had ended in a process that died.
    """

    running: int = 0
    ended: set[str] = field(default_factory=set)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    calls: list[Call] = field(default_factory=list)
    asking: int = 0
    recalled: bool = False
    recalling: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def recall(self) -> None:
        """Count what siblings have spent that are done and not asked again."""
        async with self.recalling:
            if not self.recalled:
                self.calls += await _saved_calls()
                self.recalled = True

    async def quiet(self) -> None:
        """Wait until no branch runs and what was answered is saved, or is not going to be."""
        while self.running:
            self.changed.clear()
            await self.changed.wait()
        for _ in range(HOPS):
            await asyncio.sleep(0)
        for _ in range(LOOKS):
            writes = await _saved()
            if writes is None or self.ended <= {task for task, _, _ in writes}:
                return
            await asyncio.sleep(0.01)


@dataclass
class Fans:
    """The fan-out of a run's present step, kept also while none of its branches happens to run. Steps follow each
    other, so that the first branch of one ends what was before; a run within a run has fan-outs of its own."""

    step: str = ""
    fan: Fan = field(default_factory=Fan)

    def of(self, step: str) -> Fan:
        """The fan-out of the step that sets out from this checkpoint."""
        if step != self.step:
            self.step, self.fan = step, Fan()
        return self.fan


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
async def together(*, capped: bool) -> AsyncIterator[None]:
    """Count a branch in; let a `Stopped` out only when no sibling is running any more, and what they said is saved.

    `capped`: whether the run has a budget, of which siblings may have spent something before they were last saved.
    """
    info = get_runtime().execution_info
    fans: Fans = get_config()["configurable"].get(FANS) or Fans()
    siblings = fans.of(info.checkpoint_id if info else "")
    siblings.running += 1
    token = _fan.set(siblings)
    try:
        if capped:
            await siblings.recall()
        yield
        siblings.ended.add(info.task_id if info else "")
    except Stopped:
        siblings.running -= 1
        siblings.changed.set()
        await siblings.quiet()
        siblings.running += 1
        raise
    finally:
        _fan.reset(token)
        siblings.running -= 1
        siblings.changed.set()


async def _saved_calls() -> list[Call]:
    """The calls of siblings whose answers were saved without the step: none, unless a process died in its midst."""
    writes = await _saved() or []
    return [Call.model_validate(one) for _, channel, made in writes if channel == "calls" for one in made]


async def _saved() -> list[PendingWrite] | None:
    """What branches of this step have written that is saved without the step; none: the run is not saved."""
    info, saver = get_runtime().execution_info, get_config()["configurable"].get(CHECKPOINTER)
    if info is None or not isinstance(saver, BaseCheckpointSaver):
        return None
    graph, _, _ = info.checkpoint_ns.rpartition("|")
    place = {"thread_id": info.thread_id, "checkpoint_ns": graph, "checkpoint_id": info.checkpoint_id}
    try:
        saved = await saver.aget_tuple({"configurable": place})
    except NotImplementedError:  # a synchronous saver
        saved = await asyncio.to_thread(saver.get_tuple, {"configurable": place})
    return (saved and saved.pending_writes) or []
