"""Cost estimate of a run, made by running it with the rehearsal model in place of all others."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from pydantic import BaseModel, ConfigDict, Field

from ...models.chat import close_models
from ...models.embeddings import load_embeddings
from ...models.price_lookup import add_prices, list_unpriced_specs
from ...models.spec import choose_spec
from ...papers.library import list_embedding_requests
from ...prompts import join_words
from ...state.call_record import EMBEDDING_PURPOSE, Call
from ...state.justice import JusticeSettings
from ...state.panel import PanelSettings
from ...state.prices import Prices
from ...state.settings import Settings, StoppingSettings
from ...storage.database import get_default_database
from ..display.announcement import is_rehearsal
from ..display.wording import format_money, translate_display_phrase
from .rehearsal import is_bounded, list_named_participants, rehearse_run
from .request import RunRequest
from .upper_bound import get_longest_overrides, list_possible_attempts, list_possible_questions, list_rejected_calls

ESTIMATE_SEEDS, ANNOUNCEMENT_TIMEOUT = range(1, 6), 5.0
"""Seeds of the rehearsals. Time limit of the announcement, in seconds."""


class Cost(BaseModel):
    """Cost of a run: calls, tokens and money."""

    model_config = ConfigDict(frozen=True)

    calls: int = Field(ge=0, description="Model calls; low and expected: each answered at the first try.")
    input_tokens: int = Field(ge=0, description="Prompt tokens.")
    output_tokens: int = Field(ge=0, description="Completion tokens.")
    money: float | None = Field(default=None, ge=0, description="In the currency of the prices; none without prices.")

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens together."""
        return self.input_tokens + self.output_tokens


class CostEstimate(BaseModel):
    """Cost estimate: low, expected and high.

    `low`: the shortest rehearsal. `expected`: the median rehearsal. `high`: an upper bound of any run.

    The upper bound is a run to its cap. It counts every possible question and attempt, with answers of full length. It
    also counts the calls that a server may reject: halved prompts and unknown settings. Rejected calls have no tokens.
    Token counts are those of the rehearsal, without hidden reasoning.
    """

    model_config = ConfigDict(frozen=True)

    low: Cost
    expected: Cost
    high: Cost
    tries: int = Field(ge=1, description="Calls one question may take where answers are unusable or do not come.")
    prices: str = Field(default="", description="Where prices that nobody gave were looked up, and how old they are.")
    unpriced: list[str] = Field(default_factory=list, description="Models whose price is not known.")

    @property
    def sign(self) -> str:
        """Sign of the currency; empty if only the person who set the prices knows it."""
        return Prices(source=self.prices).sign

    runs: int = Field(default=1, ge=1, description="Runs of the series, which all figures are for.")


async def estimate_cost(request: RunRequest, seeds: Sequence[int] = ESTIMATE_SEEDS) -> CostEstimate:
    """Rehearse the request once for each seed and once to the cap, and estimate its cost."""
    request = await with_prices(request)
    settings = request.settings
    try:
        rehearsals = [await _rehearse_calls(request, settings.with_choices(seed=seed)) for seed in seeds]
        longest_calls = await _rehearse_worst_case(request)
    finally:
        await close_models()
    sorted_rehearsals, run_count = sorted(rehearsals, key=len), _count_runs(settings)
    highest_calls = max(longest_calls, sorted_rehearsals[-1], key=len)
    upper_bound_calls = [
        *list_possible_attempts(_extend_to_full_length(highest_calls, settings), settings),
        *list_rejected_calls(highest_calls),
    ]
    return CostEstimate(
        low=_multiply_cost(run_count, compute_cost(sorted_rehearsals[0], settings.prices)),
        expected=_multiply_cost(
            run_count, compute_cost(sorted_rehearsals[int(median(range(len(sorted_rehearsals))))], settings.prices)
        ),
        high=_multiply_cost(run_count, _cap_cost(compute_cost(upper_bound_calls, settings.prices), settings)),
        tries=settings.statement_tries,
        runs=run_count,
        prices=settings.prices.source if settings.prices else "",
        unpriced=_list_unpriced_models(request),
    )


async def with_prices(request: RunRequest) -> RunRequest:
    """Return the request with a price for each known model.

    Raises `InputError` for a cost cap without a price.
    """
    return replace(request, settings=await add_prices(request.settings, list_named_participants(request)))


def _list_unpriced_models(request: RunRequest) -> list[str]:
    return list_unpriced_specs(request.settings, list_named_participants(request)) if request.settings.model else []


def _count_runs(settings: Settings) -> int:
    """Return the number of runs in the series that these settings ask for."""
    return settings.repeats if isinstance(settings, JusticeSettings) else 1


def _multiply_cost(run_count: int, cost: Cost) -> Cost:
    """Multiply the cost of one run by the number of runs."""
    return Cost(
        calls=run_count * cost.calls,
        input_tokens=run_count * cost.input_tokens,
        output_tokens=run_count * cost.output_tokens,
        money=None if cost.money is None else run_count * cost.money,
    )


async def _rehearse_worst_case(request: RunRequest) -> list[Call]:
    """Rehearse a run to its cap, and add the questions that only other runs may ask.

    The rehearsal ignores the budget. Each question counts once.
    """
    settings = request.settings.with_choices(seed=ESTIMATE_SEEDS[0])
    is_judged = isinstance(settings, StoppingSettings) and settings.dynamic_termination and settings.stopping == "judge"
    calls = await _rehearse_calls(
        request, settings.with_choices(**get_longest_overrides(settings)), ignores_budget=True, is_judged=is_judged
    )
    return list_possible_questions(calls, settings, len({call.who for call in calls if call.purpose == "statement"}))


async def describe_highest_cost(request: RunRequest) -> str:
    """Return the sentence shown before a paid run: its model and highest cost. Empty for a rehearsal."""
    request = await with_prices(request)
    settings, language = request.settings, request.settings.language
    if settings.replay or is_rehearsal(settings, request.input.get("participants", [])):
        return ""
    if not is_bounded(settings):
        return translate_display_phrase(language, "cost.no_bound", model=settings.model)
    try:
        async with asyncio.timeout(ANNOUNCEMENT_TIMEOUT):
            highest_cost = await _compute_highest_cost(request)
    except TimeoutError:
        return translate_display_phrase(language, "cost.too_long", model=settings.model)
    money = _describe_money(highest_cost.money, request)
    phrase_key = "cost.at_most" if isinstance(settings, StoppingSettings) else "cost.as_rehearsed"
    sentence = translate_display_phrase(
        language,
        phrase_key,
        model=settings.model,
        calls=highest_cost.calls,
        tokens=f"{highest_cost.tokens:,}",
        money=money,
    )
    return (
        translate_display_phrase(language, "cost.series", runs=_count_runs(settings), cost=sentence)
        if _count_runs(settings) > 1
        else sentence
    )


def _describe_money(money: float | None, request: RunRequest) -> str:
    """Format an amount with the source of its prices, or list the models without a price."""
    prices, language = request.settings.prices, request.settings.language
    if money is None or prices is None:
        return translate_display_phrase(
            language, "cost.unknown", models=join_words(language, _list_unpriced_models(request))
        )
    key = "cost.looked_up" if prices.source else "cost.priced"
    return translate_display_phrase(language, key, money=format_money(money, prices), source=prices.source)


async def _compute_highest_cost(request: RunRequest) -> Cost:
    """Compute the cost of all runs to their cap, with answers of full length, within the budget."""
    settings = request.settings
    uncapped_cost = compute_cost(_extend_to_full_length(await _rehearse_to_cap(request), settings), settings.prices)
    return _multiply_cost(_count_runs(settings), _cap_cost(uncapped_cost, settings))


def _cap_cost(cost: Cost, settings: Settings) -> Cost:
    """Limit the cost of a run to its budget. A run makes no call that could exceed it."""
    budget = settings.budget
    calls = min(cost.calls, budget.calls or cost.calls)
    output_tokens = min(cost.output_tokens, budget.tokens or cost.output_tokens)
    input_tokens = cost.input_tokens if budget.tokens is None else min(cost.input_tokens, budget.tokens - output_tokens)
    money = cost.money if cost.money is None or budget.cost is None else min(cost.money, budget.cost)
    return Cost(calls=calls, input_tokens=input_tokens, output_tokens=output_tokens, money=money)


async def _rehearse_calls(
    request: RunRequest, settings: Settings, ignores_budget: bool = False, is_judged: bool = False
) -> list[Call]:
    """Rehearse a whole run and return its calls.

    Turns of people and programs are rehearsed too, but cost nothing. `is_judged`: add as many calls as a judge may get.
    """
    state, unpaid_names = await rehearse_run(request, settings, ignores_budget)
    retrieval_calls = (
        await _list_retrieval_calls(request) if state.get("found") and not request.input.get("found") else []
    )
    calls = [*state["calls"], *(_list_judge_calls(state["calls"]) if is_judged else [])]
    return [*retrieval_calls, *(_assign_model(call, request) for call in calls if call.who not in unpaid_names)]


async def _list_retrieval_calls(request: RunRequest) -> list[Call]:
    """List the embedding calls needed to find a panel's papers; empty without an embedding model."""
    settings = request.settings
    if not isinstance(settings, PanelSettings):
        return []
    model = await asyncio.to_thread(load_embeddings, settings.embeddings)
    if model is None:
        return []
    return await list_embedding_requests(
        request.topic, settings.library or get_default_database(), model, settings.sources
    )


def _assign_model(call: Call, request: RunRequest) -> Call:
    """Return the rehearsed call with the model that the real run would call."""
    participant_models = {participant.name: participant.model for participant in list_named_participants(request)}
    spec = choose_spec(request.settings, call.who, participant_models.get(call.who, ""))
    return call.model_copy(update={"model": spec})


async def _rehearse_to_cap(request: RunRequest) -> list[Call]:
    """Rehearse a run and return its calls. If the protocol can end early, run it to its cap."""
    settings = request.settings.with_choices(seed=ESTIMATE_SEEDS[0])
    if not isinstance(settings, StoppingSettings) or not settings.dynamic_termination:
        return await _rehearse_calls(request, settings)
    return await _rehearse_calls(
        request, settings.with_choices(dynamic_termination=False), is_judged=settings.stopping == "judge"
    )


def _list_judge_calls(calls: list[Call]) -> list[Call]:
    """List as many calls as a judge may get: one after each statement from the fourth on."""
    statement_calls = [call for call in calls if call.purpose == "statement"][3:]
    judge_fields = {"who": "judge", "purpose": "judge"}
    return [call.model_copy(update=judge_fields | {"input_tokens": call.tokens}) for call in statement_calls]


LONG_PURPOSES = ("synthesis", "summary", "weighing", "judge", "judgement", "memory")
"""Purposes of texts limited by `max_tokens_synthesis`. `max_tokens_per_turn` limits the others."""
QUOTED_PURPOSES = ("statement", "position", "summary", "review", "estimate")
"""Purposes of texts that later prompts quote to everyone. At most their author sees the others again."""


def _extend_to_full_length(calls: list[Call], settings: Settings) -> list[Call]:
    """Return the calls with answers of full length, and with prompts longer by the text that they quote."""
    extended_calls, added_tokens = [], Counter[str]()
    for call in calls:
        if call.purpose == EMBEDDING_PURPOSE:
            extended_calls.append(call)
            continue
        cap = settings.max_tokens_synthesis if call.purpose in LONG_PURPOSES else settings.max_tokens_per_turn
        output_tokens = max(call.output_tokens, cap)
        input_tokens = call.input_tokens + added_tokens[""] + added_tokens[call.who]
        extended_calls.append(call.model_copy(update={"input_tokens": input_tokens, "output_tokens": output_tokens}))
        added_tokens["" if call.purpose in QUOTED_PURPOSES else call.who] += output_tokens - call.output_tokens
    return extended_calls


def compute_cost(calls: list[Call], prices: Prices | None) -> Cost:
    """Compute the cost of these calls together."""
    return Cost(
        calls=len(calls),
        input_tokens=sum(call.input_tokens for call in calls),
        output_tokens=sum(call.output_tokens for call in calls),
        money=prices.compute_cost(calls) if prices else None,
    )
