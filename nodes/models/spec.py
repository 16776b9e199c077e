"""Model specs, and which is meant: `openai:<name>`, `openai:<name>@<base_url>`, `<provider>:<name>`, `rehearsal`."""

import os
import warnings
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

from ...state.refused import Refused
from ...state.rules import Rules
from .failures import Stopped

REHEARSAL = "rehearsal"
DEFAULT_OPENAI = "openai:gpt-5-mini"
CONNECT_SECONDS = 5.0
NO_KEY = "none"
"""What is sent to servers that want no key."""

UNASKED = (
    "no model was named and no key is set: the rehearsal speaks, which is no language model; "
    "name one with context={'model': 'openai:gpt-5-mini'} or MOOT_MODEL, or name 'rehearsal' to silence this"
)


@dataclass(frozen=True)
class Spec:
    """A model spec, taken apart."""

    provider: str
    name: str = ""
    base_url: str = ""


@lru_cache(maxsize=256)
def parse(spec: str) -> Spec:
    """Take a spec apart. A bare name is an OpenAI name; raises `Refused` for one that names nothing or holds a key."""
    text = spec.strip()
    if text == REHEARSAL:
        return Spec(REHEARSAL)
    name, _, url = text.partition("@http")
    provider, colon, rest = name.partition(":")
    if not colon:
        provider, rest = "openai", name
    if not provider or not rest.strip() or any(character.isspace() for character in text):
        raise Refused("model", spec, "write openai:<name>, openai:<name>@<base_url>, <provider>:<name> or rehearsal")
    if provider == "openai" and "@" in rest[1:]:
        raise Refused("model", spec, "a base URL begins with http:// or https://, as in openai:NAME@http://host/v1")
    if url and (urlsplit(f"http{url}").username is not None or "?" in url):
        raise Refused("model", name, "a base URL holds no key and no query; keys come from OPENAI_API_KEY alone")
    return Spec(provider, rest, f"http{url}" if url else "")


def check_key(key: str, spec: str) -> None:
    """Refuse a spec of OpenAI itself, given as the knob `key`, where this process has no key for it."""
    parts = parse(spec)
    if parts.provider == "openai" and not (parts.base_url or base_url() or has_key()):
        server = f"openai:{parts.name}@http://localhost:11434/v1"
        raise Refused(key, spec, f"needs a key: set OPENAI_API_KEY, or name a server of your own, such as {server}")


def spec_for(rules: Rules, who: str, own: str = "") -> str:
    """The spec of the model that speaks for a participant or role: by name, its own, the run's default."""
    return str(rules.models.get(who) or own or rules.model or REHEARSAL)


async def default_spec() -> str:
    """The model nobody chose: MOOT_MODEL, else a key's default, else a local server's first, else rehearsal."""
    if named := named_model():
        return named
    if has_key():
        return DEFAULT_OPENAI
    url = base_url()
    return f"openai:{await first_served(url)}@{url}" if url else REHEARSAL


async def found_spec() -> str:
    """The model nobody chose; when that is the rehearsal, the caller is told, since it is no model at all."""
    spec = await default_spec()
    if spec == REHEARSAL and not named_model():
        warnings.warn(UNASKED, UserWarning, stacklevel=2)
    return spec


UNSENT = ("temperature", "reasoning_allowance")
"""Knobs that are nothing but settings of a request, of which a chat model object keeps its own."""


def warn_of_unsent(given: Rules) -> None:
    """Warn of knobs that were given beside a chat model object for all, to which no settings are sent."""
    unsent = [key for key in UNSENT if key in given.model_fields_set]
    if unsent and not isinstance(given.model, str):
        told = f"{', '.join(unsent)}: not sent to {type(given.model).__name__}, which keeps its own; set it there"
        warnings.warn(told, UserWarning, stacklevel=2)


def named_model() -> str:
    """The model the environment names; empty: none."""
    return os.environ.get("MOOT_MODEL", "").strip()


def base_url() -> str:
    """The OpenAI-compatible server named by the environment; empty: OpenAI's own."""
    return os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_BASE") or ""


def has_key() -> bool:
    """Whether this process has a key for OpenAI."""
    return key() != NO_KEY


def key() -> str:
    """The key of this process, or a placeholder for servers that want none."""
    return os.environ.get("OPENAI_API_KEY", "").strip() or NO_KEY


async def first_served(url: str) -> str:
    """The first model a compatible server lists; `Stopped` when it cannot be reached or lists none."""
    return (await served(url))[0]


async def served(url: str) -> list[str]:
    """The models a compatible server lists; `Stopped` when it cannot be reached or lists none."""
    import httpx

    address = f"{url.rstrip('/')}/models"
    try:
        async with httpx.AsyncClient(timeout=CONNECT_SECONDS) as client:
            found = await client.get(address, headers={"Authorization": f"Bearer {key()}"})
            listed = found.raise_for_status().json()
    except (httpx.HTTPError, ValueError) as fault:
        raise Stopped(
            f"OPENAI_BASE_URL = {url}: {address} gave no list of models ({type(fault).__name__}); "
            "start the server, or name a model with --model"
        ) from None
    models = listed.get("data") if isinstance(listed, dict) else None
    names = [str(one["id"]) for one in models or [] if isinstance(one, dict) and one.get("id")]
    if not names:
        raise Stopped(f"OPENAI_BASE_URL = {url}: {address} lists no model; name one with --model")
    return names
