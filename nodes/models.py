"""From a model spec to a chat model: `openai:<name>`, `openai:<name>@<base_url>`, `rehearsal`, `<provider>:<name>`."""

import asyncio
import os
from dataclasses import dataclass, field
from typing import Any, cast
from weakref import WeakKeyDictionary

from langchain_core.language_models import BaseChatModel
from langgraph.runtime import get_runtime
from pydantic import SecretStr

from ..state.refusal import Refused
from ..state.rules import Rules
from .faults import Stopped

REHEARSAL = "rehearsal"
DEFAULT_OPENAI = "openai:gpt-5-mini"
CONNECT_SECONDS = 5.0

_built: "WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, Any]]" = WeakKeyDictionary()


@dataclass
class Manners:
    """What an endpoint was seen to accept; learnt as the process goes on."""

    refused: set[str] = field(default_factory=set)
    reasons: bool = False


_manners: dict[str, Manners] = {}


def manners(spec: str) -> Manners:
    """What is known of the endpoint behind `spec`."""
    return _manners.setdefault(spec, Manners())


@dataclass(frozen=True)
class Spec:
    """A model spec, taken apart."""

    provider: str
    name: str = ""
    base_url: str = ""


def parse(spec: str) -> Spec:
    """Take a spec apart. A bare name is an OpenAI name; raises `Refused` for one that names nothing."""
    text = spec.strip()
    if text == REHEARSAL:
        return Spec(REHEARSAL)
    name, _, url = text.partition("@http")
    provider, colon, rest = name.partition(":")
    if not colon:
        provider, rest = "openai", name
    if not rest.strip() or any(character.isspace() for character in text):
        raise Refused("model", spec, "write openai:<name>, openai:<name>@<base_url>, <provider>:<name> or rehearsal")
    return Spec(provider, rest, f"http{url}" if url else "")


def spec_for(rules: Rules, who: str, own: str = "") -> str:
    """The spec of the model that speaks for a participant or role: by name, its own, the run's default."""
    return str(rules.models.get(who) or own or rules.model or REHEARSAL)


async def default_spec() -> str:
    """The model nobody chose: MOOT_MODEL, else a key's default, else a local server's first, else rehearsal."""
    if named := os.environ.get("MOOT_MODEL", "").strip():
        return named
    if os.environ.get("OPENAI_API_KEY"):
        return DEFAULT_OPENAI
    url = os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_BASE")
    return f"openai:{await first_served(url)}@{url}" if url else REHEARSAL


async def first_served(url: str) -> str:
    """The first model a compatible server lists; `Stopped` when it cannot be reached or lists none."""
    import httpx

    address = f"{url.rstrip('/')}/models"
    try:
        async with httpx.AsyncClient(timeout=CONNECT_SECONDS) as client:
            answer = (
                (await client.get(address, headers={"Authorization": f"Bearer {_key()}"})).raise_for_status().json()
            )
    except (httpx.HTTPError, ValueError) as fault:
        raise Stopped(
            f"OPENAI_BASE_URL = {url}: {address} gave no list of models ({type(fault).__name__}); "
            "start the server, or name a model with --model"
        ) from None
    listed = answer.get("data") if isinstance(answer, dict) else None
    if not listed or not isinstance(listed[0], dict) or not listed[0].get("id"):
        raise Stopped(f"OPENAI_BASE_URL = {url}: {address} lists no model; name one with --model")
    return str(listed[0]["id"])


def chat(spec: str, rules: Rules, who: str) -> BaseChatModel:
    """The chat model behind `spec`, one per endpoint and event loop. Objects come from the run's context."""
    if spec.startswith("object:"):
        return _given(spec, who)
    models = _built.setdefault(asyncio.get_running_loop(), {})
    key = f"{spec}#{rules.seed}" if spec == REHEARSAL else spec
    if key not in models:
        models[key] = _build(spec, rules)
    return cast(BaseChatModel, models[key])


def _given(spec: str, who: str) -> BaseChatModel:
    """The chat model object the caller passed in this run's context, for this role or for all."""
    context = get_runtime().context
    choices: list[object] = [context.models.get(who), context.model] if isinstance(context, Rules) else []
    for choice in choices:
        if isinstance(choice, BaseChatModel) and spec == f"object:{type(choice).__name__}":
            return choice
    raise Stopped(
        f"model of {who} = {spec}: this run was begun with a chat model object, which is not stored; "
        f"pass it again in the context, as model or models[{who!r}]"
    )


def _build(spec: str, rules: Rules) -> BaseChatModel:
    parts = parse(spec)
    if parts.provider == REHEARSAL:
        from .rehearsal import Rehearsal

        return Rehearsal(seed=rules.seed or 0)
    return _openai(parts) if parts.provider == "openai" else _other(spec, parts)


def _openai(parts: Spec) -> BaseChatModel:
    import httpx
    from langchain_openai import ChatOpenAI

    seconds = httpx.Timeout(600, connect=CONNECT_SECONDS)
    url = parts.base_url or os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_BASE")
    return ChatOpenAI(
        model=parts.name,
        base_url=url,
        api_key=SecretStr(_key()),
        max_retries=0,
        stream_usage=True,
        timeout=seconds,
        http_async_client=_http(url or ""),
    )


def _http(url: str) -> Any:
    """One HTTP client per endpoint and event loop."""
    import httpx

    clients = _built.setdefault(asyncio.get_running_loop(), {})
    limits = httpx.Limits(max_connections=1000, max_keepalive_connections=200)
    client = clients.get(f"http {url}")
    if client is None:
        client = clients[f"http {url}"] = httpx.AsyncClient(limits=limits, timeout=httpx.Timeout(600, connect=5))
    return client


def _key() -> str:
    return os.environ.get("OPENAI_API_KEY") or "none"


def _other(spec: str, parts: Spec) -> BaseChatModel:
    try:
        from langchain.chat_models import init_chat_model  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise Refused(
            "model", spec, 'other providers need the package langchain: pip install "moot[providers]"'
        ) from None
    try:
        model = init_chat_model(parts.name, model_provider=parts.provider, max_retries=0)
    except (ImportError, ValueError) as fault:
        raise Refused("model", spec, f"{fault}; for an OpenAI name with a colon write openai:{spec}") from None
    return model  # type: ignore[no-any-return]


async def close_models() -> None:
    """Close the HTTP clients of the running event loop; new ones are made when they are needed."""
    import httpx

    for built in _built.pop(asyncio.get_running_loop(), {}).values():
        if isinstance(built, httpx.AsyncClient):
            await built.aclose()
