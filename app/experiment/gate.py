"""What calls of an experiment's runs pass: how hard an endpoint may be used, and what a run may still spend."""

from collections.abc import Callable
from dataclasses import dataclass

from ...state.incident import Call
from ...state.rules import Rules
from ..saved.experiments import Experiments, Spending, spending
from .limits import Limits

NOTHING = Spending(0, 0, 0.0)


@dataclass
class RunGate:
    """The gate of one run. `counted`: whether its calls are counted as they are made, since a cap is to hold.

    `tell`: is told of each call that was made.
    """

    run: str
    rules: Rules
    experiments: Experiments
    limits: Limits
    tell: Callable[[Call], None]
    counted: bool

    async def enter(self, ahead: Call, kept: Call | None) -> bool:
        """Wait for a place at the endpoint; false where the call could pass the run's cap."""
        if self.counted:
            left = spending([kept], self.rules.prices) if kept else NOTHING
            if not await self.experiments.spend(self.run, self._most(ahead), left, self.rules.budget):
                return False
        await self.limits.enter(ahead.model)
        return True

    async def leave(self, ahead: Call, made: Call | None) -> None:
        """Give the place back, and count what the call did cost, if that is known."""
        await self.limits.leave(ahead.model)
        self.tell(made or ahead.model_copy(update={"input_tokens": 0, "output_tokens": 0}))
        if self.counted and made:
            await self.experiments.settle(self.run, self._most(ahead), spending([made], self.rules.prices))

    def _most(self, ahead: Call) -> Spending:
        return spending([ahead], self.rules.prices)
