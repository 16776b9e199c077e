"""Deliberation in the format of OpenAI's responses. Its statements are the summary of the reasoning."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from itertools import count
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from ....state import Statement
from ....storage import get_time
from ...saved import SavedRun
from .chat_request import ChatMessage, ChatRequest, parse_document
from .completions import build_moot_fields, build_usage, describe_unfilled, encode_event, format_reasoning
from .errors import EndpointError

ID_PREFIX = "resp_"
"""Prefix of a response's id, before the name of its run."""


def drop_reasoning(input: Any) -> Any:
    """Return the input of a request without the reasoning of earlier responses, which clients send back."""
    items = input if isinstance(input, list) else []
    return [item for item in items if not (isinstance(item, dict) and item.get("type") == "reasoning")] or input


class InputMessage(ChatMessage):
    """Message in a request's input. Other items, such as pictures and outputs of functions, are rejected."""

    type: Literal["message"] = "message"


class TextOptions(BaseModel):
    """Options for the text of the answer."""

    format: dict[str, Any] = {}


class ResponseRequest(BaseModel):
    """Response that a client requests. The types of its fields reject unsupported values."""

    model_config = ConfigDict(extra="allow", frozen=True)

    model: str
    input: Annotated[str | list[InputMessage], BeforeValidator(drop_reasoning)] = Field(min_length=1)
    instructions: str | None = None
    text: TextOptions = TextOptions()
    previous_response_id: str | None = None
    background: Literal[False] | None = None

    def make_chat(self, earlier_messages: list[ChatMessage]) -> ChatRequest:
        """Return the request as a chat, which begins with the instructions and the earlier messages.

        Raises `InputError` for an unusable value.
        """
        question = [ChatMessage(role="user", content=self.input)] if isinstance(self.input, str) else self.input
        instructions = [ChatMessage(role="system", content=self.instructions)] if self.instructions else []
        kind = self.text.format.get("type", "text")
        values = {
            "model": self.model,
            "messages": [
                message.model_dump(exclude={"type"}) for message in [*instructions, *earlier_messages, *question]
            ],
            "response_format": {"type": kind, **({"json_schema": self.text.format} if kind == "json_schema" else {})},
        }
        return parse_document((self.model_extra or {}) | values, ChatRequest)


def make_response_fields(chat: ChatRequest, run: str) -> dict[str, Any]:
    """Return the fields of a response whose run has begun."""
    return {
        "id": f"{ID_PREFIX}{run}",
        "object": "response",
        "created_at": int(get_time().timestamp()),
        "status": "in_progress",
        "model": chat.model,
        "output": [],
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": [],
        "temperature": chat.temperature,
        "top_p": None,
    }


def build_response(head: dict[str, Any], chat: ChatRequest, saved_run: SavedRun, answer: str | None) -> dict[str, Any]:
    """Return the response of a run that has ended.

    `head`: fields of `make_response_fields`. `answer`: `None` if the requested form stayed empty.
    """
    counts = build_usage(saved_run.state["calls"])
    return head | {
        "status": "completed",
        "output": [
            make_reasoning(saved_run.run.run, saved_run.state["history"]),
            make_message(saved_run.run.run, make_content(saved_run.run.run, answer)),
        ],
        "usage": {
            "input_tokens": counts["prompt_tokens"],
            "input_tokens_details": counts["prompt_tokens_details"],
            "output_tokens": counts["completion_tokens"],
            "output_tokens_details": counts["completion_tokens_details"],
            "total_tokens": counts["total_tokens"],
        },
        "moot": build_moot_fields(chat, saved_run),
    }


def make_failure(error: EndpointError) -> dict[str, Any]:
    """Return the fields of a failed response."""
    return {"status": "failed", "error": {"code": "server_error", "message": str(error)}}


def make_reasoning(run: str, statements: Sequence[Statement]) -> dict[str, Any]:
    """Return the item of a response that contains the statements as reasoning."""
    return {
        "id": f"rs_{run}",
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": format_reasoning(statement)} for statement in statements],
    }


def make_content(run: str, answer: str | None) -> dict[str, Any]:
    """Return the content part with the answer, or with a refusal if the requested form stayed empty."""
    if answer is None:
        return {"type": "refusal", "refusal": describe_unfilled(run)}
    return {"type": "output_text", "text": answer, "annotations": []}


def make_message(run: str, *content: dict[str, Any], status: str = "completed") -> dict[str, Any]:
    """Return the item of a response that contains the answer."""
    return {"id": f"msg_{run}", "type": "message", "role": "assistant", "status": status, "content": list(content)}


async def stream_response(
    head: dict[str, Any], chat: ChatRequest, run: str, progress: AsyncGenerator[Any, None]
) -> AsyncGenerator[bytes, None]:
    """Yield the events of a response: statements as parts of the reasoning's summary, then the answer.

    `progress`: statements, `None` in a silence, and last the saved run with its answer, or an error.
    """
    numbers, statements, ending = count(), list[Statement](), cast(Any, None)

    def encode(kind: str, **fields: Any) -> bytes:
        event = {"type": f"response.{kind}", "sequence_number": next(numbers), **fields}
        return f"event: {event['type']}\n".encode() + encode_event(event)

    reasoning = {"item_id": f"rs_{run}", "output_index": 0}
    yield encode("created", response=head) + encode("in_progress", response=head)
    yield encode("output_item.added", output_index=0, item=make_reasoning(run, []))
    async with aclosing(progress):
        async for news in progress:
            if news is None:
                yield b": it goes on\n\n"
            elif isinstance(news, Statement):
                place = reasoning | {"summary_index": len(statements)}
                statements.append(news)
                text = format_reasoning(news)
                part = {"type": "summary_text", "text": text}
                yield encode("reasoning_summary_part.added", **place, part=part | {"text": ""})
                yield encode("reasoning_summary_text.delta", **place, delta=text)
                yield encode("reasoning_summary_text.done", **place, text=text)
                yield encode("reasoning_summary_part.done", **place, part=part)
            else:
                ending = news
    yield encode("output_item.done", output_index=0, item=make_reasoning(run, statements))
    if isinstance(ending, EndpointError):
        yield encode("failed", response=head | make_failure(ending))
        return
    saved_run, answer = ending
    content, place = make_content(run, answer), {"item_id": f"msg_{run}", "output_index": 1, "content_index": 0}
    kind = content["type"]
    field = "refusal" if kind == "refusal" else "text"
    yield encode("output_item.added", output_index=1, item=make_message(run, status="in_progress"))
    yield encode("content_part.added", **place, part=content | {field: ""})
    yield encode(f"{kind}.delta", **place, delta=content[field], **({} if answer is None else {"logprobs": []}))
    yield encode(f"{kind}.done", **place, **{field: content[field]}, **({} if answer is None else {"logprobs": []}))
    yield encode("content_part.done", **place, part=content)
    yield encode("output_item.done", output_index=1, item=make_message(run, content))
    output = [make_reasoning(run, statements), make_message(run, content)]  # a blind round has another order on record
    yield encode("completed", response=build_response(head, chat, saved_run, answer) | {"output": output})
