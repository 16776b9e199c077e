"""Names of models (specs), which say provider, address and key.

They are `openai:<name>`, `openai:<name>@<base_url>`, `<provider>:<name>` and `rehearsal`.
`openai:<name>@<base_url>#<VARIABLE>` adds the environment variable with that server's key. `a2a:<url>#<VARIABLE>` is an
agent of another program.
"""

import os
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ..state import A2A_PREFIX, AGENT_PREFIX, BASE_URL, InputError, split_agent_spec
from .api_keys import OPENAI_KEY, check_key_variable, get_base_url, get_key_variable, read_key

if TYPE_CHECKING:
    from ..state import Settings

REHEARSAL = "rehearsal"
EXAMPLE = "example"
"""Provider of the recorded examples, as in `example:debate`."""
PLANTED = "planted"
"""Provider of answers with planted chances, as in `planted:gain`."""
BRIDGE_MODEL = "inspect"
"""Name of the model under evaluation by inspect_ai. The name `inspect/<name>` means another model there."""
DEFAULT_OPENAI = "openai:gpt-5-mini"
CONNECT_SECONDS = 5.0
OPENAI_URL = "https://api.openai.com/v1"


@dataclass(frozen=True)
class ModelSpec:
    """Parsed model spec.

    `key`: name of the environment variable with the server's API key; empty if the spec names none.
    """

    provider: str
    name: str = ""
    base_url: str = ""
    key: str = ""

    @property
    def url(self) -> str:
        """Return the address of the OpenAI-compatible server, or of another program's agent."""
        return self.base_url or get_base_url() or OPENAI_URL

    @property
    def is_bridged(self) -> bool:
        """Return whether inspect_ai answers the calls, without key, streaming and schema."""
        return self.provider == "openai" and not self.base_url and self.name.partition("/")[0] == BRIDGE_MODEL


@lru_cache(maxsize=256)
def parse_spec(spec: str) -> ModelSpec:
    """Parse a model name (spec). A name without a provider is OpenAI's.

    Raises `InputError` for an empty name, and for a name that contains a key.
    """
    text = spec.strip()
    if text == REHEARSAL:
        return ModelSpec(REHEARSAL)
    if text.startswith(A2A_PREFIX):
        url, separator, variable = text.removeprefix(A2A_PREFIX).partition("#")
        if not BASE_URL.fullmatch(url):
            remedy = (
                "the address must have no key and no query; name the variable with the key, as in …/path#NAME_API_KEY"
            )
            raise InputError("model", A2A_PREFIX, f"write a2a:https://host/path; {remedy}")
        if separator:
            check_key_variable(A2A_PREFIX + url, url, variable)
        return ModelSpec("a2a", url, url, variable)
    name, _, url_rest = text.partition("@http")
    provider, colon, model_name = name.partition(":")
    if not colon:
        provider, model_name = "openai", name
    if not provider or not model_name.strip() or any(character.isspace() for character in text):
        raise InputError("model", spec, "write openai:<name>, openai:<name>@<base_url>, <provider>:<name> or rehearsal")
    if provider == "openai" and "@" in model_name[1:]:
        raise InputError(
            "model", spec, "a base URL must begin with http:// or https://, as in openai:NAME@http://host/v1"
        )
    if not url_rest or spec.startswith(AGENT_PREFIX):
        return ModelSpec(provider, model_name)
    # The address may contain a key by mistake, so errors show only the name.
    url, separator, variable = f"http{url_rest}".partition("#")
    if not BASE_URL.fullmatch(url):
        remedy = "a base URL must have no key and no query; name the variable with the key, as in …/v1#NAME_API_KEY"
        raise InputError("model", name, f"write openai:<name>@http://host/v1; {remedy}")
    if provider != "openai":
        remedy = f"only openai: has an address; if that server is OpenAI-compatible, write openai:{model_name}@{url}"
        raise InputError("model", name, f"{remedy}, or leave the address out")
    if separator:
        check_key_variable(name, url, variable)
    return ModelSpec(provider, model_name, url, variable)


def check_key(key: str, spec: str) -> None:
    """Check that this process has the key for the server of the model `spec`.

    `key`: setting that the error names. Raises `InputError`.
    """
    parsed_spec = parse_spec(spec)
    if parsed_spec.key and not os.environ.get(parsed_spec.key, "").strip():
        raise InputError(key, spec, f"needs a key: set {parsed_spec.key}")
    is_openai = parsed_spec.provider == "openai"
    read_key(get_key_variable(parsed_spec.url, parsed_spec.key) if is_openai else parsed_spec.key)
    if is_openai and not (parsed_spec.base_url or get_base_url() or has_openai_key() or parsed_spec.is_bridged):
        server = f"openai:{parsed_spec.name}@http://localhost:11434/v1"
        raise InputError(key, spec, f"needs a key: set OPENAI_API_KEY, or name your own server, such as {server}")


def is_offline(spec: str) -> bool:
    """Return whether `spec` makes no requests: a rehearsal, a recorded example or planted answers."""
    return spec == REHEARSAL or spec.startswith((f"{EXAMPLE}:", f"{PLANTED}:"))


def choose_spec(settings: "Settings", name: str, own_spec: str = "") -> str:
    """Return the model of a participant or role.

    It is the first of: the model set for `name`, `own_spec`, the run's model, the rehearsal.
    """
    return str(settings.models.get(name) or own_spec or settings.model or REHEARSAL)


def get_configured_model() -> str:
    """Return the default model that the environment configures; empty without one. No request is sent.

    It is `MOOT_MODEL` or, if there is a key for OpenAI, OpenAI's default model.
    """
    return get_environment_model() or (DEFAULT_OPENAI if has_openai_key() else "")


def pick_first_model(specs: Iterable[str]) -> str:
    """Return the first of `specs` that is neither empty nor the rehearsal, or an empty text."""
    return next((spec for spec in specs if spec not in ("", REHEARSAL)), "")


def warn_of_unsent_settings(settings: "Settings") -> None:
    """Warn once of all settings that have no effect on a chat model object.

    Requests to an object carry no parameters, not even those of a participant. The object itself decides whether to
    stream. So its first token has the time limit of a complete answer.
    """
    unsent_settings: list[str] = [
        key for key in ("temperature", "reasoning_tokens") if key in settings.model_fields_set
    ]
    if any(
        "temperature" in participant.model_fields_set
        for participant in getattr(settings, "participants", [])
        if not participant.model
    ):
        unsent_settings.append("participants.temperature")
    if "timeouts" in settings.model_fields_set and "first_token" in settings.timeouts.model_fields_set:
        unsent_settings.append("timeouts.first_token")
    if unsent_settings and not isinstance(settings.model, str):
        message = (
            f"{', '.join(unsent_settings)}: no effect on {type(settings.model).__name__}, because "
            "a model object keeps its own values; set them there"
        )
        warnings.warn(message, UserWarning, stacklevel=2)


def get_environment_model() -> str:
    """Return the model named by `MOOT_MODEL`, or an empty text."""
    return os.environ.get("MOOT_MODEL", "").strip()


def has_openai_key() -> bool:
    """Return whether this process has a key for OpenAI."""
    return bool(os.environ.get(OPENAI_KEY, "").strip())


def get_server_name(spec: str) -> str:
    """Return the host and port of a model's server, or the provider if its client chooses the server.

    For an `object:` spec, return the spec.
    """
    if spec.startswith("object:"):
        return spec
    parsed_spec = parse_spec(spec)
    address = parsed_spec.url if has_address(spec) else split_agent_spec(spec)[1]
    return urlsplit(address).netloc or parsed_spec.provider


def has_address(spec: str) -> bool:
    """Return whether the address of a model's server is known.

    It is known for `openai:` and `a2a:` models, except those that inspect_ai answers.
    """
    return (
        not spec.startswith("object:")
        and parse_spec(spec).provider in ("openai", "a2a")
        and not parse_spec(spec).is_bridged
    )
