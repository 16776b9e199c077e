"""Calls spent within one superstep, which its parallel branches share.

A branch that has to stop the run raises `RunStoppedError`. LangGraph lets the sibling branches end and
saves their answers first, so that a resume repeats only the failed call. The branches share the remaining
budget, also with siblings whose answers were saved before their process died: the state counts those only
when the whole superstep is done. A call in flight when a process dies is on no record, so each branch can
exceed a paid cap by one such call.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.config import get_config
from langgraph.runtime import get_runtime

from ...state.call_record import Call
from ...storage.langgraph_internals import CHECKPOINTER_KEY

RUN_SPENDING_KEY = "__pregel_fans"
"""Config key of a run's `RunSpending`; LangGraph leaves keys with this prefix out of its streams."""


@dataclass
class StepSpending:
    """Calls made by the branches of one superstep, or by a node that runs alone.

    `calls`: calls made that the state does not hold yet. `open_calls`: calls in flight. `has_saved_calls`:
    whether `calls` includes those of siblings that ended in a process that died.
    """

    calls: list[Call] = field(default_factory=list)
    open_calls: int = 0
    has_saved_calls: bool = False
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


@dataclass
class RunSpending:
    """Spending of a run's current superstep, kept while no branch is running.

    The first branch of the next superstep replaces it. A nested run has a separate record.
    """

    checkpoint_id: str = ""
    spending: StepSpending = field(default_factory=StepSpending)


_current_spending: ContextVar[StepSpending | None] = ContextVar("moot_fan", default=None)


def get_step_spending() -> StepSpending:
    """Return the spending of the superstep, or of the lone node, that asks a question."""
    return _current_spending.get() or StepSpending()


@contextmanager
def use_own_spending() -> Iterator[None]:
    """Count the calls of a node that runs without siblings, within the block."""
    token = _current_spending.set(StepSpending())
    try:
        yield
    finally:
        _current_spending.reset(token)


@asynccontextmanager
async def track_spending(*, has_budget: bool) -> AsyncIterator[None]:
    """Count the calls of a branch together with those of its siblings, within the block.

    Siblings start from the same checkpoint. `has_budget`: whether the run has a budget; then the calls that
    siblings made in a process that died are loaded as well.
    """
    info = get_runtime().execution_info
    run_spending: RunSpending = get_config()["configurable"].get(RUN_SPENDING_KEY) or RunSpending()
    checkpoint_id = str(info.checkpoint_id) if info else ""
    if checkpoint_id != run_spending.checkpoint_id:  # the first branch of a superstep
        run_spending.checkpoint_id, run_spending.spending = checkpoint_id, StepSpending()
    spending = run_spending.spending
    token = _current_spending.set(spending)
    try:
        if has_budget:
            async with spending.lock:
                if not spending.has_saved_calls:
                    spending.calls += await _load_sibling_calls()
                    spending.has_saved_calls = True
        yield
    finally:
        _current_spending.reset(token)


async def _load_sibling_calls() -> list[Call]:
    """Load the calls of siblings whose answers were saved without the superstep."""
    info, saver = get_runtime().execution_info, get_config()["configurable"].get(CHECKPOINTER_KEY)
    if info is None or not isinstance(saver, BaseCheckpointSaver):
        return []
    namespace, _, _ = info.checkpoint_ns.rpartition("|")
    checkpoint = {"thread_id": info.thread_id, "checkpoint_ns": namespace, "checkpoint_id": info.checkpoint_id}
    try:
        checkpoint_tuple = await saver.aget_tuple({"configurable": checkpoint})
    except NotImplementedError:  # a synchronous saver
        checkpoint_tuple = await asyncio.to_thread(saver.get_tuple, {"configurable": checkpoint})
    writes = (checkpoint_tuple and checkpoint_tuple.pending_writes) or []
    return [Call.model_validate(call) for _, channel, calls in writes if channel == "calls" for call in calls]
