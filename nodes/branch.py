"""Branches of one fan-out: what one of them fails at never costs what the others are paid for.

A branch that has to stop the run raises `Stopped`; langgraph lets its siblings end and saves their answers before that
gets out, so that only its own call is made again on resume. They also share what the budget leaves, with siblings
whose answers were saved before the process died that asked them: the state counts those only when the whole step is
done. A call that was under way when a process died is on no record, so of those a cap on what is paid can be passed by
one per branch.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.config import get_config
from langgraph.runtime import get_runtime

from ..state.incident import Call
from .pregel import CHECKPOINTER

FANS = "__pregel_fans"
"""Where a run's config keeps its `Fans`; langgraph leaves names that begin so out of what it streams of a config."""


@dataclass
class Fan:
    """The branches of one superstep, or a step alone: what their questions cost so far.

    `calls`: calls made and not yet in the state. `asking`: calls under way. `recalled`: whether `calls` hold those of
    siblings that had ended in a process that died.
    """

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
    """Within the block a branch asks beside the siblings that set out from the same checkpoint.

    `capped`: whether the run has a budget, of which siblings may have spent something before they were last saved.
    """
    info = get_runtime().execution_info
    fans: Fans = get_config()["configurable"].get(FANS) or Fans()
    siblings = fans.of(info.checkpoint_id if info else "")
    token = _fan.set(siblings)
    try:
        if capped:
            await siblings.recall()
        yield
    finally:
        _fan.reset(token)


async def _saved_calls() -> list[Call]:
    """The calls of siblings whose answers were saved without the step: none, unless a process died in its midst."""
    info, saver = get_runtime().execution_info, get_config()["configurable"].get(CHECKPOINTER)
    if info is None or not isinstance(saver, BaseCheckpointSaver):
        return []
    graph, _, _ = info.checkpoint_ns.rpartition("|")
    place = {"thread_id": info.thread_id, "checkpoint_ns": graph, "checkpoint_id": info.checkpoint_id}
    try:
        saved = await saver.aget_tuple({"configurable": place})
    except NotImplementedError:  # a synchronous saver
        saved = await asyncio.to_thread(saver.get_tuple, {"configurable": place})
    writes = (saved and saved.pending_writes) or []
    return [Call.model_validate(one) for _, channel, made in writes if channel == "calls" for one in made]
