"""Prices of models, and the cost of a call."""

from collections.abc import Sequence

from pydantic import Field

from .frozen_models import ClosedModel
from .records import Call


class PriceTier(ClosedModel):
    """Price of a call whose prompt exceeds a number of tokens. It applies to the whole call."""

    above: int = Field(
        default=0, ge=0, le=100_000_000, description="Number of prompt tokens above which the tier applies."
    )
    input: float = Field(default=0, ge=0, description="Price per million prompt tokens.")
    cached: float | None = Field(default=None, ge=0, description="Price of cached prompt tokens; none: as `input`.")
    output: float = Field(default=0, ge=0, description="Price per million completion tokens.")


class Price(ClosedModel):
    """Price of one model, per million tokens, with other rates for long prompts."""

    input: float = Field(default=0, ge=0, description="Price per million prompt tokens.")
    cached: float | None = Field(default=None, ge=0, description="Price of cached prompt tokens; none: as `input`.")
    output: float = Field(default=0, ge=0, description="Price per million completion tokens.")
    tiers: list[PriceTier] = Field(
        default_factory=list, max_length=20, description="Prices of calls with longer prompts."
    )

    def compute_cost(self, call: Call) -> float:
        """Compute the cost of one call, at the rate for the length of its prompt."""
        tiers = [tier for tier in self.tiers if call.input_tokens > tier.above]
        rate: Price | PriceTier = max(tiers, key=lambda tier: tier.above, default=self)
        cached_rate = rate.input if rate.cached is None else rate.cached
        fresh_tokens = call.input_tokens - call.cached_tokens
        return (fresh_tokens * rate.input + call.cached_tokens * cached_rate + call.output_tokens * rate.output) / 1e6


class Prices(ClosedModel):
    """Prices of models, per million tokens, in one currency.

    The currency is US dollars if Moot looked up any price. The configured price of a model comes first, then the
    configured price of all models, then the looked-up price.
    """

    input: float | None = Field(default=None, ge=0, description="Price of prompt tokens.")
    cached: float | None = Field(default=None, ge=0, description="Price of cached prompt tokens; none: as `input`.")
    output: float | None = Field(default=None, ge=0, description="Price of answer tokens.")
    models: dict[str, Price] = Field(default_factory=dict, description="Prices of single models, by model spec.")
    looked_up: dict[str, Price] = Field(
        default_factory=dict, description="Looked-up prices, by model spec, US dollars. Moot fills it in."
    )
    source: str = Field(default="", max_length=200, description="Source and age of the looked-up prices.")

    def find_price(self, model: str) -> Price | None:
        """Return the price of a model, named as `provider:model`; `None` if it is unknown."""
        if model in self.models or (self.input is None and self.output is None):
            return self.models.get(model) or self.looked_up.get(model)
        return Price(input=self.input or 0, cached=self.cached, output=self.output or 0)

    def compute_cost(self, calls: Sequence[Call]) -> float | None:
        """Compute the cost of `calls`; `None` if the price of any call with tokens is unknown."""
        prices = {call.model: self.find_price(call.model) for call in calls if call.tokens}
        known_prices = {model: price for model, price in prices.items() if price}
        if len(known_prices) < len(prices):
            return None
        return float(sum(known_prices[call.model].compute_cost(call) for call in calls if call.tokens))

    def compute_max_cost(self, call: Call) -> float:
        """Compute the highest cost of a call of this length, over all models with a known price."""
        known_prices = [*self.models.values(), *self.looked_up.values(), *filter(None, [self.find_price("")])]
        return max((price.compute_cost(call) for price in known_prices), default=0.0)

    def compute_capped_cost(self, calls: Sequence[Call]) -> float:
        """Compute the cost of `calls` for comparison with a cap.

        A call with an unknown price counts at the highest known price.
        """
        priced_calls = [(call, self.find_price(call.model)) for call in calls]
        return float(
            sum(price.compute_cost(call) if price else self.compute_max_cost(call) for call, price in priced_calls)
        )

    @property
    def currency_sign(self) -> str:
        """Return the currency sign: `$` if Moot looked up any price; empty for an unknown currency."""
        return "$" if self.source else ""
