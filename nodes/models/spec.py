"""Model specs, and which is meant: `openai:<name>`, `openai:<name>@<base_url>`, `<provider>:<name>`, `rehearsal`.

`openai:<name>@<base_url>#<VARIABLE>` names the environment variable that holds that server's key.
"""

import os
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from ...state.refused import Refused
from ...state.rules import Rules
from .failures import Stopped
from .keys import ADDRESS, OPENAI_KEY, base_url, check_variable, key_in, variable_for

REHEARSAL = "rehearsal"
BRIDGED = "inspect"
"""The model of an evaluation by inspect_ai; `inspect/<its name of another>`: that one."""
DEFAULT_OPENAI = "openai:gpt-5-mini"
CONNECT_SECONDS = 5.0
OPENAI_URL = "https://api.openai.com/v1"

UNASKED = (
    "no model was named and no key is set: the rehearsal speaks, which is no language model; "
    "name one with context={'model': 'openai:gpt-5-mini'} or MOOT_MODEL, or name 'rehearsal' to silence this"
)


@dataclass(frozen=True)
class Spec:
    """A model spec, taken apart. `key`: the variable it names for its server's key."""

    provider: str
    name: str = ""
    base_url: str = ""
    key: str = ""

    @property
    def url(self) -> str:
        """The address of its OpenAI-compatible server."""
        return self.base_url or base_url() or OPENAI_URL

    @property
    def bridged(self) -> bool:
        """Whether inspect_ai answers, where a run is an agent of its own: it needs no key, streams nothing, and takes
        no schema."""
        return self.provider == "openai" and not self.base_url and self.name.partition("/")[0] == BRIDGED


@lru_cache(maxsize=256)
def parse(spec: str) -> Spec:
    """Take a spec apart. A bare name is an OpenAI name; raises `Refused` for one that names nothing or holds a key."""
    text = spec.strip()
    if text == REHEARSAL:
        return Spec(REHEARSAL)
    name, _, rest_of_url = text.partition("@http")
    provider, colon, rest = name.partition(":")
    if not colon:
        provider, rest = "openai", name
    if not provider or not rest.strip() or any(character.isspace() for character in text):
        raise Refused("model", spec, "write openai:<name>, openai:<name>@<base_url>, <provider>:<name> or rehearsal")
    if provider == "openai" and "@" in rest[1:]:
        raise Refused("model", spec, "a base URL begins with http:// or https://, as in openai:NAME@http://host/v1")
    return _at(Spec(provider, rest), name, f"http{rest_of_url}") if rest_of_url else Spec(provider, rest)


def _at(parts: Spec, shown: str, address: str) -> Spec:
    """A spec with its address, which may hold a key by mistake: only what stands before it is `shown`."""
    url, marked, variable = address.partition("#")
    if not ADDRESS.fullmatch(url):
        remedy = "a base URL holds no key and no query; a key is named by its variable, as in …/v1#NAME_API_KEY"
        raise Refused("model", shown, f"write openai:<name>@http://host/v1; {remedy}")
    if parts.provider != "openai":
        remedy = f"only openai: takes an address; write openai:{parts.name}@{url} if that server is compatible"
        raise Refused("model", shown, f"{remedy}, or leave it out")
    if marked:
        check_variable(shown, url, variable)
    return Spec(parts.provider, parts.name, url, variable)


def check_key(key: str, spec: str) -> None:
    """Refuse a spec, given as the knob `key`, of a server that wants a key this process does not have."""
    parts = parse(spec)
    if parts.key and not os.environ.get(parts.key, "").strip():
        raise Refused(key, spec, f"needs a key: set {parts.key}")
    if parts.provider == "openai" and not (parts.base_url or base_url() or has_key() or parts.bridged):
        server = f"openai:{parts.name}@http://localhost:11434/v1"
        raise Refused(key, spec, f"needs a key: set OPENAI_API_KEY, or name a server of your own, such as {server}")


def spec_for(rules: Rules, who: str, own: str = "") -> str:
    """The spec of the model that speaks for a participant or role: by name, its own, the run's default."""
    return str(rules.models.get(who) or own or rules.model or REHEARSAL)


def configured_model() -> str:
    """The model nobody chose, as far as no server has to be asked: MOOT_MODEL, else a key's default; empty: neither."""
    return named_model() or (DEFAULT_OPENAI if has_key() else "")


async def default_spec() -> str:
    """The model nobody chose: MOOT_MODEL, else a key's default, else a local server's first, else rehearsal."""
    if configured := configured_model():
        return configured
    url = base_url()
    return f"openai:{await first_served(url)}@{url}" if url else REHEARSAL


async def found_spec(seated: Iterable[str] = ()) -> str:
    """The model nobody chose; when that is the rehearsal, the caller is told, since it is no model at all.

    `seated`: the models of participants, of which the first speaks for the others too before a rehearsal does.
    """
    spec = await default_spec()
    if spec == REHEARSAL and not named_model():
        if own := first_model(seated):
            return own
        warnings.warn(UNASKED, UserWarning, stacklevel=2)
    return spec


def first_model(seated: Iterable[str]) -> str:
    """The first of these specs that names a model; empty: none does."""
    return next((spec for spec in seated if spec not in ("", REHEARSAL)), "")


UNSENT = ("temperature", "reasoning_allowance")
"""Knobs that are nothing but settings of a request, of which a chat model object keeps its own."""


def warn_of_unsent(given: Rules) -> None:
    """Warn once of all knobs that were given beside a chat model object for all, and cannot act there.

    No settings are sent to it, those of single participants neither, and whether it streams is its own affair, so that
    its first token has no limit apart from that of a whole answer.
    """
    unsent = [key for key in UNSENT if key in given.model_fields_set]
    if any("temperature" in one.model_fields_set for one in getattr(given, "participants", []) if not one.model):
        unsent.append("participants.temperature")
    if "timeouts" in given.model_fields_set and "first_token" in given.timeouts.model_fields_set:
        unsent.append("timeouts.first_token")
    if unsent and not isinstance(given.model, str):
        told = f"{', '.join(unsent)}: no effect on {type(given.model).__name__}, which keeps its own; set it there"
        warnings.warn(told, UserWarning, stacklevel=2)


def named_model() -> str:
    """The model the environment names; empty: none."""
    return os.environ.get("MOOT_MODEL", "").strip()


def has_key() -> bool:
    """Whether this process has a key for OpenAI."""
    return bool(os.environ.get(OPENAI_KEY, "").strip())


async def first_served(url: str) -> str:
    """The first model a compatible server lists; `Stopped` when it cannot be reached or lists none."""
    return (await served(url))[0]


async def served(url: str) -> list[str]:
    """The models a compatible server lists; `Stopped` when it cannot be reached or lists none."""
    import httpx

    from .wire import PACKINGS, bound_many

    address = f"{url.rstrip('/')}/models"
    try:
        hooks = {"response": [bound_many]}
        async with httpx.AsyncClient(timeout=CONNECT_SECONDS, headers=PACKINGS, event_hooks=hooks) as client:
            found = await client.get(address, headers={"Authorization": f"Bearer {key_in(variable_for(url))}"})
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
