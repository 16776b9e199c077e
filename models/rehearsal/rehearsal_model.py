"""Offline chat model with deterministic replies, which can be streamed, and estimated token counts."""

import json
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolCall
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel, Field

from ...state import is_cjk
from ..brief import Brief
from . import justice, panel, summary, views
from .reply_context import ReplyContext
from .schema_filler import SchemaFiller
from .speech import DEFAULT_WORDS, get_word_target, write_opening, write_statement

_WORD_OR_IDEOGRAPHS = re.compile(
    r"\s*(?:[\u3400-\u9fff，。？！；：、“”（）]{1,4}|[^\s\u3400-\u9fff，。？！；：、“”（）]+)\s*"
)


class RehearsalModel(BaseChatModel):
    """Offline model for any deliberation: try a run, see its flow, estimate its cost.

    A reply depends only on `seed` (or the call's own seed) and the call's parameter `brief`, a `Brief`. The model reads
    no prompt. Without a brief, it replies to the last human message. A statement counts as many tokens as a text of the
    length that the task asks for.
    """

    seed: int = Field(default=0, description="Seed of all random draws.")

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
        """Bind tools. The model calls them only if `tool_choice` requires it.

        `tool_choice`: "any", "required", or the name of a tool.
        """
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], tool_choice=tool_choice, **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._build_reply(messages, stop, kwargs))])

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return self._generate(messages, stop, None, **kwargs)

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        yield from _split_chunks(self._build_reply(messages, stop, kwargs))

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in _split_chunks(self._build_reply(messages, stop, kwargs)):
            yield chunk

    def _build_reply(
        self, messages: list[BaseMessage], stop: list[str] | None, settings: Mapping[str, Any]
    ) -> AIMessage:
        """Return the reply: a required tool call, an instance of the schema, or text within `max_tokens`."""
        brief, can_look_up = settings.get("brief"), False
        if brief is not None:
            can_look_up = brief.turn % 2 == 1 and not any(message.type == "tool" for message in messages)
        else:
            text = next((message.text for message in reversed(messages) if message.type == "human"), "")
            brief = Brief(topic=text, language="zh" if is_cjk(text) else "en")
        context = ReplyContext(int(settings.get("seed", self.seed)), brief)
        text, calls, finish = "", list[ToolCall](), "stop"
        limit = settings.get("max_tokens") or settings.get("max_completion_tokens")
        if tool := _find_demanded_tool(settings, can_look_up):
            schema = tool.get("parameters", {})
            arguments = SchemaFiller(context, schema).fill_node(schema)
            id, finish = f"call_{context.turn}_{tool['name']}", "tool_calls"
            calls = [ToolCall(name=tool["name"], args=arguments, id=id, type="tool_call")]
        elif schema := _find_reply_schema(settings):
            text = json.dumps(SchemaFiller(context, schema).fill_node(schema), ensure_ascii=False)
        else:
            text = write_reply(context)
            if limit and estimate_tokens(text) > limit:
                text, finish = text[: max(1, int(len(text) * limit / estimate_tokens(text)))], "length"
                while len(text) > 1 and estimate_tokens(text) > limit:
                    text = text[:-1]
        for mark in filter(None, stop or []):
            text = text.partition(mark)[0]
        input_tokens = sum(estimate_tokens(message.text) for message in messages)
        output_tokens = estimate_tokens(json.dumps(calls[0]["args"]) if calls else text)
        # A model would use the words that a task asks for, here and in the statements that the prompt repeats.
        words = get_word_target(context) if brief.purpose == "statement" else DEFAULT_WORDS
        expected_tokens = round(words * (0.8 if brief.language == "zh" else 4 / 3))
        for statement in brief.statements:
            input_tokens += max(0, expected_tokens - estimate_tokens(statement.content))
        if brief.purpose == "statement" and not calls:
            output_tokens = max(output_tokens, min(expected_tokens, limit or expected_tokens))
        return AIMessage(
            content=text,
            tool_calls=calls,
            usage_metadata=UsageMetadata(
                input_tokens=input_tokens, output_tokens=output_tokens, total_tokens=input_tokens + output_tokens
            ),
            response_metadata={"model_name": "rehearsal", "finish_reason": finish},
        )


def make_reply(messages: Sequence[BaseMessage], text: str, model_name: str) -> AIMessage:
    """Make the message of a complete text reply, with estimated token counts."""
    input_tokens, output_tokens = sum(estimate_tokens(message.text) for message in messages), estimate_tokens(text)
    usage = UsageMetadata(
        input_tokens=input_tokens, output_tokens=output_tokens, total_tokens=input_tokens + output_tokens
    )
    return AIMessage(text, usage_metadata=usage, response_metadata={"model_name": model_name, "finish_reason": "stop"})


def _split_chunks(message: AIMessage) -> Iterator[ChatGenerationChunk]:
    """Yield a reply word by word, or a few Chinese characters at a time. Token counts come last."""
    for fragment in _WORD_OR_IDEOGRAPHS.findall(message.text):
        yield ChatGenerationChunk(message=AIMessageChunk(content=fragment))
    calls = [
        tool_call_chunk(name=call["name"], args=json.dumps(call["args"]), id=call["id"], index=index)
        for index, call in enumerate(message.tool_calls)
    ]
    last_chunk = AIMessageChunk(
        content="",
        tool_call_chunks=calls,
        usage_metadata=message.usage_metadata,
        response_metadata=message.response_metadata,
        chunk_position="last",
    )
    yield ChatGenerationChunk(message=last_chunk)


def _find_demanded_tool(settings: Mapping[str, Any], can_look_up: bool) -> dict[str, Any] | None:
    """Return the tool that the model must call, or `None`.

    `can_look_up`: whether to call the first offered tool although the settings leave the choice open.
    """
    tools = [tool.get("function", tool) for tool in settings.get("tools") or []]
    choice = settings.get("tool_choice")
    if isinstance(choice, Mapping):
        choice = choice.get("function", choice).get("name")
    if not (choice is None and can_look_up) and choice in (None, False, "auto", "none"):
        return None
    if not tools:
        return None
    demanded_tool: dict[str, Any] = next((tool for tool in tools if tool.get("name") == choice), tools[0])
    return demanded_tool


def _find_reply_schema(settings: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the schema of the response format, or `None`.

    For `json_object`, return the schema of any object.
    """
    response_format = settings.get("response_format")
    if isinstance(response_format, type) and issubclass(response_format, BaseModel):
        return response_format.model_json_schema()
    if not isinstance(response_format, Mapping) or response_format.get("type") == "text":
        return None
    format_fields = response_format.get("json_schema", response_format)
    schema = format_fields.get("schema", format_fields)
    if response_format.get("type") == "json_object" or not isinstance(schema, Mapping):
        return {"type": "object", "properties": {"answer": {"type": "string"}}}
    return dict(schema)


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text: 1/4 of its letters, plus 4/5 of its ideographs."""
    ideographs = 0 if text.isascii() else (len(text.encode("utf-8", "replace")) - len(text)) // 2
    return -(-(len(text) - ideographs) // 4) + -(-ideographs * 4 // 5)


def write_reply(context: ReplyContext) -> str:
    """Write the reply that the purpose of the call requires.

    Without a brief, say that this is a rehearsal, and argue about the message.
    """
    brief, is_justice = context.brief, context.is_about_justice
    match brief.purpose:
        case "synthesis":
            return panel.write_conclusion(context) if brief.exhibits else summary.write_synthesis(context)
        case "summary":
            return summary.write_summary(context)
        case "memory" if is_justice:
            # Add a lesson, and cut the oldest text to the number of characters that the task allows.
            lines, lesson = brief.memory.splitlines()[-20:], justice.write_rule_summary(context)
            limit = int(str(brief.values.get("bound", "4,000")).replace(",", ""))
            return "\n".join(lines if lesson in lines else [*lines, lesson])[-limit:]
        case "reasoning" if is_justice:
            return justice.write_rule_summary(context, has_others=True)
        case "comprehension":
            return str(brief.values.get("answer", "D1"))
        case "initiation" | "confirmation" | "ballot" | "amount" | "ranking" | "choice" | "explanation" if is_justice:
            return justice.answer_in_text(context)
    if brief.exhibits:
        statement = panel.write_panel_statement(context)
    elif is_justice:
        statement = justice.write_justice_statement(context)
    elif brief.roles:
        statement = write_statement(context)
    else:
        greeting = context.fill_phrase("answers", "greeting")
        statement = f"{greeting}{context.gap}{write_opening(context)}" if brief.topic else greeting
    return " ".join(filter(None, [statement, views.write_private_notes(context)]))
