"""A deliberation in the format of OpenAI's chat completions: whole or in chunks, with its usage."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ....state.statement import Statement
from ....storage.clock import get_time
from ...saved import SavedRun
from .chat_request import ChatRequest


@dataclass(frozen=True)
class CompletionInfo:
    """Shared data of all chunks of one answer. `created_at`: seconds since 1970."""

    request: ChatRequest
    run: str
    created_at: int

    @property
    def common_fields(self) -> dict[str, Any]:
        """The keys that each chunk carries."""
        return {"id": f"chatcmpl-{self.run}", "created": self.created_at, "model": self.request.model}


def start_completion(request: ChatRequest, run: str) -> CompletionInfo:
    """Return the shared data of an answer that begins now."""
    return CompletionInfo(request, run, int(get_time().timestamp()))


def build_completion(info: CompletionInfo, saved: SavedRun) -> dict[str, Any]:
    """Build the complete answer of a run that has ended."""
    reasoning = "".join(format_reasoning(statement) for statement in saved.state["history"])
    message = {"role": "assistant", "content": get_answer(saved), "reasoning_content": reasoning, "refusal": None}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    extra_fields = {"usage": count_usage(saved), "moot": build_moot_fields(info, saved)}
    return {**info.common_fields, "object": "chat.completion", "choices": [choice], **extra_fields}


def encode_chunk(info: CompletionInfo, delta: dict[str, Any], finish: str | None = None, **extra_fields: Any) -> bytes:
    """Encode one chunk of an answer."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
    return encode_event({**info.common_fields, "object": "chat.completion.chunk", "choices": [choice], **extra_fields})


def encode_usage(info: CompletionInfo, saved: SavedRun) -> bytes:
    """Encode the chunk that reports the usage."""
    return encode_event(
        {**info.common_fields, "object": "chat.completion.chunk", "choices": [], "usage": count_usage(saved)}
    )


def encode_event(body: dict[str, Any]) -> bytes:
    """Encode an event of a stream."""
    return f"data: {json.dumps(body, ensure_ascii=False)}\n\n".encode()


def format_reasoning(statement: Statement) -> str:
    """Format a statement as reasoning."""
    return f"{statement.turn}. {statement.speaker}: {statement.content}\n\n"


def get_answer(saved: SavedRun) -> str:
    """Return the synthesis, or the headline without a synthesis.

    A rehearsal begins with the headline, which says that it is one.
    """
    outcome, text = saved.state["outcome"], saved.state["synthesis"]
    return f"{outcome.headline}\n\n{text}".strip() if outcome.rehearsal else text or outcome.headline


def build_moot_fields(info: CompletionInfo, saved: SavedRun) -> dict[str, Any]:
    """Return the fields that OpenAI does not define.

    They name the saved run, its ending, and the settings that had no effect.
    """
    outcome = saved.state["outcome"]
    ending = {"status": outcome.status, "reason": outcome.reason, "headline": outcome.headline}
    return {"run": info.run, **ending, "rehearsal": outcome.rehearsal, "unused": info.request.unused}


def count_usage(saved: SavedRun) -> dict[str, Any]:
    """Count the tokens of all calls, including failed attempts, judges and the synthesis.

    Completion tokens are all output tokens. `reasoning_tokens` are those of all calls but the
    synthesis.
    """
    calls = saved.state["calls"]
    input, output, cached = (_sum_tokens(calls, f"{kind}_tokens") for kind in ("input", "output", "cached"))
    closing = _sum_tokens([call for call in calls if call.purpose == "synthesis"], "output_tokens")
    return {
        "prompt_tokens": input,
        "completion_tokens": output,
        "total_tokens": input + output,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens_details": {"reasoning_tokens": output - closing},
    }


def _sum_tokens(calls: Sequence[Any], key: str) -> int:
    return sum(getattr(call, key) for call in calls)
