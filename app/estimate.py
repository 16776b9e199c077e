"""What a run would cost, found by running it with the rehearsal model in place of every other."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from pydantic import BaseModel, ConfigDict, Field

from ..nodes.database import default_database
from ..nodes.library.library import requests_foreseen
from ..nodes.models.chat import close_models
from ..nodes.models.embeddings import embeddings_for
from ..nodes.models.prices import priced, unpriced
from ..nodes.models.spec import spec_for
from ..prompts import listed
from ..state.incident import EMBEDDING, Call
from ..state.justice import JusticeRules
from ..state.panel import PanelRules
from ..state.rules import Rules, TalkRules
from ..state.settings import Prices
from .at_most import every_question, every_try, played_longest, refused_unread
from .display.announcement import is_rehearsal
from .display.wording import amount, say
from .rehearsal import cast_of, ends, rehearsed
from .request import Request

SEEDS, MOMENT = range(1, 6), 5.0
"""Seeds of the rehearsals played; seconds that finding what to announce may take."""


class Cost(BaseModel):
    """What a run would cost."""

    model_config = ConfigDict(frozen=True)

    calls: int = Field(ge=0, description="Model calls; low and expected: each answered at the first try.")
    input_tokens: int = Field(ge=0, description="Prompt tokens.")
    output_tokens: int = Field(ge=0, description="Completion tokens.")
    money: float | None = Field(default=None, ge=0, description="In the currency of the prices; none without prices.")

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens together."""
        return self.input_tokens + self.output_tokens


class Estimate(BaseModel):
    """Low: the earliest ending seen; expected: the middle one; high: more than any run takes.

    High goes to the cap, asks every question that can be asked, with every try it has, and has answers of full length;
    each prompt is halved as often as one is that its model's window is too short for, and every setting is refused once
    to everybody: calls that are refused unread and have no tokens. Tokens are counted as the rehearsal counts them,
    hidden reasoning left out.
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
        """The sign of the currency; empty where only whoever gave the prices knows it."""
        return Prices(source=self.prices).sign

    runs: int = Field(default=1, ge=1, description="Runs of the series, which all figures are for.")


async def estimated(asked: Request, seeds: Sequence[int] = SEEDS) -> Estimate:
    """Play the request through in rehearsal, once for each seed and once to the cap."""
    asked = await with_prices(asked)
    rules = asked.rules
    try:
        played = [await _played(asked, rules.settled(seed=seed)) for seed in seeds]
        longest = await _longest(asked)
    finally:
        await close_models()
    counts, runs = sorted(played, key=len), _runs(rules)
    high = max(longest, counts[-1], key=len)
    most = [*every_try(_full_length(high, rules), rules), *refused_unread(high)]
    return Estimate(
        low=_times(runs, cost_of(counts[0], rules.prices)),
        expected=_times(runs, cost_of(counts[int(median(range(len(counts))))], rules.prices)),
        high=_times(runs, _capped(cost_of(most, rules.prices), rules)),
        tries=rules.statement_tries,
        runs=runs,
        prices=rules.prices.source if rules.prices else "",
        unpriced=_unpriced(asked),
    )


async def with_prices(asked: Request) -> Request:
    """The same with a price for each model that is known. Raises `Refused` for a cap on money without one."""
    return replace(asked, rules=await priced(asked.rules, cast_of(asked)))


def _unpriced(asked: Request) -> list[str]:
    return unpriced(asked.rules, cast_of(asked)) if asked.rules.model else []


def _runs(rules: Rules) -> int:
    """How many runs these rules are for."""
    return rules.repeats if isinstance(rules, JusticeRules) else 1


def _times(runs: int, cost: Cost) -> Cost:
    """What several runs cost together."""
    return Cost(
        calls=runs * cost.calls,
        input_tokens=runs * cost.input_tokens,
        output_tokens=runs * cost.output_tokens,
        money=None if cost.money is None else runs * cost.money,
    )


async def _longest(asked: Request) -> list[Call]:
    """The questions of a run that nothing ends before its cap, with all that other runs may ask; each asked once."""
    rules = asked.rules.settled(seed=SEEDS[0])
    judged = isinstance(rules, TalkRules) and rules.dynamic_termination and rules.stopping == "judge"
    calls = await _played(asked, rules.settled(**played_longest(rules)), unbound=True, judged=judged)
    return every_question(calls, rules, len({call.who for call in calls if call.purpose == "statement"}))


async def announcement(asked: Request) -> str:
    """A sentence shown before a paid run: its model and its highest cost; empty for a rehearsal."""
    asked = await with_prices(asked)
    rules, language = asked.rules, asked.rules.language
    if rules.replay or is_rehearsal(rules, asked.input.get("participants", [])):
        return ""
    if not ends(rules):
        return say(language, "cost.no_bound", model=rules.model)
    try:
        async with asyncio.timeout(MOMENT):
            most = await _most(asked)
    except TimeoutError:
        return say(language, "cost.too_long", model=rules.model)
    money = _in_words(most.money, asked)
    how = "cost.at_most" if isinstance(rules, TalkRules) else "cost.as_rehearsed"
    told = say(language, how, model=rules.model, calls=most.calls, tokens=f"{most.tokens:,}", money=money)
    return say(language, "cost.series", runs=_runs(rules), cost=told) if _runs(rules) > 1 else told


def _in_words(money: float | None, asked: Request) -> str:
    """An amount with where its prices are from; or the models that have none."""
    prices, language = asked.rules.prices, asked.rules.language
    if money is None or prices is None:
        return say(language, "cost.unknown", models=listed(language, _unpriced(asked)))
    key = "cost.looked_up" if prices.source else "cost.priced"
    return say(language, key, money=amount(money, prices), source=prices.source)


async def _most(asked: Request) -> Cost:
    """The runs to their cap with answers of full length, each question asked once, each run within its budget."""
    rules = asked.rules
    most = cost_of(_full_length(await _to_the_cap(asked), rules), rules.prices)
    return _times(_runs(rules), _capped(most, rules))


def _capped(most: Cost, rules: Rules) -> Cost:
    """What one run costs at most within its budget, of which no call is made that could pass it."""
    budget = rules.budget
    calls = min(most.calls, budget.calls or most.calls)
    written = min(most.output_tokens, budget.tokens or most.output_tokens)
    read = most.input_tokens if budget.tokens is None else min(most.input_tokens, budget.tokens - written)
    money = most.money if most.money is None or budget.cost is None else min(most.money, budget.cost)
    return Cost(calls=calls, input_tokens=read, output_tokens=written, money=money)


async def _played(asked: Request, rules: Rules, unbound: bool = False, judged: bool = False) -> list[Call]:
    """The calls of the whole run; people's and programs' turns are played as well, and cost none.

    `judged`: with a judge who is asked as often as can be, whoever spoke.
    """
    state, free = await rehearsed(asked, rules, unbound)
    asking = await _retrieval(asked) if state.get("found") and not asked.input.get("found") else []
    calls = [*state["calls"], *(_judging(state["calls"]) if judged else [])]
    return [*asking, *(_of_its_model(call, asked) for call in calls if call.who not in free)]


async def _retrieval(asked: Request) -> list[Call]:
    """The requests for vectors that finding a panel's papers takes, where an embedding model ranks them."""
    rules = asked.rules
    if not isinstance(rules, PanelRules):
        return []
    model = await asyncio.to_thread(embeddings_for, rules.embeddings)
    if model is None:
        return []
    return await requests_foreseen(asked.topic, rules.library or default_database(), model, rules.sources)


def _of_its_model(call: Call, asked: Request) -> Call:
    """A call of the rehearsal as one to the model it stood in for."""
    own = {one.name: one.model for one in cast_of(asked)}
    spec = spec_for(asked.rules, call.who, own.get(call.who, ""))
    return call.model_copy(update={"model": spec})


async def _to_the_cap(asked: Request) -> list[Call]:
    """The calls of a run without an early ending, where the protocol knows one."""
    rules = asked.rules.settled(seed=SEEDS[0])
    if not isinstance(rules, TalkRules) or not rules.dynamic_termination:
        return await _played(asked, rules)
    return await _played(asked, rules.settled(dynamic_termination=False), judged=rules.stopping == "judge")


def _judging(calls: list[Call]) -> list[Call]:
    """What a judge is asked at most: once after each statement from the fourth on."""
    said = [call for call in calls if call.purpose == "statement"][3:]
    asked = {"who": "judge", "purpose": "judge"}
    return [one.model_copy(update=asked | {"input_tokens": one.tokens}) for one in said]


LONG = ("synthesis", "summary", "weighing", "judge", "judgement", "memory")
"""What is written within `max_tokens_synthesis`; everything else is within `max_tokens_per_turn`."""
SHARED = ("statement", "position", "summary", "review", "estimate")
"""What everyone's later prompts quote; the rest is quoted to whoever wrote it, if to anybody."""


def _full_length(calls: list[Call], rules: Rules) -> list[Call]:
    """The same calls with every answer at its cap, and prompts grown by as much as they quote of them."""
    longer, grown = [], Counter[str]()
    for call in calls:
        if call.purpose == EMBEDDING:
            longer.append(call)
            continue
        cap = rules.max_tokens_synthesis if call.purpose in LONG else rules.max_tokens_per_turn
        written = max(call.output_tokens, cap)
        read = call.input_tokens + grown[""] + grown[call.who]
        longer.append(call.model_copy(update={"input_tokens": read, "output_tokens": written}))
        grown["" if call.purpose in SHARED else call.who] += written - call.output_tokens
    return longer


def cost_of(calls: list[Call], prices: Prices | None) -> Cost:
    """What calls cost together."""
    return Cost(
        calls=len(calls),
        input_tokens=sum(call.input_tokens for call in calls),
        output_tokens=sum(call.output_tokens for call in calls),
        money=prices.cost(calls) if prices else None,
    )
