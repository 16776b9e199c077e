"""What a run would cost, found by running it with the rehearsal model in place of every other."""

import asyncio
from collections.abc import Mapping
from statistics import median
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from ..nodes.models.chat import REHEARSAL, close_models
from ..nodes.models.embedding_spec import LEXICAL
from ..state.discussion import DiscussionRules
from ..state.incident import Call
from ..state.refused import Refused
from ..state.rules import Rules, TalkRules
from ..state.settings import Prices
from .display.announcement import is_rehearsal
from .display.wording import say
from .request import Request

SEEDS, MOMENT = range(1, 6), 5.0
"""Seeds of the rehearsals played; seconds that finding what to announce may take."""


class Cost(BaseModel):
    """What a run would cost."""

    model_config = ConfigDict(frozen=True)

    calls: int = Field(ge=0, description="Model calls, each answered at the first try.")
    input_tokens: int = Field(ge=0, description="Prompt tokens.")
    output_tokens: int = Field(ge=0, description="Completion tokens.")
    money: float | None = Field(default=None, ge=0, description="At the given prices; none without prices.")

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens together."""
        return self.input_tokens + self.output_tokens


class Estimate(BaseModel):
    """Low: the earliest ending seen; expected: the middle one; high: to the cap, with answers of full length."""

    model_config = ConfigDict(frozen=True)

    low: Cost
    expected: Cost
    high: Cost
    tries: int = Field(ge=1, description="Calls one question may take where answers are unusable or do not come.")


async def estimated(asked: Request) -> Estimate:
    """Play the request through in rehearsal, once for each seed and once to the cap."""
    rules = asked.rules
    try:
        played = [await _played(asked, rules.settled(seed=seed)) for seed in SEEDS]
        longest = await _to_the_cap(asked)
    finally:
        await close_models()
    counts = sorted(played, key=len)
    high = max(longest, counts[-1], key=len)
    return Estimate(
        low=_cost(counts[0], rules.prices),
        expected=_cost(counts[int(median(range(len(counts))))], rules.prices),
        high=_cost(_full_length(high, rules), rules.prices),
        tries=rules.statement_tries,
    )


async def announcement(asked: Request) -> str:
    """A sentence shown before a paid run: its model and its highest cost; empty for a rehearsal."""
    rules, language = asked.rules, asked.rules.language
    if is_rehearsal(rules, asked.input.get("participants", [])):
        return ""
    if not _ends(rules):
        return say(language, "cost.no_bound", model=rules.model)
    try:
        async with asyncio.timeout(MOMENT):
            most = await _most(asked)
    except TimeoutError:
        return say(language, "cost.too_long", model=rules.model)
    money = say(language, "cost.unknown" if most.money is None else "cost.priced", money=f"{most.money or 0:,.4g}")
    how = "cost.at_most" if isinstance(rules, TalkRules) else "cost.as_rehearsed"
    return say(language, how, model=rules.model, calls=most.calls, tokens=f"{most.tokens:,}", money=money)


async def _most(asked: Request) -> Cost:
    """A run to its cap with statements of full length, within its budget."""
    rules, budget = asked.rules, asked.rules.budget
    most = _cost(_full_length(await _to_the_cap(asked), rules), rules.prices)
    written = min(most.output_tokens, budget.tokens or most.output_tokens)
    read = most.input_tokens if budget.tokens is None else min(most.input_tokens, budget.tokens - written)
    money = most.money if most.money is None or budget.cost is None else min(most.money, budget.cost)
    return most.model_copy(update={"input_tokens": read, "output_tokens": written, "money": money})


def _ends(rules: Rules) -> bool:
    """Whether a cap on turns or rounds bounds the run."""
    return not isinstance(rules, DiscussionRules) or bool(rules.max_turns or rules.max_rounds)


async def _played(asked: Request, rules: Rules) -> list[Call]:
    """The calls of the whole run; people's and programs' turns are played as well, and cost none."""
    if not _ends(rules):
        raise Refused("max_turns", None, "without a cap on turns or rounds nobody knows how long it goes on; give one")
    seats: list[Mapping[str, Any]] = [dict(one) for one in asked.input.get("participants", [])]
    free = {one["name"] for one in seats if one.get("kind", "model") != "model"}
    cast = [{**one, "model": "", "kind": "model"} for one in seats]
    offline = {"model": REHEARSAL, "models": {}} | ({"embeddings": LEXICAL} if hasattr(rules, "embeddings") else {})
    offline |= {"convergence": LEXICAL} if getattr(rules, "convergence", "") == "embedding" else {}  # as few calls
    given, knobs = asked.input | ({"participants": cast} if cast else {}), rules.settled(**offline)
    state = await asked.protocol.module.graph.ainvoke(given, context=knobs)
    return [call for call in state["calls"] if call.who not in free]


async def _to_the_cap(asked: Request) -> list[Call]:
    """The calls of a run without an early ending, where the protocol knows one."""
    rules = asked.rules.settled(seed=SEEDS[0])
    if not isinstance(rules, TalkRules) or not rules.dynamic_termination:
        return await _played(asked, rules)
    calls = await _played(asked, rules.settled(dynamic_termination=False))
    return _judged(calls) if rules.stopping == "judge" else calls


def _judged(calls: list[Call]) -> list[Call]:
    """The same calls with a judge who is asked as often as can be: after each statement from the fourth on."""
    said = [call for call in calls if call.purpose == "statement"][3:]
    return calls + [one.model_copy(update={"purpose": "judge", "input_tokens": one.tokens}) for one in said]


def _full_length(calls: list[Call], rules: Rules) -> list[Call]:
    """The same calls with every statement at its cap, and prompts grown by as much as they quote of them."""
    longer, said = [], 0
    for call in calls:
        cap = {"statement": rules.max_tokens_per_turn, "synthesis": rules.max_tokens_synthesis}.get(call.purpose)
        written = max(call.output_tokens, cap or 0)
        longer.append(call.model_copy(update={"input_tokens": call.input_tokens + said, "output_tokens": written}))
        said += written - call.output_tokens if call.purpose == "statement" else 0
    return longer


def _cost(calls: list[Call], prices: Prices | None) -> Cost:
    return Cost(
        calls=len(calls),
        input_tokens=sum(call.input_tokens for call in calls),
        output_tokens=sum(call.output_tokens for call in calls),
        money=prices.cost(calls) if prices else None,
    )
