"""Operator policy: what a server's clients may use, and how much they may spend.

The operator who starts a server sets these variables. An unset variable allows nothing. The policy is read once. At
every step, it overrides the settings of a client, even those in a saved state.

`MOOT_ALLOW_ORIGINS`: `https://host`, or `https://host=NAME_API_KEY` with the key for it; `:*` for any port.
`MOOT_ALLOW_KEYS`: variables whose keys a client's models may use. `MOOT_ALLOW_AGENTS`: agents, such as
`agent:package.module:name`, that a client or a saved run may name. `MOOT_ALLOW_TOOLS`: tools that a client or a saved
run may name; for a saved run also `mcp:` and the command line or address of an MCP server. `MOOT_ALLOW_FOLDERS`:
folders that a client may name. `MOOT_MAX_CALLS`, `MOOT_MAX_TOKENS`, `MOOT_MAX_COST`: caps. `MOOT_PRICES`: prices to use
instead of a look-up. `MOOT_MAX_ANSWER_TOKENS`, `MOOT_MAX_ATTEMPTS`: maximum values of all settings for the length of an
answer and for repeated questions.
"""

import asyncio
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Self, TypeVar

from langgraph.config import get_config
from langgraph.runtime import get_runtime
from pydantic import ValidationError

from ..state import (
    A2A_PREFIX,
    AGENT_OBJECT,
    AGENT_PREFIX,
    Budget,
    Call,
    InputError,
    Participant,
    Prices,
    Settings,
    parse_origin,
    split_agent_spec,
)
from .api_keys import KEY_VARIABLE, OPENAI_KEY, get_key_variable, is_openai_server, read_key
from .embedding_spec import LEXICAL
from .model_spec import DEFAULT_OPENAI, REHEARSAL, has_openai_key, parse_spec
from .price_lookup import look_up_prices

PATH_SETTINGS = ("library", "templates", "db", "record", "replay", "calibration_file")
"""Settings that name a file or a folder, of any protocol."""
FILE_CHOICES = {"stop_rule": "calibrated"}
"""Setting values that need a file, by setting. A server without access to files does not offer them."""
ANSWER_SETTINGS = re.compile(r"max_tokens_\w+|reasoning_tokens")
"""Names of the settings for the length of an answer, in tokens."""
ATTEMPT_SETTINGS = re.compile(r"\w*(attempts|retries|retry_limit)")

R = TypeVar("R", bound=Settings)

_client_models: ContextVar[tuple[str, ...] | None] = ContextVar("client_models", default=None)


@contextmanager
def use_client_policy(models: Sequence[str] | None) -> Iterator[None]:
    """Apply the operator's policy to runs that start within the `with` block.

    `models`: models that the operator offers, in addition to the default ones; `None` if the operator runs them.
    """
    token = _client_models.set(None if models is None else tuple(models))
    try:
        yield
    finally:
        _client_models.reset(token)


def is_server_client() -> bool:
    """Return whether a client of a server started the current run.

    Servers other than LangGraph's own pass the client as a dictionary, which LangGraph does not convert to
    `server_info`.
    """
    if _client_models.get() is not None:
        return True
    try:
        return get_runtime().server_info is not None or "langgraph_auth_user" in get_config().get("configurable", {})
    except RuntimeError:
        return False


@dataclass(frozen=True)
class OperatorPolicy:
    """What the operator of a server allows its clients, and the limits on their runs.

    `origins`: for each allowed origin the variable with its key; empty for an origin without a key. `models`: models
    that the operator chose as defaults. `prices`: `None` for a look-up. `max_attempts`, `max_answer_tokens`: `None` for
    the bounds of the settings.
    """

    origins: Mapping[str, str]
    keys: Sequence[str]
    agents: Sequence[str]
    folders: Sequence[Path]
    models: Sequence[str]
    budget: Budget
    prices: Prices | None
    max_answer_tokens: int
    max_attempts: int | None

    @classmethod
    def from_environment(cls) -> Self:
        """Read the policy from the environment variables. Raises `InputError` for an unusable one."""
        models = [os.environ.get(name, "").strip() for name in ("MOOT_MODEL", "MOOT_EMBEDDINGS")]
        text = os.environ.get("MOOT_PRICES", "").strip()
        try:
            prices = Prices.model_validate_json(text) if text else None
        except ValidationError:
            remedy = 'give prices per million tokens: {"input": 0.25, "output": 2}'
            raise InputError("MOOT_PRICES", text, remedy) from None
        caps = {name: _read_limit(f"MOOT_MAX_{name.upper()}") for name in ("calls", "tokens", "cost")}
        attempts = _read_limit("MOOT_MAX_ATTEMPTS")
        return cls(
            origins=_map_allowed_origins(),
            keys=_read_list("MOOT_ALLOW_KEYS"),
            agents=_read_list("MOOT_ALLOW_AGENTS"),
            folders=[_resolve_path(folder) for folder in _read_list("MOOT_ALLOW_FOLDERS", os.pathsep)],
            models=[*filter(None, models), *([DEFAULT_OPENAI] if has_openai_key() else [])],
            budget=Budget.model_validate(caps | {"calls": caps["calls"] or 200}),
            prices=prices,
            max_answer_tokens=int(_read_limit("MOOT_MAX_ANSWER_TOKENS") or 16_000),
            max_attempts=None if attempts is None else int(attempts),
        )

    def check_caps(self, budget: Budget) -> None:
        """Check that no cap in a client's budget is above the operator's. Raises `InputError`."""
        for name, limit in self.budget.model_dump(exclude_none=True).items():
            requested_cap = getattr(budget, name)
            if requested_cap is not None and requested_cap > limit:
                remedy = f"give at most {limit:g}, the limit of this server"
                raise InputError(f"budget.{name}", requested_cap, remedy)

    def limit_settings(self, settings: R, participants: Sequence[Participant], calls: Sequence[Call] = ()) -> R:
        """Return the settings of a client, with higher limits lowered to the operator's.

        `calls`: calls so far, whose models need prices too. Raises `InputError` for a forbidden model, file or MCP
        server, and for a cap on cost without a price.
        """
        specs = {"model": settings.model, "embeddings": getattr(settings, "embeddings", "")}
        specs |= {f"models.{name}": spec for name, spec in settings.models.items()}
        for participant in [*participants, *getattr(settings, "participants", [])]:
            specs[f"model of {participant.name}"] = participant.model
        for key, spec in specs.items():
            self.check_spec(key, str(spec))
        if settings.mcp_servers:
            remedy = "this server does not let its clients name MCP servers; leave it out"
            raise InputError("mcp_servers", ", ".join(settings.mcp_servers), remedy)
        paths = [(key, str(path)) for key in PATH_SETTINGS if (path := getattr(settings, key, ""))]
        paths += [("sources", path) for path in getattr(settings, "sources", [])]
        transcript = getattr(getattr(settings, "logging", None), "transcript_logging", None)
        if transcript is not None and transcript.enabled:
            paths.append(("transcript_logging.path", transcript.path or "."))
        for key, path in paths:
            self.check_path(key, path)
        caps = {
            name: min(filter(None, (cap, getattr(settings.budget, name))), default=None)
            for name, cap in self.budget.model_dump().items()
        }
        choices = self._clamp_settings(settings.model_dump(), settings.unused_settings)
        settings = settings.with_choices(**choices | {"budget": Budget.model_validate(caps)})
        if self.budget.cost is None:
            return settings
        settings = settings.with_choices(prices=self.prices)  # a client's own would void the cap on cost
        return look_up_prices(settings, participants, [call.model for call in calls])

    def _clamp_settings(self, values: dict[str, Any], unused_settings: Collection[str], prefix: str = "") -> Any:
        """Return the settings `values` with sizes and attempts lowered to the policy's limits.

        `unused_settings`: settings without effect, which stay the same. `prefix`: dotted name of the group that
        `values` belong to.
        """
        clamped_values = dict(values)
        for key, value in values.items():
            if isinstance(value, dict):
                clamped_values[key] = self._clamp_settings(value, unused_settings, f"{prefix}{key}.")
            elif not isinstance(value, int) or f"{prefix}{key}" in unused_settings:
                continue
            elif ANSWER_SETTINGS.fullmatch(key):
                clamped_values[key] = min(value, self.max_answer_tokens)
            elif self.max_attempts is not None and ATTEMPT_SETTINGS.fullmatch(key):
                clamped_values[key] = min(value, self.max_attempts)
        return clamped_values

    def check_spec(self, key: str, spec: str) -> None:
        """Check that a client may use the address and the key of the model `spec`.

        Raises `InputError`, which names the setting `key`.
        """
        if spec in ("", REHEARSAL, LEXICAL) or self.is_offered(spec) or spec.startswith(("object:", AGENT_OBJECT)):
            return
        if spec.startswith((AGENT_PREFIX, A2A_PREFIX)):
            if split_agent_spec(spec)[0] not in self.agents:
                remedy = (
                    "this server does not let its clients use this agent; ask its operator to add it to "
                    "MOOT_ALLOW_AGENTS"
                )
                raise InputError(key, spec, remedy)
            return
        parsed_spec = parse_spec(spec)
        if parsed_spec.provider == "openai" and not is_openai_server(parsed_spec.url):
            entry = self._get_origin_entry(parsed_spec.url)
            remedy = (
                "this server does not let its clients use this address; ask its operator to add it to "
                "MOOT_ALLOW_ORIGINS"
            )
            if entry in self.origins:
                remedy = "this server does not send that key to this address; leave out # and the name after it"
            if entry not in self.origins or parsed_spec.key not in ("", self.origins[entry]):
                raise InputError(key, f"{parsed_spec.provider}:{parsed_spec.name}", remedy)
            return
        variable = OPENAI_KEY if parsed_spec.provider == "openai" else f"{parsed_spec.provider.upper()}_API_KEY"
        if parsed_spec.key not in ("", OPENAI_KEY) or variable not in self.keys:
            remedy = (
                f"this server does not let its clients use {variable}; ask its operator to add it to MOOT_ALLOW_KEYS"
            )
            raise InputError(key, spec, f"{remedy}, or leave the model out")

    def is_offered(self, spec: str) -> bool:
        """Return whether the operator chose this model for clients."""
        return spec in (*self.models, *(_client_models.get() or ()))

    def get_origin_key(self, url: str) -> str:
        """Return the environment variable with the key of the allowed origin of `url`; empty without a key."""
        return self.origins.get(self._get_origin_entry(url), "")

    def _get_origin_entry(self, url: str) -> str:
        """Return the policy's entry that allows `url`: its origin, or its host at any port."""
        origin = parse_origin(url)
        any_port = f"{origin.rpartition(':')[0]}:*"
        return any_port if origin not in self.origins and any_port in self.origins else origin

    def check_path(self, key: str, path: str) -> None:
        """Check that a path is in the allowed folders, without opening it. Raises `InputError`.

        `key`: setting that contains the path.
        """
        is_plain_path = not re.match(r"\s*\w+\s*=|file:", path) and "://" not in path and "\0" not in path
        if not is_plain_path or not any(_resolve_path(path).is_relative_to(folder) for folder in self.folders):
            remedy = (
                "this server does not let its clients read this folder; ask its operator to add it to "
                "MOOT_ALLOW_FOLDERS"
            )
            raise InputError(key, path, remedy)


@cache
def get_operator_policy() -> OperatorPolicy:
    """Return the policy of this process, read at its first use."""
    return OperatorPolicy.from_environment()


def get_server_key(spec: str) -> str:
    """Return the key for the server of an `openai:` model or an `a2a:` agent.

    In a client's run, a server of a model that the operator did not offer gets only OpenAI's key or the key of its
    allowed origin.
    """
    parsed_spec = parse_spec(spec)
    if not is_server_client() or get_operator_policy().is_offered(spec) or parsed_spec.provider == "a2a":
        return read_key(get_key_variable(parsed_spec.url, parsed_spec.key))
    is_openai = is_openai_server(parsed_spec.url)
    return read_key(OPENAI_KEY if is_openai else get_operator_policy().get_origin_key(parsed_spec.url))


async def apply_policy(settings: R, participants: Sequence[Participant] = (), calls: Sequence[Call] = ()) -> R:
    """Return the settings of the current step. For a server's client, apply the operator's policy to them.

    Raises `InputError` for a forbidden value.
    """
    if not is_server_client() or settings == Settings():
        return settings
    return await asyncio.to_thread(get_operator_policy().limit_settings, settings, participants, calls)


async def admit_settings(settings: R) -> R:
    """Return the settings of a new run under the operator's policy.

    Raises `InputError` for a forbidden value, or for a cap above the operator's.
    """
    if is_server_client():
        get_operator_policy().check_caps(settings.budget)
    return await apply_policy(settings)


def list_allowed_tools() -> list[str]:
    """Return the tools that the operator allows by `MOOT_ALLOW_TOOLS`."""
    return _read_list("MOOT_ALLOW_TOOLS")


def _map_allowed_origins() -> dict[str, str]:
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


def _resolve_path(path: str) -> Path:
    return Path(os.path.expanduser(path)).resolve()


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
