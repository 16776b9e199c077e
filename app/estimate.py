"""`moot estimate`: calls, tokens and money, before a run is paid for.

The deliberation is played through by the rehearsal under the run's own rules: what it asks, it would ask of a model.
"""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from rich.table import Table
from typer import Argument

from ..nodes.models import REHEARSAL, close_models
from ..state.incident import Call
from ..state.refusal import Refused
from ..state.rules import Rules, TalkRules
from ..state.settings import Prices
from .config import read_text
from .options import AsJson, Knobs
from .plain import as_json
from .protocols import protocol
from .request import Request, request
from .screen import Screen
from .spread import spread

SEEDS = range(1, 6)
"""Seeds of the rehearsals played."""

Name = Annotated[str, Argument(metavar="PROTOCOL", help="debate, consensus, panel, justice …")]
About = Annotated[str, Argument(metavar="TOPIC", help="What it would be about.")]


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


@spread
def estimate(
    name: Name, topic: About = "", material: Path | None = None, *, knobs: Knobs, json: AsJson = False
) -> None:
    """Estimate what a run would cost: low, expected, high."""
    made = protocol(name)
    given = {made.about: topic or "Should it be done?"} if made.about in ("topic", "query") else {}
    if material:
        given["material"] = read_text(material, "material")
    asked = request(made, given, knobs)
    found = asyncio.run(estimated(asked))
    if json:
        print(as_json(found.model_dump(mode="json")))
        return
    table = Table("", "calls", "tokens in", "tokens out", "money", box=None)
    for label in ("low", "expected", "high"):
        cost: Cost = getattr(found, label)
        money = "–" if cost.money is None else f"{cost.money:,.4g}"
        table.add_row(label, str(cost.calls), f"{cost.input_tokens:,}", f"{cost.output_tokens:,}", money)
    screen = Screen()
    screen.console.print(table)
    screen.line(f"A question whose answer is unusable or does not come is asked up to {found.tries} times.")


async def estimated(asked: Request) -> Estimate:
    """Play the request through in rehearsal, once for each seed and once to the cap."""
    rules = asked.rules
    try:
        played = [await _played(asked, rules.settled(seed=seed)) for seed in SEEDS]
        longest = await _played(asked, _to_the_cap(rules.settled(seed=SEEDS[0])))
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


async def _played(asked: Request, rules: Rules) -> list[Call]:
    cast: list[Mapping[str, Any]] = [dict(one) | {"model": ""} for one in asked.input.get("participants", [])]
    if any(one.get("kind", "model") != "model" for one in cast):
        raise Refused("participants", "person", "people cost no calls and decide how long it goes on; leave them out")
    given = asked.input | ({"participants": cast} if cast else {})
    state = await asked.protocol.module.graph.ainvoke(given, context=rules.settled(model=REHEARSAL, models={}))
    calls: list[Call] = state["calls"]
    return calls


def _to_the_cap(rules: Rules) -> Rules:
    """The same rules without an early ending, where they know one."""
    if not isinstance(rules, TalkRules) or not rules.dynamic_termination:
        return rules
    return rules.settled(dynamic_termination=False)


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
