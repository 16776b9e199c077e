"""Forecast of a plan before the first call: its conditions, its seeds and its highest cost."""

import os
from collections.abc import Sequence
from statistics import median_low

from pydantic import BaseModel, ConfigDict, Field

from ...models.calibrated_stop_file import use_stops
from ...models.chat import REHEARSAL
from ...state.errors import InputError
from ...state.positions import PositionSettings
from ...state.setting_types import Budget
from ...state.settings import Settings
from ..run.estimate import Cost, estimate_cost
from ..run.rehearsal import rehearse_first_step
from .arms.eligibility import check_arms
from .arms.price import ArmPricing
from .plan import CertificateSettings, DetectionSettings, Plan
from .planned_runs import (
    FORK_ARM,
    PlanCondition,
    PlannedRun,
    build_condition_requests,
    build_talk_request,
    list_conditions,
    list_separate_arms,
    plan_runs,
)
from .seal import list_models


class ConditionForecast(BaseModel):
    """One condition: its runs and their total cost."""

    model_config = ConfigDict(frozen=True)

    cell: str
    arm: str = Field(default="", description="The arm whose runs these are; empty: the talk.")
    runs: int = Field(ge=0, description="Runs, swapped ones included.")
    items: int = Field(ge=0, description="Items it is run on.")
    expected: Cost
    highest: Cost = Field(description="More than they can take, failed tries included.")


class Forecast(BaseModel):
    """Forecast of an experiment before its first call."""

    model_config = ConfigDict(frozen=True)

    name: str
    protocol: str
    hash: str = Field(description="SHA-256 of the plan and its items.")
    runs: int
    items: int
    repeats: int
    seeds: int = Field(description="Different seeds: one for each item and repeat, shared by all conditions.")
    model: str = Field(description="The model of those for whom the plan names none.")
    cells: list[ConditionForecast]
    expected: Cost
    highest: Cost
    power: list[str] = Field(default=[], description="What it could find, where it has arms.")


async def forecast_experiment(plan: Plan, model: str, pilot: tuple[DetectionSettings, str] | None = None) -> Forecast:
    """Forecast the runs, cost and power of an experiment without a call to a model.

    Raises `InputError` for a plan that cannot run. `pilot`: detection settings with a pilot's figures, and the
    sentence about them; `None`: the plan's own settings.
    """
    planned_runs = check_runs(plan)
    check_limits(plan, planned_runs, model)
    await check_openings(plan, planned_runs)
    arms, pricing = ["", *list_separate_arms(plan), *[FORK_ARM] * bool(plan.influence)], ArmPricing(plan, model)
    with use_stops(plan.stops):
        forecasts = [
            await _forecast_condition(
                plan,
                condition,
                arm,
                pricing,
                [
                    planned_run
                    for planned_run in planned_runs
                    if planned_run.condition == condition and planned_run.arm == arm
                ],
            )
            for condition in list_conditions(plan)
            for arm in arms
        ]
    return Forecast(
        name=plan.name,
        protocol=plan.protocol,
        hash=plan.hash,
        runs=len(planned_runs),
        items=len(plan.items),
        repeats=plan.repeats,
        seeds=len({planned_run.seed for planned_run in planned_runs}),
        model=model,
        cells=forecasts,
        expected=_limit_to_cap(plan, sum_costs([condition_forecast.expected for condition_forecast in forecasts])),
        highest=_limit_to_cap(plan, sum_costs([condition_forecast.highest for condition_forecast in forecasts])),
        power=describe_power(plan, min(condition_forecast.items for condition_forecast in forecasts), pilot)
        if plan.arms
        else [],
    )


def describe_power(plan: Plan, item_count: int, pilot: tuple[DetectionSettings, str] | None = None) -> list[str]:
    """Return sentences about the effect that an experiment of this size could find.

    Without the extra `science`, the only sentence tells how to install it.
    """
    try:
        from .statistics import simulate_power  # needs the extra `science`
    except InputError as error:
        return [f"power is not known: {error.remedy}"]
    detection, pilot_sentence = pilot or (plan.detect, "")
    assumptions = detection.model_dump(exclude={"pilot"})
    power_estimate = simulate_power(item_count, repeats=plan.repeats, margin=plan.margin, seed=plan.seed, **assumptions)
    finding = f"power to find a gain of {100 * detection.gain:g} points: {100 * power_estimate.gain:.0f} %"
    basis = f"{item_count} items, repeats of each: {plan.repeats}, {100 * detection.discordance:g} % of pairs differing"
    lines = [pilot_sentence] if pilot_sentence else []
    lines += [f"{finding} (sign-flip at .05, {power_estimate.experiments:,} simulated experiments of {basis})"]
    if power_estimate.equivalence is not None and plan.margin:
        lines.append(
            f"power to show equality within {100 * plan.margin:g} points: {100 * power_estimate.equivalence:.0f} %"
        )
    return lines


def check_runs(plan: Plan) -> list[PlannedRun]:
    """Return every run of a plan; raise `InputError` for the first that cannot run."""
    planned_runs = plan_runs(plan)
    check_arms(plan, _list_distinct_runs(planned_runs))
    if plan.certificate:
        _check_certificate(plan, plan.certificate)
    for planned_run in _list_distinct_runs(planned_runs):
        check_caps(plan, planned_run, len(planned_runs))
        if planned_run.item.truth is not None and not (
            planned_run.arm or _has_final_answer(build_talk_request(plan, planned_run, REHEARSAL).settings)
        ):
            remedy = "these runs answer nothing that could be right; give the item options, or positions: ends"
            raise InputError(f"items.{planned_run.item.id}.truth", planned_run.item.truth, f"{remedy}, or leave it out")
    return planned_runs


async def check_openings(plan: Plan, planned_runs: Sequence[PlannedRun]) -> None:
    """Rehearse the first step of each talk; raise `InputError` if a talk cannot begin."""
    with use_stops(plan.stops):
        for planned_run in _list_distinct_runs(planned_runs):
            if not planned_run.arm:
                await rehearse_first_step(build_talk_request(plan, planned_run, REHEARSAL))


def _has_final_answer(settings: Settings) -> bool:
    """Return whether runs with these settings end with an answer: named, voted for, or held by most."""
    if not isinstance(settings, PositionSettings):
        return False
    asks_for_answers = (
        settings.positions != "off" or settings.blind_round is not None or getattr(settings, "vote", "off") != "off"
    )
    return settings.needs_naming if settings.named else asks_for_answers


def check_limits(plan: Plan, planned_runs: Sequence[PlannedRun], model: str) -> None:
    """Raise `InputError` for a limit on an endpoint that no run uses.

    `model`: default model of the participants.
    """
    requests = build_condition_requests(plan, planned_runs, model)
    embeddings = [
        getattr(request.settings, "embeddings", "") or os.environ.get("MOOT_EMBEDDINGS", "") for request in requests
    ]
    specs = [*list_models(requests), *dict.fromkeys(str(embedding) for embedding in embeddings if embedding)]
    for spec in plan.limits:
        if spec not in specs:
            raise InputError(f"limits.{spec}", spec, f"no run asks it; they ask {', '.join(specs)}")


def _check_certificate(plan: Plan, settings: CertificateSettings) -> None:
    """Raise `InputError` for a certificate that the plan's samples cannot reach."""
    from .statistics import compute_min_samples  # needs the extra `science`

    if "samples" not in plan.arms:
        raise InputError("certificate", settings.of, "it is of independent samples; add samples to arms")
    if plan.samples_max <= (min_samples := compute_min_samples(settings.alpha)):
        remedy = (
            f"at alpha = {settings.alpha:g} a certificate takes {min_samples} samples after the "
            f"first; give {min_samples + 1}"
        )
        raise InputError("samples_max", plan.samples_max, f"{remedy} or more")


def _list_distinct_runs(planned_runs: Sequence[PlannedRun]) -> list[PlannedRun]:
    """Return one run of each condition, item, swap and arm; repeats differ only by their seed."""
    return list(
        {
            (planned_run.condition.slug, planned_run.item.id, planned_run.swap, planned_run.arm): planned_run
            for planned_run in planned_runs
        }.values()
    )


async def _forecast_condition(
    plan: Plan, condition: PlanCondition, arm: str, pricing: ArmPricing, planned_runs: Sequence[PlannedRun]
) -> ConditionForecast:
    expected_cost = highest_cost = Cost(calls=0, input_tokens=0, output_tokens=0)
    if planned_runs:
        expected_cost, highest_cost = await _estimate_costs(plan, planned_runs, pricing)
    return ConditionForecast(
        cell=condition.label,
        arm=arm,
        runs=len(planned_runs),
        items=len({planned_run.item.id for planned_run in planned_runs}),
        expected=sum_costs([expected_cost] * len(planned_runs)),
        highest=sum_costs([highest_cost] * len(planned_runs)),
    )


async def _estimate_costs(plan: Plan, planned_runs: Sequence[PlannedRun], pricing: ArmPricing) -> tuple[Cost, Cost]:
    """Return the cost of one run of a condition on the median item, and the highest on the longest item."""
    longest_length = max(planned_run.item.length for planned_run in planned_runs)
    median_length = median_low(planned_run.item.length for planned_run in planned_runs)
    typical_run, longest_run = (
        next(planned_run for planned_run in planned_runs if planned_run.item.length == length)
        for length in (median_length, longest_length)
    )
    if typical_run.arm:
        expected_cost, highest_cost = await pricing.estimate_costs(typical_run)
        return expected_cost, highest_cost if longest_run == typical_run else (
            await pricing.estimate_costs(longest_run)
        )[1]
    estimate = await estimate_cost(build_talk_request(plan, typical_run, pricing.model))
    return estimate.expected, estimate.high if longest_run == typical_run else (
        await estimate_cost(build_talk_request(plan, longest_run, pricing.model))
    ).high


def sum_costs(costs: Sequence[Cost]) -> Cost:
    """Return the total cost; its money is `None` if one price is unknown."""
    amounts = [cost.money for cost in costs]
    return Cost(
        calls=sum(cost.calls for cost in costs),
        input_tokens=sum(cost.input_tokens for cost in costs),
        output_tokens=sum(cost.output_tokens for cost in costs),
        money=None if None in amounts or not amounts else sum(amount for amount in amounts if amount is not None),
    )


def _limit_to_cap(plan: Plan, cost: Cost) -> Cost:
    """Return the total cost, limited to the cap on all runs."""
    cap = plan.cap
    output_tokens = min(cost.output_tokens, cap.tokens or cost.output_tokens)
    input_tokens = cost.input_tokens if cap.tokens is None else min(cost.input_tokens, cap.tokens - output_tokens)
    money = cost.money if cost.money is None or cap.cost is None else min(cost.money, cap.cost)
    calls = min(cost.calls, cap.calls or cost.calls)
    return Cost(calls=calls, input_tokens=input_tokens, output_tokens=output_tokens, money=money)


def check_caps(plan: Plan, planned_run: PlannedRun, run_count: int) -> None:
    """Raise `InputError` if the plan caps all runs together and each run has no cap or a larger one.

    The error names a suitable value.
    """
    budget = build_talk_request(plan, planned_run, "rehearsal").settings.budget
    for key in Budget.model_fields:
        cap, run_cap = getattr(plan.cap, key), getattr(budget, key)
        if cap is None:
            continue
        share = int(cap / run_count) if key != "cost" else round(cap / run_count, 6)
        if run_cap is None:
            hint = f"{share} would do" if share else f"raise cap.{key} to at least {run_count}"
            remedy = f"with cap.{key} each run needs a cap of its own, since it is begun only if that is left; {hint}"
            raise InputError(f"settings.budget.{key}", None, f"{remedy} for {run_count} runs")
        if run_cap > cap:
            raise InputError(
                f"settings.budget.{key}", run_cap, f"one run alone may pass cap.{key} = {cap}; give at most that"
            )
