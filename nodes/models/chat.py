"""From a model spec to the chat model behind it, and what its endpoint was seen to accept."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary

from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable
from langgraph.runtime import get_runtime
from pydantic import SecretStr

from ...state.refused import Refused
from ...state.rules import Rules
from .failures import Stopped
from .keys import base_url, is_own
from .operator_limits import check_spec_of_stranger, is_stranger, key_for
from .spec import CONNECT_SECONDS, REHEARSAL, Spec, check_key, default_spec, parse, spec_for
from .wire import PACKINGS, bound

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

__all__ = ["REHEARSAL", "Spec", "chat", "check_spec", "close_models", "default_spec", "manners", "parse", "spec_for"]

Chat = Runnable[Any, AIMessage]
"""A chat model, plain or with settings bound to it."""

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


def check_spec(spec: str) -> None:
    """Refuse a spec that names nothing, a provider whose package is missing, or OpenAI itself where there is no key."""
    parts = parse(spec)
    check_key("model", spec)
    if parts.provider not in ("openai", REHEARSAL) and find_spec("langchain") is None:
        raise Refused("model", spec, 'other providers need the package langchain: pip install "moot[providers]"')


def chat(spec: str, rules: Rules, who: str) -> Chat:
    """The chat model behind `spec`, one per endpoint and event loop. Objects come from the run's context."""
    if spec.startswith("object:"):
        return _given(spec, who)
    if is_stranger():
        check_spec_of_stranger(f"model of {who}", spec)
    models = _built.setdefault(asyncio.get_running_loop(), {})
    name = f"{spec}#{rules.seed}" if spec == REHEARSAL else f"{spec} {base_url()} {hash(key_for(spec))}"
    if name not in models:
        models[name] = _build(spec, rules)
    return cast(Chat, models[name])


def _given(spec: str, who: str) -> Chat:
    """The chat model object the caller passed in this run's context, for this role or for all."""
    context = get_runtime().context
    choices: list[object] = [context.models.get(who), context.model] if isinstance(context, Rules) else []
    for choice in choices:
        if callable(getattr(choice, "ainvoke", None)) and spec == f"object:{type(choice).__name__}":
            return cast(Chat, choice)
    raise Stopped(
        f"model of {who} = {spec}: this run was begun with a chat model object, which is not stored; "
        f"pass it again in the context, as model or models[{who!r}]"
    )


def _build(spec: str, rules: Rules) -> "BaseChatModel":
    parts = parse(spec)
    if parts.provider == REHEARSAL:
        from .rehearsal import Rehearsal

        return Rehearsal(seed=rules.seed or 0)
    return _openai(spec, parts) if parts.provider == "openai" else _other(spec, parts)


def _openai(spec: str, parts: Spec) -> "BaseChatModel":
    from .counted import Completions, CountedChatOpenAI

    client = _client()
    model = CountedChatOpenAI(
        model=parts.name,
        base_url=parts.url,
        api_key=SecretStr(key_for(spec)),
        max_retries=0,
        stream_usage=True,
        timeout=client.timeout,
        stream_chunk_timeout=None,  # each try has its own limit; this one can swallow a cancellation
        http_client=_unused_client(),
        http_async_client=client,
    )
    if not parts.bridged:  # what stands in for the client's requests there answers as the client's own reading does
        model.async_client = Completions(model.root_async_client)
    return model


def _client() -> Any:
    """The HTTP client of the running event loop, shared by all endpoints: the kind OpenAI's library is made for.

    It follows no redirect: what is asked and the key that goes with it are for the server that was named. It reads no
    more of an answer than a deliberation can use.
    """
    from openai import DefaultAsyncHttpxClient, Timeout

    clients = _built.setdefault(asyncio.get_running_loop(), {})
    if "http" not in clients:
        timeout = Timeout(600, connect=CONNECT_SECONDS)
        hooks: dict[str, list[Callable[..., Any]]] = {"request": [unnamed], "response": [bound]}
        clients["http"] = DefaultAsyncHttpxClient(
            timeout=timeout, verify=_certificates(), follow_redirects=False, event_hooks=hooks, headers=PACKINGS
        )
    return clients["http"]


async def unnamed(request: Any) -> None:
    """Tell no other server which organisation and project this process works for."""
    disown(request)


def disown(request: Any) -> None:
    """Take the organisation and the project off a request that does not go to their provider."""
    told = [name for name in ("OpenAI-Organization", "OpenAI-Project") if name in request.headers]
    if told and not is_own(str(request.url).partition("?")[0]):
        for name in told:
            del request.headers[name]


@cache
def _unused_client() -> Any:
    """ChatOpenAI wants a synchronous client too, and would read the certificates again for each."""
    from openai import DefaultHttpxClient

    return DefaultHttpxClient(verify=_certificates())


@cache
def _certificates() -> Any:
    import httpx

    return httpx.create_ssl_context()


def _other(spec: str, parts: Spec) -> "BaseChatModel":
    """Another provider's model, which is to say what a streamed answer cost, where it can be told to."""
    check_spec(spec)
    from langchain.chat_models import init_chat_model  # type: ignore[import-not-found, unused-ignore]

    try:
        model = init_chat_model(parts.name, model_provider=parts.provider, max_retries=0)
    except (ImportError, ValueError) as fault:
        raise Refused("model", spec, f"{fault}; for an OpenAI name with a colon write openai:{spec}") from None
    told = {"stream_usage": True} if "stream_usage" in type(model).model_fields else {}
    return model.model_copy(update=told)  # type: ignore[no-any-return, unused-ignore]


async def close_models() -> None:
    """Close the HTTP client of the running event loop; a new one is made when it is needed."""
    built = _built.pop(asyncio.get_running_loop(), {})
    if "http" in built:
        await built["http"].aclose()
