"""What the arms of a talk would cost, found beside a rehearsal of it."""

from collections.abc import Mapping
from typing import Any

from ....nodes.models.chat import close_models
from ....state.incident import Call
from ...estimate import Cost, cost_of, estimated, with_prices
from ...rehearsal import rehearsed
from ...request import Request
from ..draw import Trial, asked
from ..plan import Plan
from .beside import beside
from .forks import first_round

ONCE = (1,)
"""Seeds of the rehearsals: how many answers are asked alone hangs on no draw."""
LETTERS = 4
"""Letters of a token, as the rehearsal counts them."""


class Pricing:
    """Finds what arms would cost; each talk is rehearsed once for all of its arms."""

    def __init__(self, plan: Plan, model: str) -> None:
        self._plan, self.model = plan, model
        self._forks: dict[tuple[str, str], tuple[Cost, Cost]] = {}
        self._played: dict[tuple[str, str], tuple[Mapping[str, Any], Mapping[str, Any]]] = {}

    async def costs(self, trial: Trial) -> tuple[Cost, Cost]:
        """What the run of an arm would cost, and more than it can."""
        plan, given = self._plan, asked(self._plan, trial, self.model)
        if trial.fork:
            return await self._fork(trial, given)
        usual, longest = await self._talk(trial, given)
        heard = usual["history"] if trial.arm == "noise" else []
        likely = await estimated(beside(plan, trial, given.rules, usual, heard), ONCE)
        most = await estimated(_at_most(plan, trial, given, longest), ONCE)
        refused = len(longest["participants"])  # a call each, where a server takes no seed
        return likely.expected, most.high.model_copy(update={"calls": most.high.calls + refused})

    async def _fork(self, trial: Trial, given: Request) -> tuple[Cost, Cost]:
        """What is left of the talk after its first round, and at most a whole talk."""
        key = trial.cell.slug, trial.item.id
        if key not in self._forks:
            usual, _ = await self._talk(trial, given)
            whole = await estimated(given, ONCE)
            self._forks[key] = cost_of(after_first_round(usual), (await with_prices(given)).rules.prices), whole.high
        return self._forks[key]

    async def _talk(self, trial: Trial, given: Request) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """How a rehearsal of the talk ends, and one to its cap."""
        key = trial.cell.slug, trial.item.id
        if key not in self._played:
            try:
                usual, _ = await rehearsed(given, given.rules)
                longest, _ = await rehearsed(given, given.rules.settled(dynamic_termination=False), unbound=True)
            finally:
                await close_models()
            self._played[key] = usual, longest
        return self._played[key]


def after_first_round(state: Mapping[str, Any]) -> list[Call]:
    """The calls of a talk that a fork from the end of its first round makes anew."""
    last = max((one.turn for one in first_round(state["history"])), default=0)
    made = [one.purpose == "statement" and one.turn <= last for one in state["calls"]]
    return list(state["calls"][len(made) - made[::-1].index(True) :]) if any(made) else list(state["calls"])


def _at_most(plan: Plan, trial: Trial, given: Request, longest: Mapping[str, Any]) -> Request:
    """The arm beside the longest talk there can be: every statement of full length, and as many samples as may be."""
    long = "a" * LETTERS * given.rules.max_tokens_per_turn
    heard = [one.model_copy(update={"content": long}) for one in longest["history"]] if trial.arm == "noise" else []
    found = beside(plan, trial, given.rules, longest, heard)
    return Request(found.protocol, found.rules.settled(talk_calls=plan.samples_max, talk_tokens=0), found.input)
