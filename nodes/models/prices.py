"""What models cost: prices that were given, else those that the package genai-prices brings, in US dollars."""

import asyncio
import os
import re
from collections.abc import Sequence
from datetime import date
from functools import cache
from importlib.metadata import version
from typing import Any, TypeVar
from urllib.parse import urlsplit

from ...state.refused import Refused
from ...state.rules import Rules
from ...state.settings import Price, Prices, Tier
from ...state.statement import Participant
from ..clock import now
from .embedding_spec import LEXICAL
from .spec import REHEARSAL, parse, spec_for

R = TypeVar("R", bound=Rules)

DATE = re.compile(r"\b20\d\d-[01]\d-[0-3]\d\b")
HERE = re.compile(r"localhost|127\.\d+\.\d+\.\d+|::1|0\.0\.0\.0")
"""Hosts on this machine, of whose models nobody knows a price."""


async def priced(rules: R, participants: Sequence[Participant]) -> R:
    """The rules with a price for each model that may be asked and is known; what has one keeps it.

    Raises `Refused` where there is a cap on money and a model whose price is not known.
    """
    given = rules.prices or Prices()
    lacking = unpriced(rules, participants)
    found = await asyncio.to_thread(_looked_up, lacking) if lacking else {}
    if found:
        prices = given.model_copy(update={"found": given.found | found, "source": given.source or source()})
        rules = rules.settled(prices=prices)
    if rules.budget.cost is not None and (left := unpriced(rules, participants)):
        example = f"prices={{models: {{'{left[0]}': {{input: 0.25, output: 2}}}}}}"
        remedy = f"no price known for {', '.join(left)}; give prices per million tokens, such as {example}"
        raise Refused("budget.cost", rules.budget.cost, remedy)
    return rules


def unpriced(rules: Rules, participants: Sequence[Participant]) -> list[str]:
    """The models that may be asked and have no known price; the rehearsal needs none."""
    prices = rules.prices or Prices()
    return [spec for spec in asked(rules, participants) if spec != REHEARSAL and not prices.of(spec)]


def asked(rules: Rules, participants: Sequence[Participant]) -> list[str]:
    """The specs of all models that may be asked, each once."""
    seats = [spec_for(rules, one.name, one.model) for one in participants if one.kind == "model"]
    roles = [str(spec) for spec in rules.models.values()]
    return list(dict.fromkeys(filter(None, [str(rules.model), *seats, *roles, _embedding(rules)])))


def _embedding(rules: Rules) -> str:
    """The embedding model that may be asked; empty: none."""
    if not hasattr(rules, "embeddings") or getattr(rules, "convergence", "embedding") != "embedding":
        return ""
    spec = (str(rules.embeddings) or os.environ.get("MOOT_EMBEDDINGS", "")).strip()
    return "" if spec == LEXICAL else spec


def _looked_up(specs: Sequence[str]) -> dict[str, Price]:
    prices = {spec: _price(spec) for spec in specs}
    return {spec: price for spec, price in prices.items() if price}


def _price(spec: str) -> Price | None:
    """The standard price of a model today, at the server that is asked; none where none is on record."""
    if spec.startswith("object:"):
        return None
    parts = parse(spec)
    url = parts.url if parts.provider == "openai" else None
    if url and HERE.fullmatch(urlsplit(url).hostname or ""):
        return None
    try:
        model = _data().find_provider_model(parts.name, None, None if url else parts.provider, url)[1]
    except LookupError:
        return None
    return _as_price(model.get_prices(now()))


def _as_price(listed: Any) -> Price | None:
    """A listed price as rules hold it; none for a model that is not paid by tokens of text."""
    parts = {name: getattr(listed, f"{key}_mtok", None) for name, key in _LISTED.items()}
    if parts["input"] is None:
        return None
    steps = sorted({tier.start for part in parts.values() for tier in getattr(part, "tiers", [])})
    tiers = [Tier(above=step, **_at(parts, step + 1)) for step in steps]
    return Price(tiers=tiers, **_at(parts, 0))


_LISTED = {"input": "input", "cached": "cache_read", "output": "output"}


def _at(parts: dict[str, Any], prompt: int) -> dict[str, float]:
    """The prices of a call whose prompt has so many tokens."""
    found: dict[str, float] = {}
    for name, part in parts.items():
        tiers = [tier.price for tier in getattr(part, "tiers", []) if prompt > tier.start]
        price = tiers[-1] if tiers else getattr(part, "base", part)
        found |= {} if price is None else {name: float(price)}
    return found


@cache
def source() -> str:
    """Where prices are looked up, with the day of the newest price or remark in its data."""
    providers = _data().providers
    remarks = [one.price_comments or "" for provider in providers for one in (provider, *provider.models)]
    days = {day for remark in remarks for day in DATE.findall(remark)}
    today: date = now().date()
    newest = max((day for day in days if day <= today.isoformat()), default="?")
    return f"genai-prices {version('genai-prices')}, data of {newest}"


def _data() -> Any:
    from genai_prices.data_snapshot import get_snapshot  # takes long to load

    return get_snapshot()
