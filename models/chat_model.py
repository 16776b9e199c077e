"""Chat model for a model name (spec), with its HTTP client."""

import asyncio
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary

from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable
from pydantic import SecretStr

from ..state import InputError, Settings
from .agents import get_agent, get_context_object, is_agent_spec
from .answer_size_limit import ENCODING_HEADERS, limit_answer
from .api_keys import get_base_url, is_openai_server
from .http_clients import load_certificates, make_http_client
from .model_spec import CONNECT_SECONDS, EXAMPLE, PLANTED, REHEARSAL, check_key, parse_spec
from .operator_policy import get_operator_policy, get_server_key, is_server_client

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

ChatModel = Runnable[Any, AIMessage]
"""Chat model, plain or with settings bound to it."""

_models_by_loop: "WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, Any]]" = WeakKeyDictionary()


def check_spec(spec: str, *, needs_key: bool = True) -> None:
    """Check that a model name (spec) can be used. Raises `InputError`.

    Faults: an empty name, a provider without its package, a model without its key, or an unusable agent.
    """
    if is_agent_spec(spec):
        get_agent(spec, "")
        return
    parsed_spec = parse_spec(spec)
    if needs_key:
        check_key("model", spec)
    if parsed_spec.provider == PLANTED:
        from .rehearsal import get_world

        get_world(parsed_spec.name)
    elif parsed_spec.provider not in ("openai", REHEARSAL, EXAMPLE):
        _build_provider_model(spec)


def get_chat_model(spec: str, settings: Settings, speaker: str) -> ChatModel:
    """Return the chat model for `spec`, shared per endpoint and event loop, or the context's object.

    Raises `RunStoppedError` if the context lacks the object that an `object:` spec requires.
    """
    if spec.startswith("object:"):
        return cast(ChatModel, get_context_object(spec, speaker))
    if is_server_client():
        get_operator_policy().check_spec(f"model of {speaker}", spec)
    models = _models_by_loop.setdefault(asyncio.get_running_loop(), {})
    has_own_seed = parse_spec(spec).provider in (REHEARSAL, PLANTED)
    key = f"{spec}#{settings.seed}" if has_own_seed else f"{spec} {get_base_url()} {hash(get_server_key(spec))}"
    if key not in models:
        models[key] = _build_chat_model(spec, settings)
    return cast(ChatModel, models[key])


def _build_chat_model(spec: str, settings: Settings) -> "BaseChatModel":
    parsed_spec = parse_spec(spec)
    if parsed_spec.provider == REHEARSAL:
        from .rehearsal import RehearsalModel

        return RehearsalModel(seed=settings.seed or 0)
    if parsed_spec.provider == PLANTED:
        from .rehearsal import PlantedModel

        return PlantedModel(world=parsed_spec.name, seed=settings.seed or 0)
    if parsed_spec.provider == EXAMPLE:
        from .example import ExampleModel

        return ExampleModel(example=parsed_spec.name)
    if parsed_spec.provider != "openai":
        return _build_provider_model(spec)
    from .openai_client import Completions, CountedChatOpenAI

    client = _get_http_client()
    openai_model = CountedChatOpenAI(
        model=parsed_spec.name,
        base_url=parsed_spec.url,
        api_key=SecretStr(get_server_key(spec)),
        max_retries=0,
        stream_usage=True,
        timeout=client.timeout,
        stream_chunk_timeout=None,  # each attempt has its own limit; this one can swallow a cancellation
        http_client=_get_unused_client(),
        http_async_client=client,
    )
    if not parsed_spec.is_bridged:  # the bridge answers in the form of the client's own parser
        openai_model.async_client = Completions(openai_model.root_async_client)
    return openai_model


def _build_provider_model(spec: str) -> "BaseChatModel":
    if find_spec("langchain") is None:
        raise InputError("model", spec, 'other providers need the package langchain: pip install "moot[providers]"')
    from langchain.chat_models import init_chat_model  # type: ignore[import-not-found, unused-ignore]

    parsed_spec = parse_spec(spec)
    try:
        model = init_chat_model(parsed_spec.name, model_provider=parsed_spec.provider, max_retries=0)
    except (ImportError, ValueError) as error:
        raise InputError("model", spec, f"{error}; for an OpenAI name with a colon write openai:{spec}") from None
    overrides = {"stream_usage": True} if "stream_usage" in type(model).model_fields else {}
    return model.model_copy(update=overrides)  # type: ignore[no-any-return, unused-ignore]


def _get_http_client() -> Any:
    """Return this event loop's HTTP client for all endpoints, of the type that OpenAI's library expects.

    The client follows no redirect, because the request and the key are only for the named server. It limits the bytes
    of an answer.
    """
    from openai import DefaultAsyncHttpxClient, Timeout

    clients = _models_by_loop.setdefault(asyncio.get_running_loop(), {})
    if "http" not in clients:
        timeout = Timeout(600, connect=CONNECT_SECONDS)
        hooks: dict[str, list[Callable[..., Any]]] = {
            "request": [drop_account_headers_async],
            "response": [limit_answer],
        }
        clients["http"] = make_http_client(
            DefaultAsyncHttpxClient, timeout=timeout, event_hooks=hooks, headers=ENCODING_HEADERS
        )
    return clients["http"]


async def drop_account_headers_async(request: Any) -> None:
    """Remove OpenAI's account headers from a request, as the hook of an asynchronous HTTP client."""
    drop_account_headers(request)


def drop_account_headers(request: Any) -> None:
    """Remove OpenAI's organisation and project headers from a request to a server without OpenAI's key."""
    headers = [name for name in ("OpenAI-Organization", "OpenAI-Project") if name in request.headers]
    if headers and not is_openai_server(str(request.url).partition("?")[0]):
        for name in headers:
            del request.headers[name]


@cache
def _get_unused_client() -> Any:
    """Return the synchronous client that ChatOpenAI requires but never uses. All models share it."""
    from openai import DefaultHttpxClient

    return DefaultHttpxClient(verify=load_certificates())


async def close_models() -> None:
    """Drop the chat models of the running event loop and close their HTTP client.

    The next use makes new ones.
    """
    models = _models_by_loop.pop(asyncio.get_running_loop(), {})
    if "http" in models:
        await models["http"].aclose()
