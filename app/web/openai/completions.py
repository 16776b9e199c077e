"""Deliberation in the format of OpenAI's chat completions, with token counts."""

import json
from collections.abc import Sequence
from typing import Any

from starlette.responses import JSONResponse, Response

from ....nodes.ask.ask_with_retries import Answer
from ....state import Call, Statement
from ....storage import get_time
from ...agent.result import format_conclusion
from ...saved import SavedRun
from .chat_request import ChatRequest


def make_chunk_fields(chat: ChatRequest, run: str) -> dict[str, Any]:
    """Return the fields that all chunks of a streamed answer share, such as the time."""
    return {"id": f"chatcmpl-{run}", "created": int(get_time().timestamp()), "model": chat.model}


def build_completion(
    head: dict[str, Any], chat: ChatRequest, saved_run: SavedRun, answer: str | None
) -> dict[str, Any]:
    """Return the chat completion of a run that has ended.

    `head`: fields of `make_chunk_fields`. `answer`: `None` if the requested form stayed empty.
    """
    message = make_answer_fields(saved_run.run.run, answer) | {
        "reasoning_content": "".join(format_reasoning(statement) for statement in saved_run.state["history"])
    }
    return _wrap_message(head, message) | {
        "usage": build_usage(saved_run.state["calls"]),
        "moot": build_moot_fields(chat, saved_run),
    }


def encode_plain_answer(chat: ChatRequest, answer: Answer, note: str) -> Response:
    """Return the response with the answer of a single model. `note`: line that says who answered."""
    head, fields = make_chunk_fields(chat, "plain"), {"usage": build_usage(answer.calls), "moot": {"headline": note}}
    if not chat.stream:
        return JSONResponse(_wrap_message(head, {"content": answer.text}) | fields)
    chunks = encode_chunk(head, {"role": "assistant", "content": answer.text}) + encode_chunk(
        head, {}, "stop", **fields
    )
    return Response(chunks + b"data: [DONE]\n\n", media_type="text/event-stream")


def _wrap_message(head: dict[str, Any], message: dict[str, Any]) -> dict[str, Any]:
    return {
        **head,
        "object": "chat.completion",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "refusal": None, **message},
                "finish_reason": "stop",
                "logprobs": None,
            }
        ],
    }


def encode_chunk(
    head: dict[str, Any], delta: dict[str, Any] | None, finish_reason: str | None = None, **extra_fields: Any
) -> bytes:
    """Return one chunk of a streamed answer as bytes.

    `head`: fields of `make_chunk_fields`. `delta`: `None` for the chunk with the token counts.
    """
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason, "logprobs": None}
    return encode_event(
        {**head, "object": "chat.completion.chunk", "choices": [] if delta is None else [choice], **extra_fields}
    )


def encode_event(body: dict[str, Any]) -> bytes:
    """Return an event of a stream as bytes."""
    return f"data: {json.dumps(body, ensure_ascii=False)}\n\n".encode()


def format_reasoning(statement: Statement) -> str:
    """Return a statement as a line of the model's reasoning."""
    return f"{statement.turn}. {statement.speaker}: {statement.content}\n\n"


def make_answer_fields(run: str, answer: str | None) -> dict[str, Any]:
    """Return a message's fields with the answer, or with a refusal if the requested form stayed empty.

    `answer`: `None` for an empty form.
    """
    return {"content": None, "refusal": describe_unfilled(run)} if answer is None else {"content": answer}


def describe_unfilled(run: str) -> str:
    """Return the sentence that the requested form of a run stayed empty."""
    return f"The deliberation has ended, but its answer in the requested form failed. Saved as {run}."


def get_answer(saved_run: SavedRun) -> str:
    """Return the synthesis of a run or, without one, its headline."""
    return format_conclusion(saved_run.state["outcome"], saved_run.state["synthesis"])


def build_moot_fields(chat: ChatRequest, saved_run: SavedRun) -> dict[str, Any]:
    """Return the fields of an answer that only Moot defines.

    They name the saved run, its ending, and the settings that had no effect.
    """
    outcome = saved_run.state["outcome"]
    return {
        "run": saved_run.run.run,
        "status": outcome.status,
        "reason": outcome.reason,
        "headline": outcome.headline,
        "rehearsal": outcome.rehearsal,
        "unused": chat.unused_fields,
    }


def build_usage(calls: Sequence[Call]) -> dict[str, Any]:
    """Return the token counts of all calls in OpenAI's format.

    The calls include failed attempts, judges and the synthesis. Completion tokens are all output tokens.
    `reasoning_tokens` are the output tokens of all calls except the synthesis.
    """
    input_tokens, output_tokens = sum(call.input_tokens for call in calls), sum(call.output_tokens for call in calls)
    synthesis_tokens = sum(call.output_tokens for call in calls if call.purpose in ("synthesis", "plain"))
    return {
        "prompt_tokens": input_tokens,
        "completion_tokens": output_tokens,
        "total_tokens": input_tokens + output_tokens,
        "prompt_tokens_details": {"cached_tokens": sum(call.cached_tokens for call in calls)},
        "completion_tokens_details": {"reasoning_tokens": output_tokens - synthesis_tokens},
    }
