"""A chat model of the OpenAI API whose answers are kept whatever their server says that they cost."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

from .usage import plausible


class Completions:
    """The client's completions; the pieces of a stream come as plain data, without a warning of what is odd in them."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def create(self, **payload: Any) -> Any:
        """Ask; a stream is to be opened with `async with`."""
        answer = await self._inner.create(**payload)
        return _plainly(answer) if payload.get("stream") else answer


@asynccontextmanager
async def _plainly(answer: Any) -> AsyncIterator[AsyncIterator[dict[str, Any]]]:
    async with answer as pieces:
        yield (piece.model_dump(warnings=False) async for piece in pieces)


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
