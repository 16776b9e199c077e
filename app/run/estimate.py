"""Cost estimate of a run, made by rehearsing the run."""

import asyncio
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from pydantic import Field

from ...models import (
    MAX_ATTEMPTS,
    OPTIONAL_SETTINGS,
    add_prices,
    choose_spec,
    close_models,
    is_agent_spec,
    list_unpriced_specs,
)
from ...nodes.ask.attempt import MAX_HALVINGS
from ...prompts import join_words
from ...state import (
    EMBEDDING_PURPOSE,
    Call,
    CallCaps,
    FrozenModel,
    Prices,
    Settings,
    StoppingSettings,
    VotingSettings,
    make_rng,
)
from ...state.consensus import ConvergenceSettings
from ..display import describe_models, format_money, is_rehearsal, translate_display_phrase
from ..protocols.hooks import get_hooks
from .rehearsal import describe_request, rehearse_run
from .request import RunRequest

ESTIMATE_SEEDS = range(1, 6)
MIN_REHEARSALS, ENOUGH_CALLS = 3, 100
"""Minimum numbers of rehearsals and of rehearsed calls. After both, no further seed is rehearsed."""
FAULT_SHARE = 0.1
"""Share of answers that are requested again in rehearsals with faults."""
LOOKUP_PURPOSE, LOOKUP_PURPOSES = "lookup", ("statement", "estimate", "declaration")
"""Purpose of an estimated call that requests look-ups, and purposes of the questions that allow look-ups."""
CHARS_PER_TOKEN = 4
FAULTY_RUNS = 100


class Cost(FrozenModel):
    """Cost of a run: calls, tokens and money."""

    calls: int = Field(
        ge=0,
        description="Number of model calls. The low and expected numbers assume that every first attempt succeeds.",
    )
    input_tokens: int = Field(ge=0, description="Prompt tokens.")
    output_tokens: int = Field(ge=0, description="Completion tokens.")
    money: float | None = Field(
        default=None, ge=0, description="Cost in the currency of the prices; none without prices."
    )

    @property
    def tokens(self) -> int:
        """Return the sum of prompt and completion tokens."""
        return self.input_tokens + self.output_tokens


class CostEstimate(FrozenModel):
    """Cost estimate: low, expected, high and maximum.

    `low`: the shortest rehearsal. `expected`: the median rehearsal. `high`: the 95th percentile of rehearsals in which
    one answer in ten needs a retry. `maximum`: an upper bound for any run. With tools, `low` contains no look-ups,
    `expected` one request for them per answer, and `high` as many as a turn may have.

    The maximum assumes a run to its cap in which every answer needs a retry. It counts every possible question and
    attempt, with answers of full length. It also counts calls that a server may reject: halved prompts and unknown
    parameters. Rejected calls have no tokens. Token counts are those of the rehearsal, without hidden reasoning.
    """

    low: Cost
    expected: Cost
    high: Cost
    maximum: Cost
    attempts: int = Field(ge=1, description="Maximum calls for one question with unusable or missing answers.")
    prices: str = Field(default="", description="Source and age of looked-up prices; empty: none were looked up.")
    unpriced: list[str] = Field(default_factory=list, description="Models with an unknown price.")
    recipients: str = Field(default="", description="Servers that would get the run's texts, on one line.")

    @property
    def currency_sign(self) -> str:
        """Return the currency sign; empty if configured prices leave the currency unknown."""
        return Prices(source=self.prices).currency_sign

    runs: int = Field(default=1, ge=1, description="Number of runs that the figures cover.")


async def estimate_cost(request: RunRequest, seeds: Sequence[int] = ESTIMATE_SEEDS) -> CostEstimate:
    """Estimate the cost of a run by rehearsing it, once for each seed and once to its cap."""
    request = await with_prices(request)
    settings = request.settings
    try:
        rehearsals: list[list[Call]] = []
        for seed in seeds:
            if len(rehearsals) < MIN_REHEARSALS or sum(map(len, rehearsals)) < ENOUGH_CALLS:
                rehearsals.append(await _rehearse_calls(request, settings.with_choices(seed=seed)))
        rehearsals.sort(key=lambda calls: (len(calls), sum(call.input_tokens + call.output_tokens for call in calls)))
        longest_calls = await _list_longest_calls(request)
    finally:
        await close_models()
    expected_calls = add_lookup_calls(rehearsals[(len(rehearsals) - 1) // 2], settings, 1)
    full_rehearsals = [add_lookup_calls(calls, settings, settings.lookups.rounds) for calls in rehearsals]
    highest_calls = max(longest_calls, full_rehearsals[-1], key=len)
    possible_calls = chain.from_iterable(_group_attempts(_extend_to_full_length(highest_calls, settings), settings))
    maximum = compute_cost([*possible_calls, *list_rejected_calls(highest_calls)], settings.prices)
    run_count = get_hooks(settings.protocol).run_count(settings)
    return CostEstimate(
        low=sum_costs([compute_cost(rehearsals[0], settings.prices)] * run_count),
        expected=sum_costs([compute_cost(expected_calls, settings.prices)] * run_count),
        high=sum_costs([compute_high_cost(full_rehearsals, settings)] * run_count),
        maximum=sum_costs([cap_cost(maximum, settings.budget)] * run_count),
        attempts=settings.max_attempts,
        runs=run_count,
        prices=settings.prices.source if settings.prices else "",
        unpriced=_list_unpriced_models(request),
        recipients=await describe_request(request),
    )


async def _list_longest_calls(request: RunRequest) -> list[Call]:
    """Return the calls of a rehearsal to the cap, and of questions that only other runs may ask.

    The rehearsal has no budget.
    """
    settings, longest_settings = request.settings, request.settings.with_choices(seed=ESTIMATE_SEEDS[0])
    longest_settings = longest_settings.with_choices(**get_longest_overrides(longest_settings))
    question = ""  # purpose of a question that may follow each statement from the fourth on
    if isinstance(settings, StoppingSettings) and settings.dynamic_termination:
        asks_speakers = settings.stop_rule == "asked" and settings.offers_concession
        question = "judge" if settings.stop_rule == "judge" else "concession" if asks_speakers else ""
    calls = await _rehearse_calls(request, longest_settings, True, question)
    calls = add_lookup_calls(calls, settings, settings.lookups.rounds)
    return add_possible_questions(calls, settings, len({call.who for call in calls if call.purpose == "statement"}))


def add_lookup_calls(calls: list[Call], settings: Settings, rounds: int) -> list[Call]:
    """Return `calls` with `rounds` requests for look-ups before each statement or estimate.

    Each request, and the statement or estimate after it, includes all earlier results at their maximum length.
    """
    if not (settings.tools and settings.lookups.per_turn):
        return calls
    limits = settings.lookups
    result_tokens = min(limits.turn_chars // rounds, limits.per_turn * limits.chars) // CHARS_PER_TOKEN
    extended_calls: list[Call] = []
    for call in calls:
        if call.purpose in LOOKUP_PURPOSES and call.turn and not is_agent_spec(call.model):
            lookup_call = call.model_copy(update={"purpose": LOOKUP_PURPOSE})
            extended_calls += [
                lookup_call.model_copy(update={"input_tokens": call.input_tokens + number * result_tokens})
                for number in range(rounds)
            ]
            call = call.model_copy(update={"input_tokens": call.input_tokens + rounds * result_tokens})
        extended_calls.append(call)
    return extended_calls


def compute_high_cost(rehearsals: Sequence[list[Call]], settings: Settings) -> Cost:
    """Return the 95th percentile of the rehearsals' cost, with retries added at random.

    Each answer is retried with the probability `FAULT_SHARE`, up to its maximum number of attempts. The budget limits
    the result.
    """
    costs, grouped_attempts = [], [list(_group_attempts(calls, settings)) for calls in rehearsals]
    for number in range(FAULTY_RUNS):
        rng = make_rng(ESTIMATE_SEEDS[0], "faults", number)
        calls: list[Call] = []
        for attempts in grouped_attempts[number % len(rehearsals)]:
            fault_count = next((index for index in range(len(attempts)) if rng.random() >= FAULT_SHARE), len(attempts))
            calls += attempts[: fault_count + 1]
        costs.append(compute_cost(calls, settings.prices))
    costs.sort(key=lambda cost: (cost.money or 0, cost.tokens, cost.calls))
    return cap_cost(costs[math.ceil(0.95 * FAULTY_RUNS) - 1], settings.budget)


async def with_prices(request: RunRequest) -> RunRequest:
    """Return the request with the price of each of its models, where known.

    Raises `InputError` if there is a cap on cost and a price is unknown.
    """
    return replace(request, settings=await add_prices(request.settings, request.named_seats))


def _list_unpriced_models(request: RunRequest) -> list[str]:
    return list_unpriced_specs(request.settings, request.named_seats) if request.settings.model else []


def sum_costs(costs: Sequence[Cost]) -> Cost:
    """Return the total cost. Its money is `None` if one price is unknown."""
    amounts = [cost.money for cost in costs]
    return Cost(
        calls=sum(cost.calls for cost in costs),
        input_tokens=sum(cost.input_tokens for cost in costs),
        output_tokens=sum(cost.output_tokens for cost in costs),
        money=None if None in amounts or not amounts else sum(amount for amount in amounts if amount is not None),
    )


async def describe_highest_cost(request: RunRequest) -> str:
    """Return a line with the model and the maximum cost of a paid run; empty for a rehearsal.

    The maximum is the cost of a run to its cap with answers of full length, within the budget, times the number of
    runs.
    """
    request = await with_prices(request)
    settings, language, prices = request.settings, request.settings.language, request.settings.prices
    if settings.replay or is_rehearsal(settings, request.input.get("participants", [])):
        return ""
    models = describe_models(settings, request.named_seats)
    if not get_hooks(settings.protocol).is_bounded(settings):
        return translate_display_phrase(language, "cost.no_bound", models=models)
    try:
        async with asyncio.timeout(5.0):
            if isinstance(settings, StoppingSettings):
                calls = await _list_longest_calls(request)
            else:
                calls = await _rehearse_calls(request, settings.with_choices(seed=ESTIMATE_SEEDS[0]))
                calls = add_lookup_calls(calls, settings, settings.lookups.rounds)
    except TimeoutError:
        return translate_display_phrase(language, "cost.too_long", models=models)
    run_count = get_hooks(settings.protocol).run_count(settings)
    cost = compute_cost(_extend_to_full_length(calls, settings), prices)
    cost = sum_costs([cap_cost(cost, settings.budget)] * run_count)
    if cost.money is None or prices is None:
        money = translate_display_phrase(
            language, "cost.unknown", models=join_words(language, _list_unpriced_models(request))
        )
    else:
        key = "cost.looked_up" if prices.source else "cost.priced"
        money = translate_display_phrase(language, key, money=format_money(cost.money, prices), source=prices.source)
    sentence = translate_display_phrase(
        language,
        "cost.at_most" if isinstance(settings, StoppingSettings) else "cost.as_rehearsed",
        models=models,
        calls=cost.calls,
        tokens=f"{cost.tokens:,}",
        money=money,
    )
    if run_count > 1:
        return translate_display_phrase(language, "cost.series", runs=run_count, cost=sentence)
    return sentence


def cap_cost(cost: Cost, cap: CallCaps) -> Cost:
    """Return a cost limited to a cap, because Moot makes no call that could exceed the cap."""
    calls = min(cost.calls, cap.calls or cost.calls)
    output_tokens = min(cost.output_tokens, cap.tokens or cost.output_tokens)
    input_tokens = cost.input_tokens if cap.tokens is None else min(cost.input_tokens, cap.tokens - output_tokens)
    money = cost.money if cost.money is None or cap.cost is None else min(cost.money, cap.cost)
    return Cost(calls=calls, input_tokens=input_tokens, output_tokens=output_tokens, money=money)


async def _rehearse_calls(
    request: RunRequest, settings: Settings, ignores_budget: bool = False, question: str = ""
) -> list[Call]:
    """Rehearse a complete run and return its calls, with the models of the real run.

    Turns of people and programs are rehearsed too, but cost nothing. `question`: purpose of a question to the judge or
    the speaker, which is added after each statement from the fourth on.
    """
    state, unpaid_names = await rehearse_run(request, settings, ignores_budget)
    calls: list[Call] = list(state["calls"])
    if question:
        update = {"purpose": question} | ({"who": "judge"} if question == "judge" else {})
        calls += [
            call.model_copy(update=update | {"input_tokens": call.tokens})
            for call in [call for call in calls if call.purpose == "statement"][3:]
        ]
    participant_models = {participant.name: participant.model for participant in request.named_seats}
    paid_calls = [
        call.model_copy(update={"model": choose_spec(request.settings, call.who, participant_models.get(call.who, ""))})
        for call in calls
        if call.who not in unpaid_names
    ]
    list_early_calls = get_hooks(request.settings.protocol).list_early_calls
    return [*(await list_early_calls(request, state) if list_early_calls else []), *paid_calls]


LONG_PURPOSES = ("synthesis", "summary", "agreement", "judge", "judgement", "memory")
"""Purposes of texts limited by `max_tokens_synthesis`. All other texts are limited by `max_tokens_per_turn`."""
QUOTED_PURPOSES = ("statement", "position", "draft", "acceptance", "summary", "review", "estimate")
"""Purposes of texts that later prompts quote to everyone. Other texts appear at most in prompts to their author."""


def _extend_to_full_length(calls: list[Call], settings: Settings) -> list[Call]:
    """Return the calls with answers of maximum length, and with prompts that grow by these answers.

    An agent makes as many calls for an answer as it may.
    """
    extended_calls, added_tokens = [], Counter[str]()
    for call in calls:
        if call.purpose == EMBEDDING_PURPOSE:
            extended_calls.append(call)
            continue
        cap = settings.max_tokens_synthesis if call.purpose in LONG_PURPOSES else settings.max_tokens_per_turn
        output_tokens = max(call.output_tokens, cap)
        input_tokens = call.input_tokens + added_tokens[""] + added_tokens[call.who]
        full_call = call.model_copy(update={"input_tokens": input_tokens, "output_tokens": output_tokens})
        extended_calls += [full_call] * (settings.agent_calls if is_agent_spec(call.model) else 1)
        added_tokens["" if call.purpose in QUOTED_PURPOSES else call.who] += output_tokens - call.output_tokens
    return extended_calls


def compute_cost(calls: list[Call], prices: Prices | None) -> Cost:
    """Return the total cost of these calls."""
    return Cost(
        calls=len(calls),
        input_tokens=sum(call.input_tokens for call in calls),
        output_tokens=sum(call.output_tokens for call in calls),
        money=prices.compute_cost(calls) if prices else None,
    )


def get_longest_overrides(settings: Settings) -> dict[str, Any]:
    """Return the settings with which a rehearsal runs to its cap, in place of the run's own."""
    if get_overrides := get_hooks(settings.protocol).longest_overrides:
        return get_overrides(settings)
    can_end_early = hasattr(settings, "dynamic_termination") and "dynamic_termination" not in settings.unused_settings
    return {"dynamic_termination": False} if can_end_early else {}


def add_possible_questions(calls: list[Call], settings: Settings, seat_count: int) -> list[Call]:
    """Return `calls` and the calls of questions that the run may ask, but that no rehearsal asked.

    Such a question counts as a copy of the longest call. `seat_count`: number of participants.
    """
    questions = list(calls)
    round_count = max((call.round for call in calls), default=0)
    if count_questions := get_hooks(settings.protocol).question_counts:
        counts = count_questions(settings)
    else:
        has_vote = isinstance(settings, VotingSettings) and settings.has_vote
        uses_embeddings = isinstance(settings, ConvergenceSettings) and settings.convergence == "embedding"
        draft_count = 0
        if isinstance(settings, ConvergenceSettings) and settings.confirm and settings.dynamic_termination:
            draft_count = min(settings.confirmations, max(0, round_count - 1))
        counts = {
            "consent": seat_count * has_vote,
            "draft": draft_count,
            "acceptance": draft_count * seat_count,
            EMBEDDING_PURPOSE: max(0, round_count - 1) * uses_embeddings,
        }
    for purpose, question_count in counts.items():
        matching_calls = [call for call in calls if call.purpose == purpose]
        if calls and len(matching_calls) < question_count:
            questions += [
                max(matching_calls or calls, key=lambda call: call.tokens).model_copy(update={"purpose": purpose})
            ] * (question_count - len(matching_calls))
    return questions


def _group_attempts(calls: list[Call], settings: Settings) -> Iterator[list[Call]]:
    """Yield the attempts that each question of a rehearsal could need, as a list of calls.

    A retry has a longer prompt, because the prompt explains the fault of the last answer.
    """
    count_attempts = get_hooks(settings.protocol).attempt_counts
    attempt_counts = count_attempts(settings) if count_attempts else {EMBEDDING_PURPOSE: MAX_ATTEMPTS}
    for call in calls:
        retry = call.model_copy(update={"input_tokens": call.input_tokens + 300})
        yield [call, *[retry] * (attempt_counts.get(call.purpose, settings.max_attempts) - 1)]


def list_rejected_calls(calls: list[Call]) -> list[Call]:
    """Return calls that a server may reject, because of long prompts and unknown parameters.

    A rejected prompt is halved. Rejected calls cost no tokens. Each parameter costs a participant at most one call,
    because later calls omit it.
    """
    chat_calls = [call for call in calls if call.purpose != EMBEDDING_PURPOSE]
    setting_count = len(OPTIONAL_SETTINGS) * len({(call.who, call.model) for call in chat_calls})
    return [Call(purpose="refused")] * (MAX_HALVINGS * len(chat_calls) + setting_count)
