"""The pieces of a streamed answer: what comes in quick succession goes on as one, and nothing is lost or moved."""

import asyncio
import json
import math
from collections.abc import AsyncIterator
from copy import deepcopy
from json import JSONDecodeError
from typing import Any

import pytest
from command import moot
from fakeserver import FakeServer, Fault, Reply
from fakeserver.client import chat
from httpx import RemoteProtocolError
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from moot.models import openai_client
from moot.models.chat_model import close_models, get_chat_model as ours
from moot.models.error_classification import find_call_failure
from moot.nodes.ask.request import get_refusal
from moot.state.settings import Settings


def piece(text: Any, usage: Any = None, finish: Any = None, **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"content": text, **more}, "finish_reason": finish}
    return {"choices": [choice], "usage": usage}


ODD = [
    piece("", role="assistant"),
    piece("a", tool_calls=[{"index": 0}]),
    piece("b", finish="stop"),
    piece("c", usage={"prompt_tokens": 1}),
    piece(None, reasoning_content="hm"),
    {"choices": []},
    {"choices": [{"index": 1, "delta": {"content": "second"}}]},
    ["no object"],
]
"""Pieces that bring more than text, or none."""


def joined(pieces: list[Any], monkeypatch: pytest.MonkeyPatch, pause: float) -> list[Any]:
    async def arriving() -> AsyncIterator[Any]:
        for one in deepcopy(pieces):
            yield one

    async def collected() -> list[Any]:
        return [join_piece async for join_piece in openai_client.join_chunks(arriving())]

    monkeypatch.setattr(openai_client, "JOIN_SECONDS", pause)
    return asyncio.run(collected())


def test_pieces_of_text_that_come_in_quick_succession_go_on_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = [piece(letter) for letter in "abcde"]
    assert joined(pieces, monkeypatch, math.inf) == [piece("a"), piece("bcde")]
    assert joined(pieces, monkeypatch, 0) == pieces


@pytest.mark.parametrize("odd", ODD, ids=str)
def test_a_piece_that_brings_more_than_text_goes_on_as_it_came_and_in_its_place(
    odd: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = [piece("a"), piece("b"), piece("c"), odd, piece("d"), piece("e")]
    assert joined(said, monkeypatch, math.inf) == [piece("a"), piece("bc"), odd, piece("de")]


def count_tokens(number: int) -> dict[str, int]:
    return {"prompt_tokens": 10, "completion_tokens": number, "total_tokens": 10 + number}


def index(number: int, one: dict[str, Any]) -> dict[str, Any]:
    return {"choices": [one["choices"][0] | {"index": number}], "usage": None}


WORDS = [piece("She "), piece("sells "), piece("shells.")]
STREAMS = {
    "counts in the middle": [*WORDS[:2], {"choices": [], "usage": count_tokens(3)}, WORDS[2]],
    "counts with every piece": [one | {"usage": count_tokens(number)} for number, one in enumerate(WORDS, 1)],
    "an answer numbered otherwise": [*[index(1, one) for one in WORDS], {"choices": [], "usage": count_tokens(3)}],
    "two answers in turn": [
        *[index(number, one) for one in WORDS for number in (0, 1)],
        {"choices": [], "usage": count_tokens(3)},
    ],
    "an answer sent twice": [*WORDS, piece("", finish="stop"), *WORDS, piece("", finish="stop", usage=count_tokens(3))],
    "a role with every piece": [
        *[piece(text, role="assistant") for text in ("She ", "sells ", "shells.")],
        piece("", finish="stop", role="assistant", usage=count_tokens(3)),
    ],
    "an id for each piece": [one | {"id": str(number)} for number, one in enumerate(WORDS)]
    + [piece("", finish="stop", usage=count_tokens(3))],
    "a role at the end": [*WORDS, piece("", finish="stop", role="assistant", usage=count_tokens(3))],
}


def take_streamed_answer(pieces: list[dict[str, Any]]) -> AIMessage:
    body = "".join(f": here\n\ndata: {json.dumps(one)}\n\n" for one in pieces) + "data: [DONE]\n\n" * 2
    streamed = Fault("instead", instead=lambda _: body, headers={"content-type": "text/event-stream"})

    async def ask(server: FakeServer) -> AIMessage:
        message = await ours(f"openai:any@{server.url}", Settings(), "Ada").ainvoke([HumanMessage("?")], stream=True)
        await close_models()
        return message

    with FakeServer(faults={1: streamed}) as server:
        return asyncio.run(ask(server))


@pytest.mark.parametrize("pieces", STREAMS.values(), ids=STREAMS)
def test_an_answer_is_taken_once_and_its_tokens_are_counted_once(pieces: list[dict[str, Any]]) -> None:
    message = take_streamed_answer(pieces)
    assert message.text == "She sells shells."
    assert message.usage_metadata is not None
    assert [message.usage_metadata[key] for key in ("input_tokens", "output_tokens")] == [10, 3]


def with_role_and_id(piece_id: str, *pieces: dict[str, Any]) -> list[dict[str, Any]]:
    """The pieces as Ollama sends them: each with its role and with the id of its answer."""
    return [piece(one["choices"][0]["delta"]["content"], role="assistant") | {"id": piece_id} for one in pieces]


BEGUN_ANEW = {
    "its role again": [piece("", role="assistant"), *WORDS[:2], piece("", role="assistant"), *WORDS],
    "another id": [*with_role_and_id("a", *WORDS[:2]), *with_role_and_id("b", *WORDS)],
}


@pytest.mark.parametrize("pieces", BEGUN_ANEW.values(), ids=BEGUN_ANEW)
def test_an_answer_that_begins_anew_midway_is_broken_off(pieces: list[dict[str, Any]]) -> None:
    with pytest.raises(RemoteProtocolError) as raised:
        take_streamed_answer(pieces)
    fault = find_call_failure(raised.value, has_succeeded=True)
    assert fault is not None
    assert (fault.kind, fault.message) == ("connection", "the answer began again midway")


def test_a_piece_that_is_no_object_is_the_server_s_fault() -> None:
    with pytest.raises(JSONDecodeError) as raised:
        openai_client.complete_chunk(["no object"])
    fault = find_call_failure(raised.value, has_succeeded=True)
    assert fault is not None
    assert fault.kind == "malformed"


NONSENSE = {
    "digits": '{"choices":' + "9" * 5000 + "}",
    "a tower": "[" * 100_000,
    "deep": f'{{"choices":{"[" * 990}{"]" * 990}}}',
}


@pytest.mark.long
@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("nonsense", NONSENSE.values(), ids=NONSENSE)
def test_an_answer_that_no_parser_takes_is_the_server_s_fault_and_on_record(nonsense: str, streaming: bool) -> None:
    headers = {"content-type": "text/event-stream"} if streaming else {}
    body = f"data: {nonsense}\n\n" if streaming else nonsense
    with FakeServer() as server:
        server.faults = {3: Fault("instead", instead=lambda _: body, headers=headers)}
        result = moot("debate", "Tea?", "--model", f"openai:any@{server.url}", "--max-turns", "4", "--json")
    assert result.exit_code == 0, result.stderr
    assert [call["outcome"] for call in json.loads(result.stdout)["calls"]].count("malformed") == 1


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("reply", [Reply("Said."), Reply(refusal="I'd rather not.")], ids=["text", "refusal"])
def test_a_request_and_its_answer_are_those_of_the_client_s_own_reading(
    reply: Reply, streaming: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client's own reading of both is left out; on the wire and in the message nothing differs."""
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "sk-admin-planted")
    settings: dict[str, Any] = {"temperature": 0.3, "max_tokens": 50, "stream": streaming, "extra_body": {"top_k": 5}}

    async def send_requests(server: FakeServer) -> list[Any]:
        models = [chat(server, stream_usage=True), ours(f"openai:any@{server.url}", Settings(), "Ada")]
        told = [SystemMessage("A debate."), HumanMessage("Speak.")]
        states = [await model.ainvoke(told, **settings) for model in models]
        await close_models()
        return states

    with FakeServer(reply=lambda _: reply) as server:
        theirs, own = asyncio.run(send_requests(server))
        first, second = server.chats
    assert second.body == first.body
    assert second.headers["authorization"] == "Bearer none"
    assert {key for key in second.headers if "admin" in str(second.headers[key])} == set()
    assert read(own) == read(theirs)


def read(message: AIMessage) -> tuple[object, ...]:
    """What Moot takes from a message."""
    usage = message.usage_metadata or {"input_tokens": -1, "output_tokens": -1}
    finish = message.response_metadata["finish_reason"]
    return message.text, get_refusal(message), finish, usage["input_tokens"], usage["output_tokens"]
