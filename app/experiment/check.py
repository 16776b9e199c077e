"""What a plan would come to, before anybody is asked: its cells, its seeds, and what all of it costs at most."""

import os
from collections.abc import Sequence
from statistics import median_low

from pydantic import BaseModel, ConfigDict, Field

from ...nodes.calibrated_stop import with_stops
from ...nodes.models.chat import REHEARSAL
from ...state.positions import PositionRules
from ...state.refused import Refused
from ...state.rules import Rules
from ...state.settings import Budget
from ..estimate import Cost, estimated
from ..rehearsal import convened
from .arms.allowed import check_arms
from .arms.price import Pricing
from .draw import FORK, Cell, Trial, asked, cells, each_cell, runs_beside, trials
from .plan import Certificate, Detect, Plan
from .sealing import models


class CellForecast(BaseModel):
    """One condition: its runs and what they would cost together."""

    model_config = ConfigDict(frozen=True)

    cell: str
    arm: str = Field(default="", description="The arm whose runs these are; empty: the talk.")
    runs: int = Field(ge=0, description="Runs, swapped ones included.")
    items: int = Field(ge=0, description="Items it is run on.")
    expected: Cost
    highest: Cost = Field(description="More than they can take, failed tries included.")


class Forecast(BaseModel):
    """A whole experiment."""

    model_config = ConfigDict(frozen=True)

    name: str
    protocol: str
    hash: str = Field(description="SHA-256 of the plan and its items.")
    runs: int
    items: int
    repeats: int
    seeds: int = Field(description="Different seeds: one for each item and repeat, shared by all conditions.")
    model: str = Field(description="The model of those for whom the plan names none.")
    cells: list[CellForecast]
    expected: Cost
    highest: Cost
    power: list[str] = Field(default=[], description="What it could find, where it has arms.")


async def forecast(plan: Plan, model: str, pilot: tuple[Detect, str] | None = None) -> Forecast:
    """Draw everything, rehearse each condition, call nobody. Raises `Refused` for what could not be run.

    `pilot`: what should be found by a pilot's figures, and the sentence that tells them; none: what the plan says.
    """
    drawn = check_runs(plan)
    check_limits(plan, drawn, model)
    await check_openings(plan, drawn)
    arms, pricing = ["", *runs_beside(plan), *[FORK] * bool(plan.influence)], Pricing(plan, model)
    with with_stops(plan.stops):
        found = [
            await _of_cell(plan, cell, arm, pricing, [one for one in drawn if one.cell == cell and one.arm == arm])
            for cell in cells(plan)
            for arm in arms
        ]
    return Forecast(
        name=plan.name,
        protocol=plan.protocol,
        hash=plan.hash,
        runs=len(drawn),
        items=len(plan.items),
        repeats=plan.repeats,
        seeds=len({one.seed for one in drawn}),
        model=model,
        cells=found,
        expected=_within(plan, added([one.expected for one in found])),
        highest=_within(plan, added([one.highest for one in found])),
        power=power_told(plan, min(one.items for one in found), pilot) if plan.arms else [],
    )


def power_told(plan: Plan, items: int, pilot: tuple[Detect, str] | None = None) -> list[str]:
    """What an experiment of this size could find, in sentences; why that is not known, where it is not."""
    try:
        from .statistics import power  # needs the extra `science`
    except Refused as missing:
        return [f"power is not known: {missing.remedy}"]
    detect, said = pilot or (plan.detect, "")
    assumed_of = detect.model_dump(exclude={"pilot"})
    found = power(items, repeats=plan.repeats, margin=plan.margin, seed=plan.seed, **assumed_of)
    told = f"power to find a gain of {100 * detect.gain:g} points: {100 * found.gain:.0f} %"
    assumed = f"{items} items, repeats of each: {plan.repeats}, {100 * detect.discordance:g} % of pairs differing"
    lines = [said] if said else []
    lines += [f"{told} (sign-flip at .05, {found.experiments:,} simulated experiments of {assumed})"]
    if found.equivalence is not None and plan.margin:
        lines.append(f"power to show equality within {100 * plan.margin:g} points: {100 * found.equivalence:.0f} %")
    return lines


def check_runs(plan: Plan) -> list[Trial]:
    """Every run of a plan; raises `Refused` for the first that could not be run, before any is."""
    drawn = trials(plan)
    check_arms(plan, _each_kind(drawn))
    if plan.certificate:
        _check_certificate(plan, plan.certificate)
    for one in _each_kind(drawn):
        check_caps(plan, one, len(drawn))
        if one.item.truth is not None and not (one.arm or _answers(asked(plan, one, REHEARSAL).rules)):
            remedy = "these runs answer nothing that could be right; give the item options, or positions: ends"
            raise Refused(f"items.{one.item.id}.truth", one.item.truth, f"{remedy}, or leave it out")
    return drawn


async def check_openings(plan: Plan, drawn: Sequence[Trial]) -> None:
    """Seat everyone of each talk in a rehearsal; raises `Refused` for the first talk that could not begin."""
    with with_stops(plan.stops):
        for one in _each_kind(drawn):
            if not one.arm:
                await convened(asked(plan, one, REHEARSAL))


def _answers(rules: Rules) -> bool:
    """Whether runs by these rules come to an answer: one that is named, voted for, or held by most."""
    if not isinstance(rules, PositionRules):
        return False
    asked_for = rules.positions != "off" or rules.blind_round is not None or getattr(rules, "vote", "off") != "off"
    return rules.naming if rules.named else asked_for


def check_limits(plan: Plan, drawn: Sequence[Trial], model: str) -> None:
    """Refuse a limit on an endpoint that no run would use. `model`: of those for whom the plan names none."""
    given = each_cell(plan, drawn, model)
    found = [getattr(one.rules, "embeddings", "") or os.environ.get("MOOT_EMBEDDINGS", "") for one in given]
    known = [*models(given), *dict.fromkeys(str(one) for one in found if one)]
    for spec in plan.limits:
        if spec not in known:
            raise Refused(f"limits.{spec}", spec, f"no run asks it; they ask {', '.join(known)}")


def _check_certificate(plan: Plan, asked: Certificate) -> None:
    """Refuse a certificate that no vote of the plan could have."""
    from .statistics import fewest_samples  # needs the extra `science`

    if "samples" not in plan.arms:
        raise Refused("certificate", asked.of, "it is of independent samples; add samples to arms")
    if plan.samples_max <= (least := fewest_samples(asked.alpha)):
        remedy = f"at alpha = {asked.alpha:g} a certificate takes {least} samples after the first; give {least + 1}"
        raise Refused("samples_max", plan.samples_max, f"{remedy} or more")


def _each_kind(drawn: Sequence[Trial]) -> list[Trial]:
    """One run of each condition, item and swap: those of other repeats differ by their seed alone."""
    return list({(one.cell.slug, one.item.id, one.swap, one.arm): one for one in drawn}.values())


async def _of_cell(plan: Plan, cell: Cell, arm: str, pricing: Pricing, of: Sequence[Trial]) -> CellForecast:
    expected = highest = Cost(calls=0, input_tokens=0, output_tokens=0)
    if of:
        expected, highest = await _costs(plan, of, pricing)
    return CellForecast(
        cell=cell.label,
        arm=arm,
        runs=len(of),
        items=len({one.item.id for one in of}),
        expected=added([expected] * len(of)),
        highest=added([highest] * len(of)),
    )


async def _costs(plan: Plan, of: Sequence[Trial], pricing: Pricing) -> tuple[Cost, Cost]:
    """What one run of a condition costs on the middle item, and at most on the longest."""
    longest = max(one.item.length for one in of)
    middle = median_low(one.item.length for one in of)
    usual, most = (next(one for one in of if one.item.length == length) for length in (middle, longest))
    if usual.arm:
        expected, highest = await pricing.costs(usual)
        return expected, highest if most == usual else (await pricing.costs(most))[1]
    first = await estimated(asked(plan, usual, pricing.model))
    return first.expected, first.high if most == usual else (await estimated(asked(plan, most, pricing.model))).high


def added(costs: Sequence[Cost]) -> Cost:
    """What all cost together; money only where all have prices."""
    money = [one.money for one in costs]
    return Cost(
        calls=sum(one.calls for one in costs),
        input_tokens=sum(one.input_tokens for one in costs),
        output_tokens=sum(one.output_tokens for one in costs),
        money=None if None in money or not money else sum(one for one in money if one is not None),
    )


def _within(plan: Plan, cost: Cost) -> Cost:
    """The cost of all, or the cap on all where that is less."""
    cap = plan.cap
    written = min(cost.output_tokens, cap.tokens or cost.output_tokens)
    read = cost.input_tokens if cap.tokens is None else min(cost.input_tokens, cap.tokens - written)
    money = cost.money if cost.money is None or cap.cost is None else min(cost.money, cap.cost)
    calls = min(cost.calls, cap.calls or cost.calls)
    return Cost(calls=calls, input_tokens=read, output_tokens=written, money=money)


def check_caps(plan: Plan, trial: Trial, runs: int) -> None:
    """Refuse runs without a cap of their own beside a cap on all, with the number that would do."""
    budget = asked(plan, trial, "rehearsal").rules.budget
    for key in Budget.model_fields:
        most, own = getattr(plan.cap, key), getattr(budget, key)
        if most is None:
            continue
        share = int(most / runs) if key != "cost" else round(most / runs, 6)
        if own is None:
            told = f"{share} would do" if share else f"raise cap.{key} to at least {runs}"
            remedy = f"with cap.{key} each run needs a cap of its own, since it is begun only if that is left; {told}"
            raise Refused(f"settings.budget.{key}", None, f"{remedy} for {runs} runs")
        if own > most:
            raise Refused(
                f"settings.budget.{key}", own, f"one run alone may pass cap.{key} = {most}; give at most that"
            )
