"""Limits on the calls of an experiment's runs: the load on an endpoint and the remaining budget of a run."""

from collections.abc import Callable
from dataclasses import dataclass

from ...state.call_record import Call
from ...state.settings import Settings
from ..saved.experiments import Experiments, Spending, sum_spending
from .endpoint_limits import EndpointLimits

NO_SPENDING = Spending(0, 0, 0.0)


@dataclass
class RunCallLimiter:
    """Call limiter of one run; it waits for endpoints and counts the run's cost."""

    run: str
    settings: Settings
    experiments: Experiments
    limits: EndpointLimits
    report_call: Callable[[Call], None]
    """Function that receives each call after it was made."""
    is_counted: bool
    """True if calls are counted as they are made, because a cap must hold."""

    async def enter(self, expected: Call, reserved: Call | None) -> bool:
        """Wait for a slot at the endpoint; return `False` if the call could exceed the run's cap."""
        if self.is_counted:
            reserved_spending = sum_spending([reserved], self.settings.prices) if reserved else NO_SPENDING
            if not await self.experiments.reserve_call(
                self.run, self._price_call(expected), reserved_spending, self.settings.budget
            ):
                return False
        await self.limits.take_slot(expected.model)
        return True

    async def leave(self, expected: Call, call: Call | None) -> None:
        """Release the slot and count the cost of the call if it is known."""
        await self.limits.release_slot(expected.model)
        self.report_call(call or expected.model_copy(update={"input_tokens": 0, "output_tokens": 0}))
        if self.is_counted and call:
            await self.experiments.replace_reserved_cost(
                self.run, self._price_call(expected), sum_spending([call], self.settings.prices)
            )

    def _price_call(self, call: Call) -> Spending:
        return sum_spending([call], self.settings.prices)
