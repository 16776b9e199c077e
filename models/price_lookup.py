"""Prices of models in US dollars: from the settings, or from the package genai-prices."""

import asyncio
import re
from collections.abc import Sequence
from datetime import date
from functools import cache
from importlib.metadata import version
from typing import Any, TypeVar
from urllib.parse import urlsplit

from ..state import InputError, Participant, Price, Prices, PriceTier, Settings
from ..storage import get_time
from .embedding_spec import find_embedding_spec
from .model_spec import REHEARSAL, choose_spec, parse_spec

R = TypeVar("R", bound=Settings)


async def add_prices(settings: R, participants: Sequence[Participant]) -> R:
    """Return the settings with the price of each model in the run. See `look_up_prices`."""
    return await asyncio.to_thread(look_up_prices, settings, participants)


def look_up_prices(settings: R, participants: Sequence[Participant], earlier_specs: Sequence[str] = ()) -> R:
    """Return the settings with the price of each model in the run. Prices in the settings stay.

    `earlier_specs`: models of earlier calls, which the settings may no longer name. With a cap on cost, raises
    `InputError` if the price of a model in the settings is unknown.
    """
    known_prices = settings.prices or Prices()
    specs = dict.fromkeys([*list_unpriced_specs(settings, participants), *earlier_specs])
    listed_prices = {spec: _find_price(spec) for spec in specs if not known_prices.find_price(spec)}
    if found_prices := {spec: price for spec, price in listed_prices.items() if price}:
        prices = known_prices.model_copy(
            update={
                "looked_up": known_prices.looked_up | found_prices,
                "source": known_prices.source or describe_price_source(),
            }
        )
        settings = settings.with_choices(prices=prices)
    if settings.budget.cost is not None and (unpriced_specs := list_unpriced_specs(settings, participants)):
        example = f"prices={{models: {{'{unpriced_specs[0]}': {{input: 0.25, output: 2}}}}}}"
        raise InputError(
            "budget.cost",
            settings.budget.cost,
            f"no price known for {', '.join(unpriced_specs)}; give prices per million tokens, such as {example}",
        )
    return settings


def list_unpriced_specs(settings: Settings, participants: Sequence[Participant]) -> list[str]:
    """Return the names (specs) of the run's models whose price is unknown."""
    prices = settings.prices or Prices()
    return [spec for spec in list_paid_specs(settings, participants) if not prices.find_price(spec)]


def list_paid_specs(settings: Settings, participants: Sequence[Participant]) -> list[str]:
    """Return the names (specs) of the run's models, each once, without the rehearsal, which costs nothing."""
    models = [seat for seat in participants if seat.kind == "model"]
    specs = [str(settings.model), *(choose_spec(settings, seat.name, seat.model) for seat in models)]
    specs += map(str, settings.models.values())
    specs.append(find_embedding_spec(settings))
    return [spec for spec in dict.fromkeys(specs) if spec not in ("", REHEARSAL)]


def _find_price(spec: str) -> Price | None:
    """Return the current standard price of a model at its server; `None` if it has no price per token."""
    if spec.startswith("object:"):
        return None
    parsed_spec = parse_spec(spec)
    url = parsed_spec.url if parsed_spec.provider == "openai" else None
    if url and re.fullmatch(r"localhost|127\.\d+\.\d+\.\d+|::1|0\.0\.0\.0", urlsplit(url).hostname or ""):
        return None
    try:
        model = _load_price_data().find_provider_model(
            parsed_spec.name, None, None if url else parsed_spec.provider, url
        )[1]
    except LookupError:
        return None
    listing, keys = model.get_prices(get_time()), {"input": "input", "cached": "cache_read", "output": "output"}
    prices = {name: getattr(listing, f"{key}_mtok", None) for name, key in keys.items()}
    if prices["input"] is None:  # not paid by tokens of text
        return None
    tier_starts = sorted({tier.start for price in prices.values() for tier in getattr(price, "tiers", [])})
    tiers = [PriceTier(above=tier_start, **_select_prices(prices, tier_start + 1)) for tier_start in tier_starts]
    return Price(tiers=tiers, **_select_prices(prices, 0))


def _select_prices(listed_prices: dict[str, Any], prompt_tokens: int) -> dict[str, float]:
    prices: dict[str, float] = {}
    for name, listed_price in listed_prices.items():
        tiers = [tier.price for tier in getattr(listed_price, "tiers", []) if prompt_tokens > tier.start]
        price = tiers[-1] if tiers else getattr(listed_price, "base", listed_price)
        prices |= {} if price is None else {name: float(price)}
    return prices


@cache
def describe_price_source() -> str:
    """Return a text about the source of looked-up prices, with the date of its newest entry."""
    providers = _load_price_data().providers
    remarks = [item.price_comments or "" for provider in providers for item in (provider, *provider.models)]
    days = {day for remark in remarks for day in re.findall(r"\b20\d\d-[01]\d-[0-3]\d\b", remark)}
    today: date = get_time().date()
    newest_day = max((day for day in days if day <= today.isoformat()), default="?")
    return f"genai-prices {version('genai-prices')}, data of {newest_day}"


def _load_price_data() -> Any:
    from genai_prices.data_snapshot import get_snapshot  # slow to load

    return get_snapshot()
