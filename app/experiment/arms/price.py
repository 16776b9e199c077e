"""Estimated costs of the arms of a talk, from a rehearsal of the talk."""

from collections.abc import Mapping
from dataclasses import replace
from math import ceil
from typing import Any

from ....models import close_models
from ...run.estimate import Cost, compute_cost, compute_high_cost, estimate_cost, with_prices
from ...run.rehearsal import rehearse_run
from ...run.request import RunRequest
from ...saved.experiments import TalkForecast
from ..plan import MAX_SAMPLES, Plan
from ..planned_runs import SAMPLED_ARMS, PlannedRun, build_talk_request
from .requests import build_arm_request, select_first_round

REHEARSAL_SEEDS = (1,)
"""Seeds of the rehearsals. One is enough, because the number of answers does not depend on the seed."""
NO_SPEND = TalkForecast(calls=0, tokens=0)
LETTERS_PER_TOKEN = 4
"""Letters that the rehearsal counts as one token."""


class ArmPricing:
    """Cost estimator for arms. It rehearses each talk once for all its arms."""

    def __init__(self, plan: Plan, model: str) -> None:
        self._plan, self.model = plan, model
        self._talk_forecasts: dict[tuple[str, str], TalkForecast] = {}
        self._fork_costs: dict[tuple[str, str], tuple[Cost, Cost, Cost]] = {}
        self._rehearsed_states: dict[tuple[str, str], tuple[Mapping[str, Any], Mapping[str, Any]]] = {}

    async def estimate_costs(self, planned: PlannedRun) -> tuple[Cost, Cost, Cost]:
        """Return the expected cost of an arm's run, its cost with retries, and an upper bound."""
        plan, request = self._plan, build_talk_request(self._plan, planned, self.model)
        if planned.fork:
            return await self._estimate_fork(planned, request)
        usual_state, longest_state = await self._rehearse_talk(planned, request)
        is_noise, settings = planned.arm == "noise", request.settings
        spend = await self.forecast_talk(planned) if planned.arm in SAMPLED_ARMS else NO_SPEND
        read_statements = usual_state["history"] if is_noise else []
        if planned.arm in ("notes", "rethought"):
            read_statements = select_first_round(usual_state["history"])
        usual_request = build_arm_request(plan, planned, settings, usual_state, read_statements, spend)
        likely_estimate = await estimate_cost(usual_request, REHEARSAL_SEEDS)
        # at most: the longest possible talk, with full statements and all samples
        long_text = "a" * LETTERS_PER_TOKEN * settings.max_tokens_per_turn
        statements = [
            statement.model_copy(update={"content": long_text})
            for statement in (longest_state["history"] if is_noise else read_statements)
        ]
        longest_request = build_arm_request(plan, planned, settings, longest_state, statements, spend)
        longest_settings = longest_request.settings.with_choices(talk_calls=spend.samples, talk_tokens=0)
        highest = (await estimate_cost(replace(longest_request, settings=longest_settings), REHEARSAL_SEEDS)).maximum
        return likely_estimate.expected, likely_estimate.high, highest

    async def forecast_talk(self, planned: PlannedRun) -> TalkForecast:
        """Forecast the spending of a talk, and the number of samples that cost 1.25 times as much.

        The maximum number is `samples_max`.
        """
        plan, key = self._plan, (planned.condition.slug, planned.item.id)
        if key not in self._talk_forecasts:
            request = build_talk_request(plan, planned, self.model)
            cost, count = (await estimate_cost(request, REHEARSAL_SEEDS)).expected, plan.samples_max
            spend = TalkForecast(calls=cost.calls, tokens=cost.tokens, cost=cost.money, samples=MAX_SAMPLES)
            if count == "auto":
                state, _ = await self._rehearse_talk(planned, request)
                sampled = replace(planned, arm="each" if "each" in plan.arms else planned.arm)
                arm_request, counts = build_arm_request(plan, sampled, request.settings, state, [], spend), [1]
                for group in getattr(arm_request.settings, "sampled_groups", []) or [[]]:
                    settings = arm_request.settings.with_choices(sampled_groups=[group] if group else [])
                    samples = (await estimate_cost(replace(arm_request, settings=settings), REHEARSAL_SEEDS)).expected
                    share = cost.money / samples.money if cost.money and samples.money else 0
                    counts.append(ceil(max(1, 1.25 * share) * samples.calls))  # cheap ones are more for the same money
                count = min(MAX_SAMPLES, max(counts))
            self._talk_forecasts[key] = spend.model_copy(update={"samples": count})
        return self._talk_forecasts[key]

    async def _estimate_fork(self, planned: PlannedRun, request: RunRequest) -> tuple[Cost, Cost, Cost]:
        """Return the costs of a talk after its first round. The upper bound is the cost of the complete talk."""
        key = planned.condition.slug, planned.item.id
        if key not in self._fork_costs:
            state, _ = await self._rehearse_talk(planned, request)
            last_turn = max((statement.turn for statement in select_first_round(state["history"])), default=0)
            forked_calls = list(state["calls"])
            for index, call in enumerate(state["calls"], 1):
                if call.purpose == "statement" and call.turn <= last_turn:
                    forked_calls = state["calls"][index:]  # a fork makes the calls after the first round again
            settings = (await with_prices(request)).settings
            highest = (await estimate_cost(request, REHEARSAL_SEEDS)).maximum
            expected, high = compute_cost(forked_calls, settings.prices), compute_high_cost([forked_calls], settings)
            self._fork_costs[key] = expected, high, highest
        return self._fork_costs[key]

    async def _rehearse_talk(
        self, planned: PlannedRun, request: RunRequest
    ) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        key = planned.condition.slug, planned.item.id
        if key not in self._rehearsed_states:
            try:
                usual_state, _ = await rehearse_run(request, request.settings)
                uncut_settings = request.settings.with_choices(dynamic_termination=False)
                longest_state, _ = await rehearse_run(request, uncut_settings, ignores_budget=True)
            finally:
                await close_models()
            models = {seat.name: seat.model for seat in request.named_seats}
            seats = usual_state["participants"]
            seats = [seat.model_copy(update={"model": models.get(seat.name, "")}) for seat in seats]
            usual_state, longest_state = ({**state, "participants": seats} for state in (usual_state, longest_state))
            self._rehearsed_states[key] = usual_state, longest_state
        return self._rehearsed_states[key]
