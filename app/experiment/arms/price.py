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
"""Letters that the rehearsal counts as one token."""


class ArmPricing:
    """Cost estimator of arms; it rehearses each talk once for all its arms."""

    def __init__(self, plan: Plan, model: str) -> None:
        self._plan, self.model = plan, model
        self._fork_costs: dict[tuple[str, str], tuple[Cost, Cost]] = {}
        self._rehearsed_states: dict[tuple[str, str], tuple[Mapping[str, Any], Mapping[str, Any]]] = {}

    async def estimate_costs(self, planned_run: PlannedRun) -> tuple[Cost, Cost]:
        """Return the expected cost of an arm's run, and an upper bound."""
        plan, request = self._plan, build_talk_request(self._plan, planned_run, self.model)
        if planned_run.fork:
            return await self._estimate_fork(planned_run, request)
        usual_state, longest_state = await self._rehearse_talk(planned_run, request)
        statements = usual_state["history"] if planned_run.arm == "noise" else []
        likely_estimate = await estimate_cost(
            build_arm_request(plan, planned_run, request.settings, usual_state, statements), REHEARSAL_SEEDS
        )
        highest_estimate = await estimate_cost(
            _build_longest_request(plan, planned_run, request, longest_state), REHEARSAL_SEEDS
        )
        rejected_calls = len(
            longest_state["participants"]
        )  # one rejected call for each participant, if a server takes no seed
        return likely_estimate.expected, highest_estimate.high.model_copy(
            update={"calls": highest_estimate.high.calls + rejected_calls}
        )

    async def _estimate_fork(self, planned_run: PlannedRun, request: RunRequest) -> tuple[Cost, Cost]:
        """Return the cost of a talk after its first round, and the cost of a whole talk as an upper bound."""
        key = planned_run.condition.slug, planned_run.item.id
        if key not in self._fork_costs:
            usual_state, _ = await self._rehearse_talk(planned_run, request)
            estimate = await estimate_cost(request, REHEARSAL_SEEDS)
            self._fork_costs[key] = (
                compute_cost(list_forked_calls(usual_state), (await with_prices(request)).settings.prices),
                estimate.high,
            )
        return self._fork_costs[key]

    async def _rehearse_talk(
        self, planned_run: PlannedRun, request: RunRequest
    ) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Rehearse a talk as usual and up to its cap, and return both final states."""
        key = planned_run.condition.slug, planned_run.item.id
        if key not in self._rehearsed_states:
            try:
                usual_state, _ = await rehearse_run(request, request.settings)
                longest_state, _ = await rehearse_run(
                    request, request.settings.with_choices(dynamic_termination=False), ignores_budget=True
                )
            finally:
                await close_models()
            self._rehearsed_states[key] = usual_state, longest_state
        return self._rehearsed_states[key]


def list_forked_calls(state: Mapping[str, Any]) -> list[Call]:
    """Return the calls of a talk after its first round, which a fork makes again."""
    last_turn = max((statement.turn for statement in select_first_round(state["history"])), default=0)
    first_round_flags = [call.purpose == "statement" and call.turn <= last_turn for call in state["calls"]]
    return (
        list(state["calls"][len(first_round_flags) - first_round_flags[::-1].index(True) :])
        if any(first_round_flags)
        else list(state["calls"])
    )


def _build_longest_request(
    plan: Plan, planned_run: PlannedRun, request: RunRequest, longest_state: Mapping[str, Any]
) -> RunRequest:
    """Build the arm's request for the longest possible talk, with full statements and all samples."""
    long_text = "a" * LETTERS_PER_TOKEN * request.settings.max_tokens_per_turn
    statements = (
        [statement.model_copy(update={"content": long_text}) for statement in longest_state["history"]]
        if planned_run.arm == "noise"
        else []
    )
    arm_request = build_arm_request(plan, planned_run, request.settings, longest_state, statements)
    return RunRequest(
        arm_request.protocol,
        arm_request.settings.with_choices(talk_calls=plan.samples_max, talk_tokens=0),
        arm_request.input,
    )
