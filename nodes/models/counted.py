"""A chat model of the OpenAI API whose answers are kept whatever their server says that they cost."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from json import JSONDecodeError
from typing import Any

from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI
from openai import AsyncStream
from openai.types.chat import ChatCompletionChunk
from pydantic import BaseModel

from .usage import plausible

PAUSE = 0.05
"""Seconds for which pieces of an answer are held to go on as one: each costs a part of a millisecond, however short."""


class Completions:
    """The client's completions; the pieces of a stream come as plain data, without a warning of what is odd in them."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def create(self, **payload: Any) -> Any:
        """Ask; a stream is to be opened with `async with`."""
        if not payload.get("stream"):
            return await self._inner.create(**payload)
        answer = await self._inner.with_raw_response.create(**payload)
        return _plainly(answer.parse(to=AsyncStream[object]))


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
        if isinstance(response, BaseModel) and hasattr(response, "usage"):
            said = response.model_dump(include={"usage"}, warnings=False)["usage"]
            response = response.model_copy(update={"usage": plausible(said)})
        return super()._create_chat_result(response, generation_info)

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        checked = chunk | {"usage": plausible(chunk.get("usage"))}
        return super()._convert_chunk_to_generation_chunk(checked, default_chunk_class, base_generation_info)
