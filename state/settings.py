"""What rules are made of: models, caps and prices, how much a prompt shows, how participants remember."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    WithJsonSchema,
    model_validator,
)

from .incident import Call
from .refused import unusable

Limit = Annotated[int, Field(gt=3, le=1_000_000)]
"""A length in code points; more than the three of an ellipsis."""


def _model_choice(value: object) -> object:
    if isinstance(value, str):
        return value.strip()
    if callable(getattr(value, "ainvoke", None)) and not isinstance(value, type):
        return value
    raise ValueError("a model is a spec such as 'openai:gpt-5-mini' or 'rehearsal', or a chat model object")


def _named(value: object) -> str:
    return value if isinstance(value, str) else f"object:{type(value).__name__}"


ModelChoice = Annotated[
    Any,
    PlainValidator(_model_choice),
    PlainSerializer(_named, return_type=str),
    WithJsonSchema({"type": "string", "maxLength": 300}),
]
"""A model spec, or, from Python, a chat model object; stored as its spec or as `object:<class>`."""


class Budget(BaseModel):
    """Hard caps of one run; none: no cap. A call that would pass a cap is not made."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    calls: int | None = Field(default=None, ge=1, description="Model calls, failed tries included.")
    tokens: int | None = Field(default=None, ge=1, description="Prompt and completion tokens together.")
    cost: float | None = Field(default=None, gt=0, description="Money, in the currency of `prices`.")


class Tier(BaseModel):
    """The price of a whole call whose prompt is longer than a bound."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    above: int = Field(default=0, ge=0, le=100_000_000, description="Prompt tokens beyond which it holds.")
    input: float = Field(default=0, ge=0, description="Per million prompt tokens.")
    cached: float | None = Field(default=None, ge=0, description="Per million cached prompt tokens; none: as input.")
    output: float = Field(default=0, ge=0, description="Per million completion tokens.")


class Price(BaseModel):
    """What a provider asks for one model, per million tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(default=0, ge=0, description="Per million prompt tokens.")
    cached: float | None = Field(default=None, ge=0, description="Per million cached prompt tokens; none: as input.")
    output: float = Field(default=0, ge=0, description="Per million completion tokens.")
    tiers: list[Tier] = Field(default_factory=list, max_length=20, description="Prices of calls with longer prompts.")

    def cost(self, call: Call) -> float:
        """The price of one call."""
        reached = [tier for tier in self.tiers if call.input_tokens > tier.above]
        asked: Price | Tier = max(reached, key=lambda tier: tier.above, default=self)
        cached = asked.input if asked.cached is None else asked.cached
        fresh = call.input_tokens - call.cached_tokens
        return (fresh * asked.input + call.cached_tokens * cached + call.output_tokens * asked.output) / 1e6


class Prices(BaseModel):
    """What models cost, per million tokens, in one currency: US dollars where any of it was looked up.

    A price that was given counts before one that was looked up: a model's own, then that of every model.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float | None = Field(default=None, ge=0, description="Per million prompt tokens, of every model.")
    cached: float | None = Field(default=None, ge=0, description="Per million cached prompt tokens; none: as input.")
    output: float | None = Field(default=None, ge=0, description="Per million completion tokens, of every model.")
    models: dict[str, Price] = Field(default_factory=dict, description="Prices of single models, by their spec.")
    found: dict[str, Price] = Field(
        default_factory=dict, description="By spec, in US dollars, what was looked up for models without a price."
    )
    source: str = Field(default="", max_length=200, description="Where that was looked up, and how old its data are.")

    def of(self, model: str) -> Price | None:
        """The price of a model, by its spec; none: it is not known."""
        if model in self.models or (self.input is None and self.output is None):
            return self.models.get(model) or self.found.get(model)
        return Price(input=self.input or 0, cached=self.cached, output=self.output or 0)

    def cost(self, calls: Sequence[Call]) -> float | None:
        """The price of `calls`; none where one of them has no known price."""
        prices = {call.model: self.of(call.model) for call in calls if call.tokens}
        known = {model: price for model, price in prices.items() if price}
        if len(known) < len(prices):
            return None
        return float(sum(known[call.model].cost(call) for call in calls if call.tokens))

    def most(self, call: Call) -> float:
        """What a call as long as this one costs at most, whichever of the models with a known price is asked."""
        known = [*self.models.values(), *self.found.values(), *filter(None, [self.of("")])]
        return max((price.cost(call) for price in known), default=0.0)

    def spent(self, calls: Sequence[Call]) -> float:
        """The price of `calls` as caps count it: one of unknown price for the dearest it could be."""
        priced = [(call, self.of(call.model)) for call in calls]
        return float(sum(price.cost(call) if price else self.most(call) for call, price in priced))

    @property
    def sign(self) -> str:
        """The sign of the currency; empty where only whoever gave the prices knows it."""
        return "$" if self.source else ""


Policy = Literal["full", "windowed", "windowed_summary"]
"""How much of the history a prompt shows: everything within the bound; the newest; or those and a summary."""


Seconds = Annotated[float, Field(gt=0, le=86_400)]


class Timeouts(BaseModel):
    """How long a server may be silent, in seconds; the same for each try."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    first_token: Seconds = Field(default=120.0, description="Until the first token of an answer.")
    between_tokens: Seconds = Field(default=60.0, description="From one token to the next.")
    total: Seconds = Field(default=900.0, description="For a whole answer.")
    unstreamed: Seconds = Field(default=300.0, description="For an answer that comes all at once.")


class ViewSettings(BaseModel):
    """How much of the history a prompt shows.

    Either `{policy: windowed, recent_n: 4}`, or the policy's name over its setting: `{windowed: {recent_n: 4}}`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    policy: Policy = Field(
        default="full",
        description="Everything within the bound; the newest statements; or those and a summary of the rest.",
    )
    recent_n: int | None = Field(
        default=None, ge=1, le=10_000, description="Statements a window shows at least; none: twice the participants."
    )

    @model_validator(mode="before")
    @classmethod
    def _beneath_its_name(cls, value: object) -> object:
        return beneath_its_name(value)


def beneath_its_name(view: object) -> object:
    """The settings of a view, lifted from beneath the name of its policy; raises for a mixture of both spellings."""
    if not isinstance(view, dict) or not (named := [key for key in view if key in get_args(Policy)]):
        return view
    policy, inside = named[0], view[named[0]]
    if len(view) > 1 or not isinstance(inside, dict | None) or "policy" in (inside or {}):
        remedy = f"write {{{policy}: {{recent_n: 4}}}} and nothing beside it, or {{policy: {policy}, recent_n: 4}}"
        raise unusable(policy, inside, remedy)
    return {"policy": policy, **(inside or {})}


class MemorySettings(BaseModel):
    """How participants remember what happened."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    guidance_style: Literal["narrative", "structured"] = Field(
        default="narrative", description="One plain sentence per event, or `key: value` pairs."
    )
    statement_max_length: Limit = Field(default=300, description="Characters kept of a statement.")
    reasoning_max_length: Limit = Field(default=200, description="Characters kept of one's own private reasoning.")
    enable_truncation: bool = Field(default=True, description="False: nothing is clipped.")
    memory_max_chars: int = Field(default=100_000, ge=100, le=100_000_000, description="Bound of one memory.")
    compression_threshold: float = Field(
        default=0.8, gt=0, le=1, description="Share of the bound above which a memory is compressed."
    )
    compression_target: float = Field(default=0.6, gt=0, lt=1, description="Share of the bound it is compressed to.")
    include_internal_reasoning: bool = Field(
        default=False, description="Whether a participant remembers its own private reasoning."
    )

    @model_validator(mode="after")
    def _target_under_threshold(self) -> Self:
        if self.compression_target >= self.compression_threshold:
            raise ValueError("compression_target must be below compression_threshold")
        return self
