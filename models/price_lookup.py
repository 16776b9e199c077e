"""Prices of models in US dollars: from the settings, or from the package genai-prices."""

import asyncio
import os
import re
from collections.abc import Sequence
from datetime import date
from functools import cache
from importlib.metadata import version
from typing import Any, TypeVar
from urllib.parse import urlsplit

from ..state.errors import InputError
from ..state.prices import Price, Prices, PriceTier
from ..state.settings import Settings
from ..state.statement import Participant
from ..storage.clock import get_time
from .embedding_spec import LEXICAL
from .spec import REHEARSAL, choose_spec, parse_spec

R = TypeVar("R", bound=Settings)

DATE_PATTERN = re.compile(r"\b20\d\d-[01]\d-[0-3]\d\b")
LOCAL_HOST = re.compile(r"localhost|127\.\d+\.\d+\.\d+|::1|0\.0\.0\.0")
"""Pattern of hosts on this machine, whose models have no known price."""


async def add_prices(settings: R, participants: Sequence[Participant]) -> R:
    """Return the settings with the known price of each model that may be asked; given prices stay.

    Raises `InputError` if there is a cap on cost and a model has no known price.
    """
    known_prices = settings.prices or Prices()
    specs = list_unpriced_specs(settings, participants)
    found_prices = await asyncio.to_thread(_map_known_prices, specs) if specs else {}
    if found_prices:
        prices = known_prices.model_copy(
            update={
                "found": known_prices.found | found_prices,
                "source": known_prices.source or describe_price_source(),
            }
        )
        settings = settings.with_choices(prices=prices)
    if settings.budget.cost is not None and (unpriced_specs := list_unpriced_specs(settings, participants)):
        example = f"prices={{models: {{'{unpriced_specs[0]}': {{input: 0.25, output: 2}}}}}}"
        remedy = f"no price known for {', '.join(unpriced_specs)}; give prices per million tokens, such as {example}"
        raise InputError("budget.cost", settings.budget.cost, remedy)
    return settings


def list_unpriced_specs(settings: Settings, participants: Sequence[Participant]) -> list[str]:
    """List the models that may be asked and have no known price; the rehearsal needs none."""
    prices = settings.prices or Prices()
    return [
        spec for spec in list_priced_specs(settings, participants) if spec != REHEARSAL and not prices.find_price(spec)
    ]


def list_priced_specs(settings: Settings, participants: Sequence[Participant]) -> list[str]:
    """List the specs of all models that may be asked, each once."""
    seat_specs = [
        choose_spec(settings, participant.name, participant.model)
        for participant in participants
        if participant.kind == "model"
    ]
    role_specs = [str(spec) for spec in settings.models.values()]
    return list(
        dict.fromkeys(filter(None, [str(settings.model), *seat_specs, *role_specs, _get_embedding_spec(settings)]))
    )


def _get_embedding_spec(settings: Settings) -> str:
    """Return the embedding model that may be asked, or an empty text."""
    if not hasattr(settings, "embeddings") or getattr(settings, "convergence", "embedding") != "embedding":
        return ""
    spec = (str(settings.embeddings) or os.environ.get("MOOT_EMBEDDINGS", "")).strip()
    return "" if spec == LEXICAL else spec


def _map_known_prices(specs: Sequence[str]) -> dict[str, Price]:
    prices = {spec: _find_price(spec) for spec in specs}
    return {spec: price for spec, price in prices.items() if price}


def _find_price(spec: str) -> Price | None:
    """Return the current standard price of a model at its server, or `None` if the price data lack it."""
    if spec.startswith("object:"):
        return None
    parsed_spec = parse_spec(spec)
    url = parsed_spec.url if parsed_spec.provider == "openai" else None
    if url and LOCAL_HOST.fullmatch(urlsplit(url).hostname or ""):
        return None
    try:
        model = _load_price_data().find_provider_model(
            parsed_spec.name, None, None if url else parsed_spec.provider, url
        )[1]
    except LookupError:
        return None
    return _convert_price(model.get_prices(get_time()))


def _convert_price(listing: Any) -> Price | None:
    """Convert a listed price; return `None` for a model that is not paid by tokens of text."""
    listed_prices = {name: getattr(listing, f"{key}_mtok", None) for name, key in _PRICE_KEYS.items()}
    if listed_prices["input"] is None:
        return None
    tier_starts = sorted(
        {tier.start for listed_price in listed_prices.values() for tier in getattr(listed_price, "tiers", [])}
    )
    tiers = [PriceTier(above=tier_start, **_select_prices(listed_prices, tier_start + 1)) for tier_start in tier_starts]
    return Price(tiers=tiers, **_select_prices(listed_prices, 0))


_PRICE_KEYS = {"input": "input", "cached": "cache_read", "output": "output"}


def _select_prices(listed_prices: dict[str, Any], prompt_tokens: int) -> dict[str, float]:
    """Return the prices of a call with `prompt_tokens` tokens in its prompt."""
    prices: dict[str, float] = {}
    for name, listed_price in listed_prices.items():
        tiers = [tier.price for tier in getattr(listed_price, "tiers", []) if prompt_tokens > tier.start]
        price = tiers[-1] if tiers else getattr(listed_price, "base", listed_price)
        prices |= {} if price is None else {name: float(price)}
    return prices


@cache
def describe_price_source() -> str:
    """Describe the source of looked-up prices, with the day of the newest price or remark in its data."""
    providers = _load_price_data().providers
    remarks = [item.price_comments or "" for provider in providers for item in (provider, *provider.models)]
    days = {day for remark in remarks for day in DATE_PATTERN.findall(remark)}
    today: date = get_time().date()
    newest_day = max((day for day in days if day <= today.isoformat()), default="?")
    return f"genai-prices {version('genai-prices')}, data of {newest_day}"


def _load_price_data() -> Any:
    from genai_prices.data_snapshot import get_snapshot  # slow to load

    return get_snapshot()
