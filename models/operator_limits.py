"""Limits that the operator of a server sets for its clients: addresses, files and costs.

A client passes its settings through a LangGraph server. The operator who starts the server sets these variables. An
unset variable allows nothing.

`MOOT_ALLOW_ORIGINS`: `https://host`, or `https://host=NAME_API_KEY` with the key for it; `:*` for any port.
`MOOT_ALLOW_KEYS`: variables whose keys a client's models may use. `MOOT_ALLOW_FOLDERS`: folders that a client may
name. `MOOT_MAX_CALLS`, `MOOT_MAX_TOKENS`, `MOOT_MAX_COST`: caps. `MOOT_PRICES`: prices for the cost, in place of a
look-up.
"""

import asyncio
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from langgraph.config import get_config
from langgraph.runtime import get_runtime
from pydantic import ValidationError

from ..state.errors import InputError
from ..state.prices import Prices
from ..state.setting_types import Budget
from ..state.settings import Settings
from ..state.statement import Participant
from .embedding_spec import LEXICAL
from .keys import KEY_VARIABLE, OPENAI_KEY, get_key_variable, is_openai_server, parse_origin, read_key
from .spec import DEFAULT_OPENAI, REHEARSAL, has_openai_key, parse_spec

PATH_SETTINGS = ("library", "templates", "db", "record", "replay", "calibration_file")
"""Settings that name a file or a folder, of any protocol."""
FILE_CHOICES = {"stop_rule": "calibrated"}
"""Setting values that need a file, by setting; a server without access to files does not offer them."""

R = TypeVar("R", bound=Settings)


def is_server_client() -> bool:
    """Return whether a client of a server started the current run.

    Other servers than LangGraph's own pass the client as a dictionary, which langgraph does not convert to
    `server_info`.
    """
    try:
        return get_runtime().server_info is not None or "langgraph_auth_user" in get_config().get("configurable", {})
    except RuntimeError:
        return False


def get_server_key(spec: str) -> str:
    """Return the key for the server of an `openai:` model. A client gets only the key for its origin."""
    parsed_spec = parse_spec(spec)
    if not is_server_client() or spec in _list_operator_specs():
        return read_key(get_key_variable(parsed_spec.url, parsed_spec.key))
    return read_key(
        OPENAI_KEY
        if is_openai_server(parsed_spec.url)
        else map_allowed_origins().get(_get_origin_entry(parsed_spec.url), "")
    )


async def limit_client_settings(settings: R, participants: Sequence[Participant] = ()) -> R:
    """Return the settings within the operator's caps if a server client set them, else unchanged.

    Raises `InputError` for the first forbidden value.
    """
    return await asyncio.to_thread(limit_settings, settings, participants) if is_server_client() else settings


def limit_settings(settings: R, participants: Sequence[Participant]) -> R:
    """Return the settings of a client within the operator's caps.

    Raises `InputError` for a forbidden value.
    """
    specs = {"model": settings.model, "embeddings": getattr(settings, "embeddings", "")}
    specs |= {f"models.{name}": spec for name, spec in settings.models.items()}
    for key, spec in specs.items():
        check_client_spec(key, str(spec))
    for participant in [*participants, *getattr(settings, "participants", [])]:
        check_client_spec(f"model of {participant.name}", participant.model)
    paths = [(key, str(path)) for key in PATH_SETTINGS if (path := getattr(settings, key, ""))]
    paths += [("sources", path) for path in getattr(settings, "sources", [])]
    transcript = getattr(getattr(settings, "logging", None), "transcript_logging", None)
    if transcript is not None and transcript.enabled:
        paths.append(("transcript_logging.path", transcript.path or "."))
    for key, path in paths:
        check_client_path(key, path)
    return apply_caps(settings)


def apply_caps(settings: R) -> R:
    """Return the settings within the operator's caps. Raises `InputError` for a cap above them."""
    budget = _merge_caps(settings.budget)
    if not _read_limit("MOOT_MAX_COST"):
        return settings.with_choices(budget=budget)
    # The operator's prices, or none for a look-up: a client's own would void a cap on cost.
    text = os.environ.get("MOOT_PRICES", "").strip()
    try:
        prices = Prices.model_validate_json(text) if text else None
    except ValidationError:
        raise InputError("MOOT_PRICES", text, 'give prices per million tokens: {"input": 0.25, "output": 2}') from None
    return settings.with_choices(budget=budget, prices=prices)


async def check_stored_caps(settings: Settings, participants: Sequence[Participant] = ()) -> None:
    """Check that a server client's stored settings still respect the operator's caps. Raises `InputError`.

    A client could have changed them after the first step.
    """
    if not is_server_client():
        return
    limited_settings = await limit_client_settings(settings, participants)
    if settings != Settings() and limited_settings.budget != settings.budget:
        remedy = "the operator's caps are missing; leave the rules as they were"
        raise InputError("budget", settings.budget.model_dump(), remedy)


def _list_operator_specs() -> list[str]:
    """List the models that the operator chose as defaults."""
    specs = [os.environ.get(name, "").strip() for name in ("MOOT_MODEL", "MOOT_EMBEDDINGS")]
    return [*filter(None, specs), *([DEFAULT_OPENAI] if has_openai_key() else [])]


def check_client_spec(key: str, spec: str) -> None:
    """Check that a client may use the address and the key of a model. Raises `InputError` about setting `key`."""
    if spec in ("", REHEARSAL, LEXICAL, *_list_operator_specs()) or spec.startswith("object:"):
        return
    parsed_spec = parse_spec(spec)
    if parsed_spec.provider == "openai" and not is_openai_server(parsed_spec.url):
        origins, entry = map_allowed_origins(), _get_origin_entry(parsed_spec.url)
        remedy = "clients of this server do not name addresses; its operator allows one by MOOT_ALLOW_ORIGINS"
        if entry in origins:
            remedy = "this key does not go there; leave it out after the address"
        if entry not in origins or parsed_spec.key not in ("", origins[entry]):
            raise InputError(key, f"{parsed_spec.provider}:{parsed_spec.name}", remedy)
        return
    variable = OPENAI_KEY if parsed_spec.provider == "openai" else f"{parsed_spec.provider.upper()}_API_KEY"
    needs_key = has_openai_key() or parsed_spec.key if parsed_spec.provider == "openai" else True
    if parsed_spec.key not in ("", OPENAI_KEY) or (needs_key and variable not in _read_list("MOOT_ALLOW_KEYS")):
        remedy = f"clients of this server do not spend {variable}; its operator allows it by MOOT_ALLOW_KEYS"
        raise InputError(key, spec, f"{remedy}, or leave the model out")


def map_allowed_origins() -> dict[str, str]:
    """Map each origin that clients may use to the variable with its key; empty for an origin without a key."""
    origins = {}
    for entry in _read_list("MOOT_ALLOW_ORIGINS"):
        address, _, variable = entry.partition("=")
        is_any_port = address.endswith(":*")
        origin = parse_origin(address.removesuffix(":*").rstrip("/"))
        if not origin or (variable and not KEY_VARIABLE.fullmatch(variable)):
            raise InputError(
                "MOOT_ALLOW_ORIGINS", address, "write https://host, https://host:* or https://host=NAME_API_KEY"
            )
        origins[f"{origin.rpartition(':')[0]}:*" if is_any_port else origin] = variable
    return origins


def _get_origin_entry(url: str) -> str:
    """Return the entry that allows an address: its origin, or its host at any port."""
    origin = parse_origin(url)
    any_port = f"{origin.rpartition(':')[0]}:*"
    return any_port if origin not in map_allowed_origins() and any_port in map_allowed_origins() else origin


def check_client_path(key: str, path: str) -> None:
    """Check that a path is in the allowed folders, without opening it. Raises `InputError`.

    `key`: setting that contains the path.
    """
    is_plain_path = not re.match(r"\s*\w+\s*=|file:", path) and "://" not in path and "\0" not in path
    folders = [_resolve_path(folder) for folder in _read_list("MOOT_ALLOW_FOLDERS", os.pathsep)]
    if not is_plain_path or not any(_resolve_path(path).is_relative_to(folder) for folder in folders):
        remedy = "not open to clients of this server; its operator opens folders by MOOT_ALLOW_FOLDERS"
        raise InputError(key, path, remedy)


def _resolve_path(path: str) -> Path:
    return Path(os.path.expanduser(path)).resolve()


def _merge_caps(budget: Budget) -> Budget:
    """Return a client's caps. The operator's caps replace missing ones.

    Raises `InputError` for a cap above the operator's.
    """
    caps = {"calls": _read_limit("MOOT_MAX_CALLS") or 200}
    caps |= {name: limit for name in ("tokens", "cost") if (limit := _read_limit(f"MOOT_MAX_{name.upper()}"))}
    for name, limit in caps.items():
        requested_cap = getattr(budget, name)
        if requested_cap is not None and requested_cap > limit:
            raise InputError(
                f"budget.{name}", requested_cap, f"give at most {limit:g}; its operator allows no more on this server"
            )
    return Budget.model_validate(caps | budget.model_dump(exclude_none=True))


def _read_limit(name: str) -> float | None:
    text = os.environ.get(name, "").strip()
    is_integer = name != "MOOT_MAX_COST"
    if text and not (re.fullmatch(r"\d+" if is_integer else r"\d+(\.\d+)?", text) and float(text) > 0):
        raise InputError(
            name, text, "give a whole number above 0" if is_integer else "give an amount above 0, such as 0.50"
        )
    return (int(text) if is_integer else float(text)) if text else None


def _read_list(name: str, separator: str = ",") -> list[str]:
    return [entry.strip() for entry in os.environ.get(name, "").split(separator) if entry.strip()]
