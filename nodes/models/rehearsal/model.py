"""The chat model: one deterministic reply, whole or word by word, with its approximate cost in tokens."""

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

from .reply import Reply, reply

_PIECES = re.compile(r"\s*(?:[\u3400-\u9fff，。？！；：、“”（）]{1,4}|[^\s\u3400-\u9fff，。？！；：、“”（）]+)\s*")


class Rehearsal(BaseChatModel):
    """Takes part in any deliberation without a model: for trying a set-up, seeing its flow and pricing it.

    A reply is a function of `seed` (the call's own, where it has one), the prompt and the purpose of the call alone.
    Who is asked, for what and in which language is read from the setting `asked` or the call's metadata (`speaker`,
    `purpose`, `language`), else from the prompt. Where its words are streamed because somebody listens, the client
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
        """Tools are called only where a choice is demanded ("any", "required", or a tool's name)."""
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], tool_choice=tool_choice, **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return _result(self._answer(messages, stop, run_manager, kwargs))

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return _result(self._answer(messages, stop, run_manager, kwargs))

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        yield from _chunks(self._answer(messages, stop, run_manager, kwargs))

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in _chunks(self._answer(messages, stop, run_manager, kwargs)):
            yield chunk

    def _answer(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None,
        run_manager: CallbackManagerForLLMRun | AsyncCallbackManagerForLLMRun | None,
        settings: dict[str, Any],
    ) -> Reply:
        known = (run_manager.metadata if run_manager else None) or {}
        seed = int(settings.get("seed", self.seed))
        made = reply(seed, messages, {**known, **settings.get("asked", {})}, settings)
        ends = [made.text.find(mark) for mark in stop or [] if mark and mark in made.text]
        return replace(made, text=made.text[: min(ends)]) if ends else made


def _result(made: Reply) -> ChatResult:
    message = AIMessage(
        content=made.text,
        tool_calls=made.tool_calls,
        usage_metadata=made.usage,
        response_metadata=made.metadata,
    )
    return ChatResult(generations=[ChatGeneration(message=message)])


def _chunks(made: Reply) -> Iterator[ChatGenerationChunk]:
    """The reply word by word, Chinese by a few characters; what it cost comes last."""
    for piece in _PIECES.findall(made.text):
        yield ChatGenerationChunk(message=AIMessageChunk(content=piece))
    calls = [
        tool_call_chunk(name=call["name"], args=json.dumps(call["args"]), id=call["id"], index=place)
        for place, call in enumerate(made.tool_calls)
    ]
    last = AIMessageChunk(
        content="",
        tool_call_chunks=calls,
        usage_metadata=made.usage,
        response_metadata=made.metadata,
        chunk_position="last",
    )
    yield ChatGenerationChunk(message=last)
