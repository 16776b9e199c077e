"""Estimated costs of the arms of a talk, from a rehearsal of the talk."""

from collections.abc import Mapping
from typing import Any

from ....models.chat import close_models
from ....state.call_record import Call
from ...run.estimate import Cost, compute_cost, estimate_cost, with_prices
from ...run.rehearsal import rehearse_run
from ...run.request import RunRequest
from ..plan import Plan
from ..planned_runs import PlannedRun, build_talk_request
from .forks import select_first_round
from .requests import build_arm_request

REHEARSAL_SEEDS = (1,)
"""Seeds of the rehearsals: one is enough, since the number of answers does not depend on the seed."""
LETTERS_PER_TOKEN = 4
"""Letters of a token in the rehearsal's count."""


class ArmPricing:
    """Cost estimator of arms; it rehearses each talk once for all its arms."""

    def __init__(self, plan: Plan, model: str) -> None:
        self._plan, self.model = plan, model
        self._forks: dict[tuple[str, str], tuple[Cost, Cost]] = {}
        self._played: dict[tuple[str, str], tuple[Mapping[str, Any], Mapping[str, Any]]] = {}

    async def estimate_costs(self, planned: PlannedRun) -> tuple[Cost, Cost]:
        """Return the expected cost of the run of an arm, and an upper bound."""
        plan, request = self._plan, build_talk_request(self._plan, planned, self.model)
        if planned.fork:
            return await self._estimate_fork(planned, request)
        usual, longest = await self._rehearse_talk(planned, request)
        statements = usual["history"] if planned.arm == "noise" else []
        likely = await estimate_cost(
            build_arm_request(plan, planned, request.settings, usual, statements), REHEARSAL_SEEDS
        )
        highest = await estimate_cost(_build_longest_request(plan, planned, request, longest), REHEARSAL_SEEDS)
        rejected_calls = len(longest["participants"])  # a call each, where a server takes no seed
        return likely.expected, highest.high.model_copy(update={"calls": highest.high.calls + rejected_calls})

    async def _estimate_fork(self, planned: PlannedRun, request: RunRequest) -> tuple[Cost, Cost]:
        """Return the cost of the talk after its first round, and that of a whole talk as upper bound."""
        key = planned.condition.slug, planned.item.id
        if key not in self._forks:
            usual, _ = await self._rehearse_talk(planned, request)
            estimate = await estimate_cost(request, REHEARSAL_SEEDS)
            self._forks[key] = (
                compute_cost(list_forked_calls(usual), (await with_prices(request)).settings.prices),
                estimate.high,
            )
        return self._forks[key]

    async def _rehearse_talk(
        self, planned: PlannedRun, request: RunRequest
    ) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Return the final states of a usual rehearsal of the talk and of one that runs to its cap."""
        key = planned.condition.slug, planned.item.id
        if key not in self._played:
            try:
                usual, _ = await rehearse_run(request, request.settings)
                longest, _ = await rehearse_run(
                    request, request.settings.with_choices(dynamic_termination=False), without_budget=True
                )
            finally:
                await close_models()
            self._played[key] = usual, longest
        return self._played[key]


def list_forked_calls(state: Mapping[str, Any]) -> list[Call]:
    """Return the calls of a talk that a fork after its first round repeats."""
    last = max((statement.turn for statement in select_first_round(state["history"])), default=0)
    is_first_round = [call.purpose == "statement" and call.turn <= last for call in state["calls"]]
    return (
        list(state["calls"][len(is_first_round) - is_first_round[::-1].index(True) :])
        if any(is_first_round)
        else list(state["calls"])
    )


def _build_longest_request(
    plan: Plan, planned: PlannedRun, request: RunRequest, longest: Mapping[str, Any]
) -> RunRequest:
    """Return the arm's request for the longest possible talk, with full statements and all samples."""
    long = "a" * LETTERS_PER_TOKEN * request.settings.max_tokens_per_turn
    statements = (
        [statement.model_copy(update={"content": long}) for statement in longest["history"]]
        if planned.arm == "noise"
        else []
    )
    arm_request = build_arm_request(plan, planned, request.settings, longest, statements)
    return RunRequest(
        arm_request.protocol,
        arm_request.settings.with_choices(talk_calls=plan.samples_max, talk_tokens=0),
        arm_request.input,
    )
