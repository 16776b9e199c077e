"""Forecast of an experiment before its first call: conditions, seeds and maximum cost.

The costs of arms come from a rehearsal of their deliberation.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import ceil
from statistics import median_low
from typing import Any

from pydantic import BaseModel, Field

from ...models import REHEARSAL, close_models, use_stops
from ...state import Budget, InputError, PositionSettings, Settings, build_answer_format
from ..protocols import PROTOCOLS, get_hooks, get_protocol
from ..run import (
    Cost,
    RunRequest,
    cap_cost,
    compute_cost,
    compute_high_cost,
    estimate_cost,
    get_longest_overrides,
    rehearse_run,
    seat_participants,
    sum_costs,
    with_prices,
)
from ..saved.experiments import TalkForecast
from .arms.requests import build_arm_request, select_first_round
from .items import find_truth
from .plan import MAX_SAMPLES, SHARED_MEASURES, DetectionSettings, Plan, describe_measure
from .planned_runs import (
    FORK_ARM,
    SAMPLED_ARMS,
    PlannedRun,
    build_condition_requests,
    build_talk_request,
    list_conditions,
    list_separate_arms,
    plan_runs,
)
from .seal import list_models

REHEARSAL_SEEDS = (1,)
"""Seeds of the rehearsals. One seed is enough: the number of answers does not depend on the seed."""
LETTERS_PER_TOKEN = 4
"""Letters that the rehearsal counts as one token."""


class ArmPricing:
    """Cost estimator for deliberations and arms, which rehearses each deliberation once for all its arms."""

    def __init__(self, plan: Plan, model: str) -> None:
        self._plan, self.model = plan, model
        self._talk_forecasts: dict[tuple[str, str], TalkForecast] = {}
        self._fork_costs: dict[tuple[str, str], tuple[Cost, Cost, Cost]] = {}
        self._rehearsed_states: dict[tuple[str, str], tuple[Mapping[str, Any], Mapping[str, Any]]] = {}

    async def estimate_costs(self, planned_run: PlannedRun) -> tuple[Cost, Cost, Cost]:
        """Return the expected cost of a planned run, its cost with retries, and an upper bound."""
        plan, request = self._plan, build_talk_request(self._plan, planned_run, self.model)
        if not planned_run.arm:
            estimate = await estimate_cost(request)
            return estimate.expected, estimate.high, estimate.maximum
        if planned_run.fork:
            return await self._estimate_fork(planned_run, request)
        usual_state, longest_state = await self._rehearse_talk(planned_run, request)
        is_noise, settings = planned_run.arm == "noise", request.settings
        spend = TalkForecast(calls=0, tokens=0)
        if planned_run.arm in SAMPLED_ARMS:
            spend = await self.forecast_talk(planned_run)
        read_statements = usual_state["history"] if is_noise else []
        if planned_run.arm in ("notes", "rethought"):
            read_statements = select_first_round(usual_state["history"])
        usual_request = build_arm_request(plan, planned_run, settings, usual_state, read_statements, spend)
        likely_estimate = await estimate_cost(usual_request, REHEARSAL_SEEDS)
        # at most: the longest possible talk, with full statements and all samples
        long_text = "a" * LETTERS_PER_TOKEN * settings.max_tokens_per_turn
        statements = [
            statement.model_copy(update={"content": long_text})
            for statement in (longest_state["history"] if is_noise else read_statements)
        ]
        longest_request = build_arm_request(plan, planned_run, settings, longest_state, statements, spend)
        longest_settings = longest_request.settings.with_choices(talk_calls=spend.samples, talk_tokens=0)
        highest = (await estimate_cost(replace(longest_request, settings=longest_settings), REHEARSAL_SEEDS)).maximum
        return likely_estimate.expected, likely_estimate.high, highest

    async def forecast_talk(self, planned_run: PlannedRun) -> TalkForecast:
        """Return the expected spending of a deliberation, and how many samples cost 1.25 times as much.

        The number of samples is at most the plan's `samples_max`.
        """
        plan, key = self._plan, (planned_run.condition.slug, planned_run.item.id)
        if key not in self._talk_forecasts:
            request = build_talk_request(plan, planned_run, self.model)
            cost, count = (await estimate_cost(request, REHEARSAL_SEEDS)).expected, plan.samples_max
            spend = TalkForecast(calls=cost.calls, tokens=cost.tokens, cost=cost.money, samples=MAX_SAMPLES)
            if count == "auto":
                state, _ = await self._rehearse_talk(planned_run, request)
                sampled = replace(planned_run, arm="each" if "each" in plan.arms else planned_run.arm)
                arm_request, counts = build_arm_request(plan, sampled, request.settings, state, [], spend), [1]
                for group in getattr(arm_request.settings, "sampled_groups", []) or [[]]:
                    settings = arm_request.settings.with_choices(sampled_groups=[group] if group else [])
                    samples = (await estimate_cost(replace(arm_request, settings=settings), REHEARSAL_SEEDS)).expected
                    share = cost.money / samples.money if cost.money and samples.money else 0
                    counts.append(ceil(max(1, 1.25 * share) * samples.calls))  # cheap ones are more for the same money
                count = min(MAX_SAMPLES, max(counts))
            self._talk_forecasts[key] = spend.model_copy(update={"samples": count})
        return self._talk_forecasts[key]

    async def _estimate_fork(self, planned_run: PlannedRun, request: RunRequest) -> tuple[Cost, Cost, Cost]:
        """Return expected cost, cost with retries and upper bound of a fork after the first round.

        The upper bound is the cost of the complete deliberation.
        """
        key = planned_run.condition.slug, planned_run.item.id
        if key not in self._fork_costs:
            state, _ = await self._rehearse_talk(planned_run, request)
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
        self, planned_run: PlannedRun, request: RunRequest
    ) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        key = planned_run.condition.slug, planned_run.item.id
        if key not in self._rehearsed_states:
            try:
                usual_state, _ = await rehearse_run(request, request.settings)
                uncut_settings = request.settings.with_choices(**get_longest_overrides(request.settings))
                longest_state, _ = await rehearse_run(request, uncut_settings, ignores_budget=True)
            finally:
                await close_models()
            models = {seat.name: seat.model for seat in request.named_seats}
            seats = usual_state["participants"]
            seats = [seat.model_copy(update={"model": models.get(seat.name, "")}) for seat in seats]
            usual_state, longest_state = ({**state, "participants": seats} for state in (usual_state, longest_state))
            self._rehearsed_states[key] = usual_state, longest_state
        return self._rehearsed_states[key]


class ConditionForecast(BaseModel, frozen=True):
    """Forecast of one condition: its runs and their total cost."""

    condition: str
    arm: str = Field(default="", description="Arm of the runs; empty: the deliberation.")
    runs: int = Field(ge=0, description="Number of runs, including swapped ones.")
    items: int = Field(ge=0, description="Number of items.")
    expected: Cost
    high: Cost = Field(description="Cost that 95 % of rehearsals stay below if one answer in ten is repeated.")
    highest: Cost = Field(description="Upper bound of the cost, with every answer repeated.")


class Forecast(BaseModel, frozen=True):
    """Forecast of an experiment before its first call."""

    name: str
    protocol: str
    hash: str = Field(description="SHA-256 of the plan and its items.")
    runs: int
    items: int
    repeats: int
    seeds: int = Field(description="Number of seeds: one for each item and repeat, shared by all conditions.")
    model: str = Field(description="Model of participants that have none in the plan.")
    conditions: list[ConditionForecast]
    expected: Cost
    high: Cost
    highest: Cost
    power: list[str] = Field(default=[], description="Effects that the arms could detect, in words.")


async def forecast_experiment(plan: Plan, model: str, pilot: tuple[DetectionSettings, str] | None = None) -> Forecast:
    """Return the runs, costs and power that an experiment will have. No model is called.

    `pilot`: detection settings from a pilot, with a sentence about them. `None` uses the plan's settings. Raises
    `InputError` for a plan that cannot run.
    """
    planned_runs = list_checked_runs(plan)
    check_limits(plan, planned_runs, model)
    await check_openings(plan, planned_runs)
    arms, pricing = ["", *list_separate_arms(plan), *[FORK_ARM] * bool(plan.influence)], ArmPricing(plan, model)
    with use_stops(plan.stops):
        forecasts = []
        for condition, arm in product(list_conditions(plan), arms):
            runs = [
                planned_run
                for planned_run in planned_runs
                if planned_run.condition == condition and planned_run.arm == arm
            ]
            # the cost of a run on the median item, and at most that of one on the longest item
            expected = high = highest = Cost(calls=0, input_tokens=0, output_tokens=0)
            if runs:
                runs_by_length = {planned_run.item.length: planned_run for planned_run in reversed(runs)}
                typical_run = runs_by_length[median_low(planned_run.item.length for planned_run in runs)]
                longest_run = runs_by_length[max(runs_by_length)]
                expected, high, highest = await pricing.estimate_costs(typical_run)
                if longest_run != typical_run:
                    *_, highest = await pricing.estimate_costs(longest_run)
            forecasts.append(
                ConditionForecast(
                    condition=condition.label,
                    arm=arm,
                    runs=len(runs),
                    items=len({planned_run.item.id for planned_run in runs}),
                    expected=sum_costs([expected] * len(runs)),
                    high=sum_costs([high] * len(runs)),
                    highest=sum_costs([highest] * len(runs)),
                )
            )
    return Forecast(
        name=plan.name,
        protocol=plan.protocol,
        hash=plan.hash,
        runs=len(planned_runs),
        items=len(plan.items),
        repeats=plan.repeats,
        seeds=len({planned_run.seed for planned_run in planned_runs}),
        model=model,
        conditions=forecasts,
        expected=cap_cost(sum_costs([forecast.expected for forecast in forecasts]), plan.cap),
        high=cap_cost(sum_costs([forecast.high for forecast in forecasts]), plan.cap),
        highest=cap_cost(sum_costs([forecast.highest for forecast in forecasts]), plan.cap),
        power=describe_power(plan, min(forecast.items for forecast in forecasts), pilot) if plan.arms else [],
    )


async def forecast_talks(plan: Plan, planned_runs: Sequence[PlannedRun], model: str) -> dict[str, TalkForecast]:
    """Return the expected spending of a deliberation and its samples, by condition.

    The samples cost 1.25 times as much. The result is empty for a plan without samples.
    """
    pricing, forecasts = ArmPricing(plan, model), dict[str, TalkForecast]()
    with use_stops(plan.stops):
        for condition in list_conditions(plan) if set(SAMPLED_ARMS) & set(plan.arms) else ():
            runs = [run for run in planned_runs if run.condition == condition and run.arm in SAMPLED_ARMS]
            median_length = median_low(planned_run.item.length for planned_run in runs) if runs else 0
            for planned_run in [planned_run for planned_run in runs if planned_run.item.length == median_length][:1]:
                forecasts[condition.label] = await pricing.forecast_talk(planned_run)
    return forecasts


def describe_power(plan: Plan, item_count: int, pilot: tuple[DetectionSettings, str] | None = None) -> list[str]:
    """Return sentences about the smallest effect that an experiment of this size can detect.

    Without the optional packages of `moot[science]`, return a sentence that explains how to install them.
    """
    try:
        from .statistics import (  # needs the extra `science`
            SIMULATED_EXPERIMENTS,
            compute_detectable_gain,
            simulate_power,
        )
    except InputError as error:
        return [f"power is not known: {error.remedy}"]
    detection, pilot_sentence = pilot or (plan.detect, "")
    assumptions = detection.model_dump(exclude={"pilot"})
    power_estimate = simulate_power(item_count, repeats=plan.repeats, margin=plan.margin, seed=plan.seed, **assumptions)
    finding = f"power to find a gain of {100 * detection.gain:g} points: {100 * power_estimate.gain:.0f} %"
    basis = f"{item_count} items, repeats of each: {plan.repeats}, {100 * detection.discordance:g} % of pairs differing"
    lines = [
        *[pilot_sentence] * bool(pilot_sentence),
        f"{finding} (sign-flip at .05, {SIMULATED_EXPERIMENTS:,} simulated experiments of {basis})",
    ]
    del assumptions["gain"]
    if smallest := compute_detectable_gain(item_count, repeats=plan.repeats, **assumptions):
        lines.append(f"smallest gain to find with a power of 80 %: {100 * smallest:.1f} points (normal approximation)")
    if power_estimate.equivalence is not None and plan.margin:
        share = f"{100 * power_estimate.equivalence:.0f} %"
        lines.append(f"power to show equality within {100 * plan.margin:g} points: {share}")
    return lines


def list_checked_runs(plan: Plan) -> list[PlannedRun]:
    """Return every run of a plan, after checking that it can start. Raises `InputError` otherwise."""
    planned_runs = plan_runs(plan)
    distinct_runs = _list_distinct_runs(planned_runs)
    _check_arms(plan, distinct_runs)
    if plan.compare:
        name, measures = plan.compare.measure, get_hooks(plan.protocol).measures
        is_known = describe_measure(plan, name)[1] or name in [measure.name for measure in measures]
        if not is_known or (name == "right" and all(item.truth is None for item in plan.items)):
            names = [*SHARED_MEASURES, *(measure.name for measure in measures)]
            raise InputError(
                "compare.measure", name, f"no run has this measure; choose one of {', '.join(names)}, or ended: REASON"
            )
    if plan.certificate:
        from .statistics import compute_min_samples  # needs the extra `science`

        if "samples" not in plan.arms:
            raise InputError(
                "certificate", plan.certificate.of, "a certificate needs independent samples; add samples to arms"
            )
        min_samples = compute_min_samples(plan.certificate.alpha)
        if isinstance(plan.samples_max, int) and plan.samples_max <= min_samples:
            raise InputError(
                "samples_max",
                plan.samples_max,
                f"at alpha = {plan.certificate.alpha:g} a certificate takes {min_samples} samples after the first"
                f"; give {min_samples + 1} or more",
            )
    for planned_run in distinct_runs:
        settings, item = build_talk_request(plan, planned_run, REHEARSAL).settings, planned_run.item
        _check_caps(plan, settings.budget, len(planned_runs))
        if item.truth is not None and not planned_run.arm and not _has_final_answer(settings):
            raise InputError(
                f"items.{item.id}.truth",
                item.truth,
                "these runs give no answer that could be right; give the item options, set positions: ends"
                ", or leave the truth out",
            )
    return planned_runs


async def check_openings(plan: Plan, planned_runs: Sequence[PlannedRun]) -> None:
    """Check that each deliberation can start, by rehearsing its first step. Raises `InputError`."""
    with use_stops(plan.stops):
        for planned_run in _list_distinct_runs(planned_runs):
            if not planned_run.arm:
                await seat_participants(build_talk_request(plan, planned_run, REHEARSAL))


def _has_final_answer(settings: Settings) -> bool:
    """Return whether runs with these settings have a final answer.

    A final answer comes from the synthesizer, a vote, or the most common position.
    """
    if not isinstance(settings, PositionSettings):
        return False
    if settings.named:
        return settings.needs_named_answer
    has_vote = getattr(settings, "vote", "off") != "off"
    return has_vote or settings.positions != "off" or settings.blind_round is not None


def check_limits(plan: Plan, planned_runs: Sequence[PlannedRun], model: str) -> None:
    """Check that each endpoint limit is for a model that some run uses.

    `model`: default model of the participants. Raises `InputError`.
    """
    requests, default = build_condition_requests(plan, planned_runs, model), os.environ.get("MOOT_EMBEDDINGS", "")
    embeddings = [getattr(request.settings, "embeddings", "") or default for request in requests]
    specs = [*list_models(requests), *dict.fromkeys(str(embedding) for embedding in embeddings if embedding)]
    for spec in plan.limits:
        if spec not in specs:
            raise InputError(f"limits.{spec}", spec, f"no run asks this model; the runs ask {', '.join(specs)}")


def _check_arms(plan: Plan, distinct_runs: Sequence[PlannedRun]) -> None:
    """Check that deliberations with arms or forks have an option or a number as their answer.

    `distinct_runs`: one run for each combination of condition, item, swap and arm. Raises `InputError`.
    """
    if not plan.has_comparisons:
        return
    key = "arms" if plan.arms else "influence"
    if not _has_answers(plan.protocol):
        answering_protocols = ", ".join(filter(_has_answers, PROTOCOLS))
        raise InputError(
            key,
            list(plan.arms),
            f"{plan.protocol} has no {key}, since its participants give no option or number; leave {key} out"
            f", or use one of {answering_protocols}",
        )
    planned_arms: dict[str, tuple[str, object]] = {arm: ("arms", arm) for arm in plan.arms}
    if plan.influence:
        planned_arms[FORK_ARM] = ("influence", plan.influence.forks)
    for arm, remedy in get_hooks(plan.protocol).unfit_arms.items():
        if arm in planned_arms:
            raise InputError(*planned_arms[arm], remedy)
    for planned_run in distinct_runs:
        request, item = build_talk_request(plan, planned_run, REHEARSAL), planned_run.item
        settings, models = request.settings, list_models([request])
        assert isinstance(settings, PositionSettings)
        answer_format = build_answer_format(settings)
        faults = [
            (
                settings.positions == "off" and settings.blind_round is None,
                *("settings.positions", "off", "arms need positions; write ends or rounds, or leave positions out"),
            ),
            (
                settings.answer == "none",
                *(f"items.{item.id}", item.topic),
                "arms compare answers; give the item options, or the settings answer: {number: unit}",
            ),
            (
                not answer_format.is_relative,
                *("settings.answer.tolerance", answer_format.tolerance),
                "arms need a relative tolerance, such as tolerance: 0.01 relative",
            ),
            (
                plan.best and plan.best not in models,
                *("best", plan.best, f"no participant has this model; they have {', '.join(models)}"),
            ),
            (
                planned_run.arm == "noise" and not planned_run.donor,
                *("arms", "noise", "this arm shows statements of another item; give two items or more"),
            ),
        ]
        for is_there, fault_key, value, remedy in faults:
            if is_there:
                raise InputError(fault_key, value, remedy)
        find_truth(item, answer_format)


def _has_answers(protocol: str) -> bool:
    return issubclass(get_protocol(protocol).graph.context_schema, PositionSettings)


def _check_caps(plan: Plan, budget: Budget, run_count: int) -> None:
    """Check that each run has a cap, and that all runs fit into the plan's cap.

    `budget`: caps of each run. `run_count`: number of runs. Raises `InputError`, which names a suitable value.
    """
    for key, cap in plan.cap.model_dump(exclude_none=True).items():
        run_cap, share = getattr(budget, key), int(cap / run_count) if key != "cost" else round(cap / run_count, 6)
        remedy = f"one run alone may exceed cap.{key} = {cap}; give at most that"
        if run_cap is None:
            hint = f"{share} would do" if share else f"raise cap.{key} to at least {run_count}"
            remedy = (
                f"with cap.{key}, each run needs its own cap, because a run starts only if the rest of cap.{key} "
                f"covers it; {hint} for {run_count} runs"
            )
        if run_cap is None or run_cap > cap:
            raise InputError(f"settings.budget.{key}", run_cap, remedy)


def _list_distinct_runs(planned_runs: Sequence[PlannedRun]) -> list[PlannedRun]:
    return list({(run.condition.slug, run.item.id, run.swap, run.arm): run for run in planned_runs}.values())
