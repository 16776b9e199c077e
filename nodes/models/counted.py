"""A chat model of the OpenAI API whose answers are kept whatever their server says that they cost."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from json import JSONDecodeError
from typing import Any

import httpx
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI
from openai import AsyncOpenAI, AsyncStream, RequestOptions
from openai.types.chat import ChatCompletionChunk

from .usage import plausible

APART = {"extra_headers": "headers", "extra_query": "params", "extra_body": "extra_json", "timeout": "timeout"}
"""What is told the client about a request and is no part of its body, and what the client calls it."""
PATH = "/chat/completions"
PAUSE = 0.05
"""Seconds for which pieces of an answer are held to go on as one: each costs a part of a millisecond, however short."""


class Completions:
    """The client's completions; what is asked and what comes back goes as plain data, without the client's own reading
    of either: it goes through each field by the types of all that may be asked, which takes longer than a turn's other
    work, and warns of what is odd in an answer.
    """

    def __init__(self, client: AsyncOpenAI) -> None:
        self._client = client

    @property
    def with_raw_response(self) -> "WholeAnswers":
        """The same for answers that come whole."""
        return WholeAnswers(self._client)

    async def create(self, **payload: Any) -> Any:
        """Ask for an answer piece by piece, to be opened with `async with`."""
        body, options = _apart(payload)
        return _plainly(
            await self._client.post(
                PATH, body=body, options=options, cast_to=object, stream=True, stream_cls=AsyncStream[object]
            )
        )


class WholeAnswers:
    """The client's completions, for answers that come whole."""

    def __init__(self, client: AsyncOpenAI) -> None:
        self._client = client

    async def create(self, **payload: Any) -> "WholeAnswer":
        """Ask for an answer."""
        body, options = _apart(payload)
        return WholeAnswer(await self._client.post(PATH, body=body, options=options, cast_to=httpx.Response))


@dataclass(frozen=True)
class WholeAnswer:
    """What a server answered, and how."""

    http_response: httpx.Response

    def parse(self) -> Any:
        """The answer as plain data. Raises `JSONDecodeError` for one that claims to be such data and is not."""
        try:
            return self.http_response.json()
        except ValueError:
            if "json" in self.http_response.headers.get("content-type", ""):
                raise
            return self.http_response.text


def _apart(payload: dict[str, Any]) -> tuple[dict[str, Any], RequestOptions]:
    """What a request says, and how it is made."""
    body = {key: value for key, value in payload.items() if key not in APART}
    options: Any = {APART[key]: payload[key] for key in APART if payload.get(key) is not None}
    options["security"] = {"bearer_auth": True}  # the key of the spec alone, never that of the account's administrator
    return body, options


@asynccontextmanager
async def _plainly(answer: Any) -> AsyncIterator[AsyncIterator[dict[str, Any]]]:
    async with answer as pieces:
        yield (whole(piece) async for piece in joined(pieces))


def whole(piece: Any) -> dict[str, Any]:
    """A piece with all its fields, as the client builds it. Raises `JSONDecodeError` for one that is no object."""
    if not isinstance(piece, dict):
        raise JSONDecodeError("a piece is no object", str(piece)[:100], 0)
    return ChatCompletionChunk.model_construct(**piece).model_dump(warnings=False)


async def joined(pieces: AsyncIterator[Any]) -> AsyncIterator[Any]:
    """Pieces of an answer; those that bring nothing but text are joined while they come in quick succession."""
    clock, last = asyncio.get_running_loop().time, -PAUSE
    held: Any = None
    async for piece in pieces:
        text = text_alone(piece)
        if text and held:
            held["choices"][0]["delta"]["content"] += text
        elif text:
            held = piece
        elif held:
            yield held
            held = None
        if not text:
            yield piece
        elif clock() - last >= PAUSE:
            yield held
            held, last = None, clock()
    if held:
        yield held


def text_alone(piece: object) -> str:
    """The text of a piece that brings nothing else; empty, if it brings more, or none."""
    match piece:
        case {"choices": [{"index": 0, "delta": {"content": str(text), **more}, **about}], **rest}:
            others = [value for key, value in (more | about).items() if key != "role"]
            return "" if any(others) or rest.get("usage") else text
        case _:
            return ""


class CountedChatOpenAI(ChatOpenAI):
    """Leaves out figures of usage that cannot be right, over which the client library would lose the answer."""

    def _create_chat_result(self, response: Any, generation_info: dict[str, Any] | None = None) -> ChatResult:
        if isinstance(response, dict):
            response = response | {"usage": plausible(response.get("usage"))}
        result = super()._create_chat_result(response, generation_info)
        match response:
            case {"choices": [{"message": {"refusal": str(refused)}}, *_]}:
                result.generations[0].message.additional_kwargs["refusal"] = refused
        return result

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        checked = chunk | {"usage": plausible(chunk.get("usage"))}
        return super()._convert_chunk_to_generation_chunk(checked, default_chunk_class, base_generation_info)
