"""What a stranger may ask of a server: addresses, files and costs that its operator allowed, and nothing else.

A stranger is whoever gives a context through a LangGraph server. The operator, who starts the server, allows by
`MOOT_ALLOW_ORIGINS` (`https://host`, or `https://host=NAME_API_KEY` with the key that goes there; `:*` for any port),
`MOOT_ALLOW_KEYS` (variables whose keys a stranger's choice of model may spend), `MOOT_ALLOW_FOLDERS`,
`MOOT_MAX_CALLS`, `MOOT_MAX_TOKENS`, and `MOOT_MAX_COST`, with `MOOT_PRICES` where prices are not to be looked up. What
is not set allows nothing.
"""

import asyncio
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from langgraph.config import get_config
from langgraph.runtime import get_runtime
from pydantic import ValidationError

from ...state.refused import Refused
from ...state.rules import Rules
from ...state.settings import Budget, Prices
from ...state.statement import Participant
from .embedding_spec import LEXICAL
from .keys import OPENAI_KEY, VARIABLE, is_own, key_in, origin, variable_for
from .spec import DEFAULT_OPENAI, REHEARSAL, Spec, has_key, parse

MOST_CALLS = 200
"""Calls of one run, unless MOOT_MAX_CALLS says otherwise."""
USER = "langgraph_auth_user"
"""Where servers put the client in a run's configuration."""
PLACES = ("library", "templates", "db", "record", "replay", "stop_file")
"""Knobs that name a file or a folder, in whichever rules have them."""
BY_PLACE = {"stopping": "calibrated"}
"""The choice of a knob that such a file goes with: where no file can be named, it is not offered."""
NOT_HERE = "not open to clients of this server; its operator opens folders by MOOT_ALLOW_FOLDERS"

R = TypeVar("R", bound=Rules)


def is_stranger() -> bool:
    """Whether the run under way was asked for by a client of a server.

    Servers that are not LangGraph's own hand the client over as a dictionary, of which langgraph makes no
    `server_info`.
    """
    try:
        return get_runtime().server_info is not None or USER in get_config().get("configurable", {})
    except RuntimeError:
        return False


def key_for(spec: str) -> str:
    """The key that goes to the server of an `openai:` spec: for a stranger, the one that its origin is bound to."""
    parts = parse(spec)
    if not is_stranger() or spec in _operators():
        return key_in(variable_for(parts.url, parts.key))
    return key_in(OPENAI_KEY if is_own(parts.url) else allowed_origins().get(_entry(parts.url), ""))


async def admitted(rules: R, participants: Sequence[Participant] = ()) -> R:
    """The rules, capped, that a stranger asks for; raises `Refused` for the first thing that is not allowed.

    Rules that no stranger gave are as they were.
    """
    return await asyncio.to_thread(allowed, rules, participants) if is_stranger() else rules


def allowed(rules: R, participants: Sequence[Participant]) -> R:
    """The rules, capped, as any stranger may have them; raises `Refused` for the first thing that is not allowed."""
    for key, spec in _specs(rules, participants):
        check_spec_of_stranger(key, spec)
    for key, place in _places(rules):
        check_place(key, place)
    return capped(rules)


def capped(rules: R) -> R:
    """The rules within the operator's caps; raises `Refused` for a cap above them."""
    priced = {"prices": _prices()} if _limit("MOOT_MAX_COST") else {}
    return rules.settled(budget=_capped(rules.budget), **priced)


async def refuse_beyond(rules: Rules, participants: Sequence[Participant] = ()) -> None:
    """Refuse stored rules that a stranger wrote past the first step."""
    if not is_stranger():
        return
    capped = await admitted(rules, participants)
    if rules != Rules() and capped.budget != rules.budget:
        remedy = "the operator's caps are missing; leave the rules as they were"
        raise Refused("budget", rules.budget.model_dump(), remedy)


def _specs(rules: Rules, participants: Sequence[Participant]) -> Iterator[tuple[str, str]]:
    yield "model", str(rules.model)
    yield from ((f"models.{who}", str(spec)) for who, spec in rules.models.items())
    yield "embeddings", str(getattr(rules, "embeddings", ""))
    for one in [*participants, *getattr(rules, "participants", [])]:
        yield f"model of {one.name}", one.model


def _places(rules: Rules) -> Iterator[tuple[str, str]]:
    yield from ((key, str(place)) for key in PLACES if (place := getattr(rules, key, "")))
    yield from (("sources", place) for place in getattr(rules, "sources", []))
    logged = getattr(getattr(rules, "logging", None), "transcript_logging", None)
    if logged is not None and logged.enabled:
        yield "transcript_logging.path", logged.path or "."


def _operators() -> list[str]:
    """The specs that the operator named: what is meant where nothing is given."""
    named = [os.environ.get(name, "").strip() for name in ("MOOT_MODEL", "MOOT_EMBEDDINGS")]
    return [*filter(None, named), *([DEFAULT_OPENAI] if has_key() else [])]


def check_spec_of_stranger(key: str, spec: str) -> None:
    """Refuse a spec, given as the knob `key`, that leads to an address or spends a key that is not allowed."""
    if spec in ("", REHEARSAL, LEXICAL, *_operators()) or spec.startswith("object:"):
        return
    parts = parse(spec)
    if parts.provider == "openai" and not is_own(parts.url):
        _check_address(key, parts)
        return
    variable = OPENAI_KEY if parts.provider == "openai" else f"{parts.provider.upper()}_API_KEY"
    spent = has_key() or parts.key if parts.provider == "openai" else True
    if parts.key not in ("", OPENAI_KEY) or (spent and variable not in _listed("MOOT_ALLOW_KEYS")):
        remedy = f"clients of this server do not spend {variable}; its operator allows it by MOOT_ALLOW_KEYS"
        raise Refused(key, spec, f"{remedy}, or leave the model out")


def _check_address(key: str, parts: Spec) -> None:
    allowed, entry = allowed_origins(), _entry(parts.url)
    if entry not in allowed:
        remedy = "clients of this server do not name addresses; its operator allows one by MOOT_ALLOW_ORIGINS"
        raise Refused(key, f"{parts.provider}:{parts.name}", remedy)
    if parts.key and parts.key != allowed[entry]:
        remedy = "this key does not go there; leave it out after the address"
        raise Refused(key, f"{parts.provider}:{parts.name}", remedy)


def allowed_origins() -> dict[str, str]:
    """Each origin that strangers may name, and the variable of the key that goes there; empty: none does."""
    found = {}
    for entry in _listed("MOOT_ALLOW_ORIGINS"):
        address, _, variable = entry.partition("=")
        any_port = address.endswith(":*")
        at = origin(address.removesuffix(":*").rstrip("/"))
        if not at or (variable and not VARIABLE.fullmatch(variable)):
            raise Refused(
                "MOOT_ALLOW_ORIGINS", address, "write https://host, https://host:* or https://host=NAME_API_KEY"
            )
        found[f"{at.rpartition(':')[0]}:*" if any_port else at] = variable
    return found


def _entry(url: str) -> str:
    """The entry that allows an address: its origin, or its host at any port."""
    at = origin(url)
    any_port = f"{at.rpartition(':')[0]}:*"
    return any_port if at not in allowed_origins() and any_port in allowed_origins() else at


def check_place(key: str, place: str) -> None:
    """Refuse a file or folder, given as the knob `key`, outside the allowed folders; nothing there is looked at."""
    plain = not re.match(r"\s*\w+\s*=|file:", place) and "://" not in place and "\0" not in place
    folders = [_resolved(folder) for folder in _listed("MOOT_ALLOW_FOLDERS", os.pathsep)]
    if not plain or not any(_resolved(place).is_relative_to(folder) for folder in folders):
        raise Refused(key, place, NOT_HERE)


def _resolved(place: str) -> Path:
    return Path(os.path.expanduser(place)).resolve()


def _capped(budget: Budget) -> Budget:
    """The caps a stranger gave, none above the operator's."""
    caps = {"calls": _limit("MOOT_MAX_CALLS") or MOST_CALLS}
    caps |= {name: most for name in ("tokens", "cost") if (most := _limit(f"MOOT_MAX_{name.upper()}"))}
    for name, most in caps.items():
        given = getattr(budget, name)
        if given is not None and given > most:
            raise Refused(f"budget.{name}", given, f"give at most {most:g}; its operator allows no more on this server")
    return Budget.model_validate(caps | budget.model_dump(exclude_none=True))


def _limit(name: str) -> float | None:
    said = os.environ.get(name, "").strip()
    whole = name != "MOOT_MAX_COST"
    if said and not (re.fullmatch(r"\d+" if whole else r"\d+(\.\d+)?", said) and float(said) > 0):
        raise Refused(name, said, "give a whole number above 0" if whole else "give an amount above 0, such as 0.50")
    return (int(said) if whole else float(said)) if said else None


def _prices() -> Prices | None:
    """The operator's prices, or none, to be looked up: a stranger's own would make a cap on money mean nothing."""
    said = os.environ.get("MOOT_PRICES", "").strip()
    try:
        return Prices.model_validate_json(said) if said else None
    except ValidationError:
        raise Refused("MOOT_PRICES", said, 'give prices per million tokens: {"input": 0.25, "output": 2}') from None


def _listed(name: str, between: str = ",") -> list[str]:
    return [entry.strip() for entry in os.environ.get(name, "").split(between) if entry.strip()]
