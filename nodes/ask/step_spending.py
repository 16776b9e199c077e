"""Calls within one superstep, counted across its parallel branches.

A branch that must stop the run raises `RunStoppedError`. LangGraph first lets the other branches finish and saves their
answers. So a resumed run repeats only the failed call. The branches share the remaining budget. Saved answers of a dead
process count too, although the state does not contain them yet. The journal keeps its open calls, recorded as lost.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.config import get_config
from langgraph.runtime import get_runtime

from ...state import Call, Prices, bind_variable
from ...storage import CHECKPOINTER_KEY, TaskJournal, find_task_journal, use_task_journal

RUN_SPENDING_KEY = "__pregel_fans"
"""Config key of a run's `RunSpending`. LangGraph leaves keys with this prefix out of its streams."""


@dataclass
class StepSpending:
    """Calls made by the branches of one superstep, or by a node that runs alone.

    `calls`: finished calls that the state does not contain yet. `open_calls`: calls in progress. `lookups`: look-ups
    counted against the budget. `has_saved_calls`: whether `calls` includes saved answers from before a crash.
    `outage_times`: for each server that fails, the time of its first failure, in seconds of `time.monotonic()`.
    `owed_turns`: turn and name of each question that failed because of a machine.
    """

    calls: list[Call] = field(default_factory=list)
    open_calls: int = 0
    lookups: int = 0
    has_saved_calls: bool = False
    outage_times: dict[str, float] = field(default_factory=dict)
    owed_turns: list[tuple[int, str]] = field(default_factory=list)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


@dataclass
class RunSpending:
    """Spending in the current superstep of a run, kept even when no branch is running.

    `spending`: replaced by the first branch of the next superstep. `has_claimed`: whether a question has counted the
    calls that earlier processes left without a record. A nested run has a `RunSpending` of its own.
    """

    checkpoint_id: str = ""
    spending: StepSpending = field(default_factory=StepSpending)
    has_claimed: bool = False
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


_current_spending: ContextVar[StepSpending | None] = ContextVar("moot_fan", default=None)


def get_step_spending() -> StepSpending:
    """Return the record of calls in the current superstep, or of the current node if it runs alone."""
    return _current_spending.get() or StepSpending()


def use_spending(spending: StepSpending) -> AbstractContextManager[None]:
    """Count all calls within the `with` block in `spending`. Used for a node that runs alone."""
    return bind_variable(_current_spending, spending)


def use_journal(prices: Prices | None) -> AbstractAsyncContextManager[None]:
    """Record the requests within the `async with` block in the database's journal, if it has one."""
    execution_info, saver = get_runtime().execution_info, get_config()["configurable"].get(CHECKPOINTER_KEY)
    journal = getattr(saver, "journal", None)
    if journal is None or execution_info is None or execution_info.thread_id is None:
        return nullcontext()
    return use_task_journal(TaskJournal(journal, execution_info.thread_id, execution_info.task_id, prices))


async def claim_lost_calls() -> list[Call]:
    """Return the calls that earlier processes left unrecorded; only the run's first question gets them."""
    journal = find_task_journal()
    if journal is None:
        return []
    run_spending: RunSpending = get_config()["configurable"][RUN_SPENDING_KEY]
    async with run_spending.lock:  # parallel branches wait, because these calls count for all of them
        if run_spending.has_claimed:
            return []
        calls = await journal.claim_lost_requests()
        get_step_spending().calls.extend(calls)
        run_spending.has_claimed = True
    return calls


@asynccontextmanager
async def track_spending(*, has_budget: bool) -> AsyncIterator[None]:
    """Count the calls of a branch within the block together with those of its parallel branches.

    Branches that start from the same checkpoint are parallel. `has_budget`: whether the run has a budget. If so, calls
    that a crashed process saved count too.
    """
    execution_info = get_runtime().execution_info
    run_spending: RunSpending = get_config()["configurable"].get(RUN_SPENDING_KEY) or RunSpending()
    checkpoint_id = str(execution_info.checkpoint_id) if execution_info else ""
    if checkpoint_id != run_spending.checkpoint_id:  # the first branch of a superstep
        run_spending.checkpoint_id, run_spending.spending = checkpoint_id, StepSpending()
    spending = run_spending.spending
    with bind_variable(_current_spending, spending):
        if has_budget:
            async with spending.lock:
                if not spending.has_saved_calls:
                    spending.calls += await _load_sibling_calls()
                    spending.has_saved_calls = True
        yield


async def _load_sibling_calls() -> list[Call]:
    """Load the calls of parallel branches whose answers a crashed process had saved."""
    execution_info, saver = get_runtime().execution_info, get_config()["configurable"].get(CHECKPOINTER_KEY)
    if execution_info is None or not isinstance(saver, BaseCheckpointSaver):
        return []
    namespace, _, _ = execution_info.checkpoint_ns.rpartition("|")
    checkpoint = {
        "thread_id": execution_info.thread_id,
        "checkpoint_ns": namespace,
        "checkpoint_id": execution_info.checkpoint_id,
    }
    try:
        checkpoint_tuple = await saver.aget_tuple({"configurable": checkpoint})
    except NotImplementedError:  # a synchronous saver
        checkpoint_tuple = await asyncio.to_thread(saver.get_tuple, {"configurable": checkpoint})
    writes = (checkpoint_tuple and checkpoint_tuple.pending_writes) or []
    return [Call.model_validate(call) for _, channel, calls in writes if channel == "calls" for call in calls]
