"""Chat models for tests: one that follows a script and remembers what it was told, one that proves what it was told."""

import json
import re
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import Any

from fakeserver.schema import Filler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import RunnableConfig
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel, Field

from chats.sent_prompt import Json, SentPrompt

__all__ = ["Echoing", "ScriptedChat", "ScriptedReply", "SentPrompt"]

ScriptedReply = str | dict[str, Any] | AIMessage | BaseModel | BaseException

_config: ContextVar[RunnableConfig | None] = ContextVar("scripted_config", default=None)


class ScriptedChat(BaseChatModel):
    """Answers from a list, in the order asked, or from a function of (messages, kwargs). A list that runs out fails."""

    script: Callable[[list[BaseMessage], Json], ScriptedReply] | list[ScriptedReply]
    prompts: list[SentPrompt] = Field(default_factory=list)

    def bind_tools(self, tools: Sequence[Any], *, tool_choice: Any = None, **kwargs: Any) -> Any:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        token = _config.set(config)
        try:
            return super().invoke(input, config, **kwargs)
        finally:
            _config.reset(token)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        token = _config.set(config)
        try:
            return await super().ainvoke(input, config, **kwargs)
        finally:
            _config.reset(token)

    def answer(self, prompt: SentPrompt) -> ScriptedReply:
        """What to say to a call; the script decides."""
        if callable(self.script):
            return self.script(prompt.messages, prompt.kwargs)
        prompt_count = len(self.prompts)
        if prompt_count > len(self.script):
            raise AssertionError(
                f"{prompt_count - 1} answers written, one more asked, of {prompt.who} for {prompt.purpose}"
            )
        return self.script[prompt_count - 1]

    def _said(self, messages: list[BaseMessage], streamed: bool, kwargs: Json) -> AIMessage:
        config = _config.get() or {}
        known = config.get("metadata") or {}
        who, purpose = str(known.get("speaker", "")), str(known.get("purpose", ""))
        self.prompts.append(SentPrompt(messages, who, purpose, list(config.get("tags") or []), kwargs, streamed))
        said = self.answer(self.prompts[-1])
        if isinstance(said, BaseException):
            raise said
        message = said.model_copy() if isinstance(said, AIMessage) else _message(said, kwargs.get("tools"))
        message.usage_metadata = message.usage_metadata or _usage(messages, message)
        return message

    def _generate(self, messages: list[BaseMessage], *_: Any, **kwargs: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._said(messages, False, _own(kwargs)))])

    async def _agenerate(self, messages: list[BaseMessage], *_: Any, **kwargs: Any) -> ChatResult:
        return self._generate(messages, **kwargs)

    def _stream(self, messages: list[BaseMessage], *_: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        yield from _chunks(self._said(messages, True, _own(kwargs)))

    async def _astream(self, messages: list[BaseMessage], *_: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in self._stream(messages, **kwargs):
            yield chunk

    @property
    def _llm_type(self) -> str:
        return "scripted"


class Echoing(ScriptedChat):
    """Repeats the marker words (`mark-…`) of its prompt, in plain text and in every free string of a schema."""

    script: Callable[[list[BaseMessage], Json], ScriptedReply] | list[ScriptedReply] = Field(default_factory=list)

    def answer(self, prompt: SentPrompt) -> ScriptedReply:
        marks = " ".join(dict.fromkeys(re.findall(r"mark-[\w-]+", prompt.text)))
        words = f"Reply {len(self.prompts)} repeats what it was told: {marks}"
        schema = prompt.schema
        return Filler(schema, words.encode()[:64], lambda _: words).fill(schema) if schema else words


def _own(kwargs: Json) -> Json:
    return {key: value for key, value in kwargs.items() if key not in ("stop", "run_manager", "stream")}


def _message(said: str | Json | BaseModel, tools: list[Json] | None) -> AIMessage:
    if isinstance(said, str):
        return AIMessage(said)
    values = said.model_dump(mode="json") if isinstance(said, BaseModel) else said
    if tools:
        return AIMessage("", tool_calls=[{"name": tools[0]["function"]["name"], "args": values, "id": "call-1"}])
    return AIMessage(json.dumps(values, ensure_ascii=False))


def _usage(messages: list[BaseMessage], message: AIMessage) -> UsageMetadata:
    read, part_count = sum(len(message.text.split()) for message in messages), len(message.text.split())
    return UsageMetadata(input_tokens=read, output_tokens=part_count, total_tokens=read + part_count)


def _chunks(message: AIMessage) -> Iterator[ChatGenerationChunk]:
    for word in re.findall(r"\S+\s*|\s+", message.text):
        yield ChatGenerationChunk(message=AIMessageChunk(word))
    calls = [
        {"name": call["name"], "args": json.dumps(call["args"]), "id": call["id"], "index": at}
        for at, call in enumerate(message.tool_calls)
    ]
    last = AIMessageChunk(
        "",
        usage_metadata=message.usage_metadata,
        tool_call_chunks=calls,
        response_metadata=message.response_metadata,
        additional_kwargs=message.additional_kwargs,
        chunk_position="last",
    )
    yield ChatGenerationChunk(message=last)
