"""Offline chat model: one deterministic reply, whole or word by word, with an approximate token count."""

import json
import re
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field

from .reply import RehearsalReply, build_reply

_PIECE = re.compile(r"\s*(?:[\u3400-\u9fff，。？！；：、“”（）]{1,4}|[^\s\u3400-\u9fff，。？！；：、“”（）]+)\s*")


class Rehearsal(BaseChatModel):
    """Offline model for any deliberation, to try a set-up, see its flow and estimate its price.

    A reply depends only on `seed` (the call's own, if it has one), the prompt and the purpose of the call.
    Speaker, purpose and language come from the setting `asked` or the call's metadata (`speaker`,
    `purpose`, `language`), else from the prompt. When its words are streamed to a listener, the client
    library withholds the metadata.
    """

    seed: int = Field(default=0, description="Seed of every draw.")

    @property
    def _llm_type(self) -> str:
        return "rehearsal"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model_name": "rehearsal", "seed": self.seed}

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Bind tools. They are called only if a choice demands it ("any", "required", or a tool's name)."""
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], tool_choice=tool_choice, **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return _make_result(self._build_answer(messages, stop, run_manager, kwargs))

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return _make_result(self._build_answer(messages, stop, run_manager, kwargs))

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        yield from _split_chunks(self._build_answer(messages, stop, run_manager, kwargs))

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in _split_chunks(self._build_answer(messages, stop, run_manager, kwargs)):
            yield chunk

    def _build_answer(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None,
        run_manager: CallbackManagerForLLMRun | AsyncCallbackManagerForLLMRun | None,
        settings: dict[str, Any],
    ) -> RehearsalReply:
        metadata = (run_manager.metadata if run_manager else None) or {}
        seed = int(settings.get("seed", self.seed))
        reply = build_reply(seed, messages, {**metadata, **settings.get("asked", {})}, settings)
        positions = [reply.text.find(mark) for mark in stop or [] if mark and mark in reply.text]
        return replace(reply, text=reply.text[: min(positions)]) if positions else reply


def _make_result(reply: RehearsalReply) -> ChatResult:
    message = AIMessage(
        content=reply.text,
        tool_calls=reply.tool_calls,
        usage_metadata=reply.usage,
        response_metadata=reply.metadata,
    )
    return ChatResult(generations=[ChatGeneration(message=message)])


def _split_chunks(reply: RehearsalReply) -> Iterator[ChatGenerationChunk]:
    """Yield the reply word by word, Chinese text by a few characters; the token counts come last."""
    for piece in _PIECE.findall(reply.text):
        yield ChatGenerationChunk(message=AIMessageChunk(content=piece))
    calls = [
        tool_call_chunk(name=call["name"], args=json.dumps(call["args"]), id=call["id"], index=index)
        for index, call in enumerate(reply.tool_calls)
    ]
    last_chunk = AIMessageChunk(
        content="",
        tool_call_chunks=calls,
        usage_metadata=reply.usage,
        response_metadata=reply.metadata,
        chunk_position="last",
    )
    yield ChatGenerationChunk(message=last_chunk)
