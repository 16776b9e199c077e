"""Limits on the calls of an experiment: the load on endpoints, and the remaining budget of each run.

Endpoint limits apply to one process, or to all processes that share a database.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ...state import Budget, Call, Settings
from ..saved import NO_SPENDING, EndpointSlots, Spending, Store, sum_spending
from .plan import EndpointLimit, SpendingCap

SLOT_RETRY_SECONDS = 0.03
"""Seconds until the next attempt to get a slot that all processes share."""


class EndpointLimits:
    """Limits of a plan on the calls to each endpoint, which a model's name determines.

    With `shared`, slots and starts are counted for all processes of a database. Without it, they are counted in this
    process.
    """

    def __init__(self, limits: Mapping[str, EndpointLimit], shared: EndpointSlots | None = None) -> None:
        self._limits, self._shared = limits, shared
        self._slots = {spec: asyncio.Semaphore(limit.concurrent) for spec, limit in limits.items() if limit.concurrent}
        self._start_times = {spec: deque[float](maxlen=limit.per_minute or 0) for spec, limit in limits.items()}
        self._locks = {spec: asyncio.Lock() for spec in limits}

    async def take_slot(self, spec: str) -> None:
        """Wait for a free slot at the endpoint of the model `spec`. Within one process, calls wait in order."""
        if (limit := self._limits.get(spec)) is None:
            return
        async with self._locks[spec]:
            if limit.concurrent and self._shared is None:
                await self._slots[spec].acquire()
            while limit.concurrent and self._shared and not await self._shared.take_slot(spec, limit.concurrent):
                await asyncio.sleep(SLOT_RETRY_SECONDS)
            try:
                while limit.per_minute and (seconds := await self._take_start(spec, limit.per_minute)):
                    await asyncio.sleep(seconds)
            except asyncio.CancelledError:
                await self.release_slot(spec)
                raise

    async def release_slot(self, spec: str) -> None:
        """Release a slot at the endpoint of the model `spec`."""
        if spec in self._slots and self._shared:
            await self._shared.release_slot(spec)
        elif spec in self._slots:
            self._slots[spec].release()

    async def _take_start(self, spec: str, per_minute: int) -> float:
        """Count the start of a call and return 0, or return the seconds until a call may start.

        `spec`: model of the endpoint. `per_minute`: limit on starts per minute.
        """
        if self._shared:
            return await self._shared.take_token(spec, per_minute)
        now, times = time.monotonic(), self._start_times[spec]
        if len(times) == per_minute and now < times[0] + 60:
            return times[0] + 60 - now
        times.append(now)
        return 0.0


async def compute_run_budget(store: Store, run: str, budget: Budget) -> Budget:
    """Return the budget of a run, with its cap on calls raised by the number of lost and unrecorded calls."""
    sent_calls, *_ = await store.journal.sum_run_spending(run)
    if budget.calls is None or not sent_calls:  # before the first call the database may have no table of writes
        return budget
    counts = await store.journal.count_requests(run)
    return budget.model_copy(update={"calls": budget.calls + counts.get("lost", 0) + counts.get("sent", 0)})


async def make_call_limiter(
    store: Store,
    run: str,
    settings: Settings,
    limits: EndpointLimits,
    report_call: Callable[[Call], None],
    cap: SpendingCap,
) -> "RunCallLimiter":
    """Make the call limiter of a run, which also counts the run's earlier spending.

    `limits`: limits on endpoints. `report_call`: function that receives each finished call. `cap`: cap on all runs
    together.
    """
    if not cap.is_set:
        return RunCallLimiter(settings, limits, report_call, cap)
    settings = settings.with_choices(budget=await compute_run_budget(store, run, settings.budget))
    return RunCallLimiter(settings, limits, report_call, cap, Spending(*await store.journal.sum_run_spending(run)))


@dataclass
class RunCallLimiter:
    """Call limiter of one run. It waits for endpoints and counts the run's cost.

    `report_call`: function that receives each finished call. `cap`: cap on all runs together. With a cap, each call
    counts with its maximum cost until its cost is known. `spent`: spending so far, including lost calls.
    """

    settings: Settings
    limits: EndpointLimits
    report_call: Callable[[Call], None]
    cap: SpendingCap
    spent: Spending = NO_SPENDING

    async def admit_call(self, expected: Call, reserved: Call | None) -> bool:
        """Wait for a slot at the endpoint. Return `False` if the call could exceed the run's cap.

        `expected`: the call with its maximum token counts. `reserved`: the call to reserve for the synthesis, or
        `None`.
        """
        if self.cap.is_set:
            spent, budget = self.spent.add(self._price_calls(expected)), self.settings.budget
            amounts = spent.add(self._price_calls(*[reserved] if reserved else []))._asdict()
            if any(amounts[key] > cap for key in SpendingCap.model_fields if (cap := getattr(budget, key)) is not None):
                return False
            self.spent = spent
        await self.limits.take_slot(expected.model)
        return True

    async def count_call(self, expected: Call, call: Call | None) -> None:
        """Release the slot and count the cost of the call if it is known."""
        await self.limits.release_slot(expected.model)
        self.report_call(call or expected.model_copy(update={"input_tokens": 0, "output_tokens": 0}))
        if self.cap.is_set and call:
            self.spent = self.spent.add(self._price_calls(expected), -1).add(self._price_calls(call))

    def _price_calls(self, *calls: Call) -> Spending:
        return sum_spending(list(calls), self.settings.prices)
