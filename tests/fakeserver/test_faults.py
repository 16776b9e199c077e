"""Refused requests and broken connections reach the clients as the failures they imitate."""

import asyncio

import openai
import pytest
from fakeserver import FakeServer, Fault, short_window, tokens
from fakeserver.client import chat
from langchain_core.exceptions import ModelError
from langchain_openai import ChatOpenAI
from langchain_openai.chat_models import base as failures

OVERFLOWS = ["openai", "vllm", "vllm-flat", "llama.cpp", "ollama"]
HTTP: dict[str, tuple[Fault, type[Exception], str | None, str]] = {
    "bad request": (Fault.status(400), failures.OpenAIInvalidRequestError, None, "not be understood"),
    "parameter": (
        Fault.unsupported("temperature"),
        failures.OpenAIInvalidRequestError,
        "unsupported_parameter",
        "Unsupported parameter: 'temperature'",
    ),
    "value": (
        Fault.unsupported("temperature", 0.7),
        failures.OpenAIInvalidRequestError,
        "unsupported_value",
        "'temperature' does not support 0.7",
    ),
    "policy": (Fault.policy(), failures.OpenAIInvalidRequestError, "content_filter", "content management policy"),
    "key": (Fault.status(401), failures.OpenAIAuthenticationError, "invalid_api_key", "provided: sk-planted"),
    "forbidden": (Fault.status(403), failures.OpenAIPermissionDeniedError, None, "not supported"),
    "model": (Fault.status(404), failures.OpenAIModelNotFoundError, "model_not_found", "`any` does not exist"),
    "rate": (Fault.status(429, retry_after=9), failures.OpenAIRateLimitError, "rate_limit_exceeded", "Rate limit"),
    "quota": (Fault.quota(), failures.OpenAIRateLimitError, "insufficient_quota", "current quota"),
    "server": (Fault.status(500), failures.OpenAIAPIError, None, "had an error"),
    "gateway": (Fault.status(502), failures.OpenAIAPIError, None, "502"),
    "overloaded": (Fault.status(503), failures.OpenAIAPIError, None, "overloaded"),
}


async def ask_model(model: ChatOpenAI, streaming: bool) -> str:
    if streaming:
        return "".join([part.text async for part in model.astream("Well?")])
    return (await model.ainvoke("Well?")).text


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("name", HTTP)
def test_a_refused_request_is_the_exception_of_its_status(name: str, streaming: bool) -> None:
    fault, kind, code, said = HTTP[name]
    with FakeServer(faults={1: fault}) as server, pytest.raises(kind, match=said) as failed:
        asyncio.run(ask_model(chat(server), streaming))
    assert isinstance(failed.value, openai.APIStatusError)
    assert code in (None, failed.value.code)
    assert isinstance(failed.value, ModelError)
    assert failed.value.is_retryable == (fault.http == 429 or fault.http >= 500)


def test_retry_after_is_in_the_headers_and_obeyed_by_the_client() -> None:
    with FakeServer(faults={1: Fault.status(429, retry_after=0.01)}) as server:
        assert chat(server, max_retries=1).invoke("Well?").text
        assert len(server.chats) == 2
        server.faults = {3: Fault.status(429, retry_after=70)}
        with pytest.raises(openai.RateLimitError) as failed:
            chat(server).invoke("Well?")
    assert failed.value.response.headers["retry-after"] == "70"


@pytest.mark.parametrize("wording", OVERFLOWS)
def test_a_prompt_over_the_window_is_refused_in_each_server_s_words(wording: str) -> None:
    with FakeServer(reply=short_window(lambda r: "Fits.", 10, wording)) as server:
        assert chat(server).invoke("x" * 40).text == "Fits."
        with pytest.raises(failures.OpenAIInvalidRequestError, match=r"context (length|size)") as failed:
            chat(server).invoke("x" * 41)
    assert (failed.value.code == "context_length_exceeded") == (wording == "openai")


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("fault", [Fault.drop(), Fault.cut_body(), Fault.cut_stream(after=3)])
def test_a_broken_connection_is_one_worth_trying_again(fault: Fault, streaming: bool) -> None:
    with FakeServer(faults={1: fault}) as server:
        with pytest.raises(failures.OpenAIConnectionError) as failed:
            asyncio.run(ask_model(chat(server), streaming))
        assert failed.value.is_retryable
        assert asyncio.run(ask_model(chat(server), streaming))


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("fault", [Fault.hang(), Fault.stall()])
def test_a_hanging_answer_is_a_timeout(fault: Fault, streaming: bool) -> None:
    with FakeServer(faults={1: fault}) as server, pytest.raises(failures.OpenAITimeoutError):
        asyncio.run(ask_model(chat(server, timeout=0.05), streaming))


@pytest.mark.parametrize(("after", "text"), [(0, ""), (3, "one two three")])
def test_a_cut_stream_arrives_up_to_the_cut(after: int, text: str) -> None:
    with FakeServer(faults={1: Fault.cut_stream(after, of="one two three four five")}) as server:
        parts: list[str] = []
        with pytest.raises(openai.APIConnectionError):
            parts.extend(part.text for part in chat(server).stream("Count."))
    assert "".join(parts) == text


def test_a_stream_that_ends_early_looks_whole_but_for_its_finish_reason() -> None:
    with FakeServer(faults={1: Fault.end_early(after=2, of="one two three")}) as server:
        parts = list(chat(server).stream("Count."))
        assert "".join(part.text for part in parts) == "one two"
        assert not any(part.response_metadata.get("finish_reason") for part in parts)
        assert any(part.response_metadata.get("finish_reason") for part in chat(server).stream("Count."))


def test_an_error_inside_a_stream_is_a_plain_api_error() -> None:
    with FakeServer(faults={1: Fault.stream_error(after=2)}) as server:
        with pytest.raises(openai.APIError, match="had an error") as failed:
            list(chat(server).stream("Count."))
        assert not isinstance(failed.value, ModelError | openai.APIStatusError)


def test_a_slow_answer_outlasts_a_timeout_that_counts_from_byte_to_byte() -> None:
    with FakeServer(faults={1: Fault.trickle(pause=0.005)}) as server:
        assert len(chat(server, timeout=0.5).invoke("Well?").text.split()) == 60


def test_a_fault_of_streams_in_an_answer_that_is_none_is_loud() -> None:
    server = FakeServer(faults={1: Fault.end_early()})
    with pytest.raises(AssertionError, match="fault_misplaced"), server, pytest.raises(openai.InternalServerError):
        chat(server).invoke("Well?")


def test_an_embedding_can_fail_too() -> None:
    faults = {1: Fault.status(503), 2: Fault.cut_body()}
    with FakeServer(embed_faults=faults) as server, openai.OpenAI(base_url=server.url, api_key="none") as client:
        once = client.with_options(max_retries=0)
        for kind in (openai.InternalServerError, openai.APIConnectionError):
            with pytest.raises(kind):
                once.embeddings.create(model="any", input="a word")
        assert once.embeddings.create(model="any", input="a word").usage.prompt_tokens == tokens("a word")
