"""ChatOpenAI on a model server of the test, without the 40 ms that its certificates would cost each time."""

from functools import cache
from typing import Any

from langchain_openai import ChatOpenAI
from openai import DefaultAsyncHttpxClient, DefaultHttpxClient

from fakeserver.server import FakeServer


@cache
def clients() -> dict[str, Any]:
    """HTTP clients without TLS, for all tests; they keep no connection, since the server closes each."""
    return {"http_client": DefaultHttpxClient(verify=False), "http_async_client": DefaultAsyncHttpxClient(verify=False)}


def chat(server: FakeServer, **settings: Any) -> ChatOpenAI:
    """A chat model that asks `server` and never tries twice; `knobs` are ChatOpenAI's."""
    given = {"base_url": server.url, "api_key": "sk-planted", "model": "any", "max_retries": 0, **clients(), **settings}
    return ChatOpenAI(**given)
