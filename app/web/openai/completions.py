"""Deliberation in the format of OpenAI's chat completions: whole or in chunks, with its usage."""

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
    """Data that all chunks of one answer share. `created_at`: seconds since 1970."""

    request: ChatRequest
    run: str
    created_at: int

    @property
    def common_fields(self) -> dict[str, Any]:
        """Return the fields of every chunk."""
        return {"id": f"chatcmpl-{self.run}", "created": self.created_at, "model": self.request.model}


def make_completion_info(request: ChatRequest, run: str) -> CompletionInfo:
    """Return the shared data of an answer that begins now."""
    return CompletionInfo(request, run, int(get_time().timestamp()))


def build_completion(info: CompletionInfo, saved_run: SavedRun) -> dict[str, Any]:
    """Build the complete answer of a run that has ended."""
    reasoning = "".join(format_reasoning(statement) for statement in saved_run.state["history"])
    message = {"role": "assistant", "content": get_answer(saved_run), "reasoning_content": reasoning, "refusal": None}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    extra_fields = {"usage": build_usage(saved_run), "moot": build_moot_fields(info, saved_run)}
    return {**info.common_fields, "object": "chat.completion", "choices": [choice], **extra_fields}


def encode_chunk(
    info: CompletionInfo, delta: dict[str, Any], finish_reason: str | None = None, **extra_fields: Any
) -> bytes:
    """Encode one chunk of an answer."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason, "logprobs": None}
    return encode_event({**info.common_fields, "object": "chat.completion.chunk", "choices": [choice], **extra_fields})


def encode_usage(info: CompletionInfo, saved_run: SavedRun) -> bytes:
    """Encode the chunk that reports the usage."""
    return encode_event(
        {**info.common_fields, "object": "chat.completion.chunk", "choices": [], "usage": build_usage(saved_run)}
    )


def encode_event(body: dict[str, Any]) -> bytes:
    """Encode an event of a stream."""
    return f"data: {json.dumps(body, ensure_ascii=False)}\n\n".encode()


def format_reasoning(statement: Statement) -> str:
    """Format a statement as reasoning."""
    return f"{statement.turn}. {statement.speaker}: {statement.content}\n\n"


def get_answer(saved_run: SavedRun) -> str:
    """Return the synthesis, or the headline without a synthesis.

    For a rehearsal, the headline comes first, because it names the rehearsal.
    """
    outcome, text = saved_run.state["outcome"], saved_run.state["synthesis"]
    return f"{outcome.headline}\n\n{text}".strip() if outcome.rehearsal else text or outcome.headline


def build_moot_fields(info: CompletionInfo, saved_run: SavedRun) -> dict[str, Any]:
    """Return the fields that OpenAI does not define.

    They name the saved run, its ending, and the settings that had no effect.
    """
    outcome = saved_run.state["outcome"]
    ending = {"status": outcome.status, "reason": outcome.reason, "headline": outcome.headline}
    return {"run": info.run, **ending, "rehearsal": outcome.rehearsal, "unused": info.request.unused_fields}


def build_usage(saved_run: SavedRun) -> dict[str, Any]:
    """Build the token counts of all calls, including failed attempts, judges and the synthesis.

    Completion tokens are all output tokens. `reasoning_tokens` are the output tokens of all calls except the
    synthesis.
    """
    calls = saved_run.state["calls"]
    input_tokens, output_tokens, cached_tokens = (
        _sum_tokens(calls, f"{kind}_tokens") for kind in ("input", "output", "cached")
    )
    synthesis_tokens = _sum_tokens([call for call in calls if call.purpose == "synthesis"], "output_tokens")
    return {
        "prompt_tokens": input_tokens,
        "completion_tokens": output_tokens,
        "total_tokens": input_tokens + output_tokens,
        "prompt_tokens_details": {"cached_tokens": cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": output_tokens - synthesis_tokens},
    }


def _sum_tokens(calls: Sequence[Any], key: str) -> int:
    return sum(getattr(call, key) for call in calls)
