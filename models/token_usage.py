"""Token counts of a call, checked for impossible figures from the server."""

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeGuard

from langchain_core.messages import AIMessage

MAX_FIGURE = 10_000_000
"""Maximum plausible number of tokens in one call."""


class TokenUsage(NamedTuple):
    """Token counts of one call. Cached tokens belong to the prompt, reasoning tokens to the answer."""

    prompt_tokens: int
    answer_tokens: int
    cached_tokens: int = 0
    reasoning_tokens: int = 0


def clean_usage(usage: object) -> dict[str, Any] | None:
    """Return the server's token counts, without impossible details.

    Return `None` if the totals are impossible.
    """
    usage = usage if isinstance(usage, Mapping) else {}
    prompt_tokens, answer_tokens = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if not (_is_count(prompt_tokens) and prompt_tokens and _is_count(answer_tokens)):
        return None
    cached_tokens = _get_detail_count(usage.get("prompt_tokens_details"), "cached_tokens", prompt_tokens)
    reasoning_tokens = _get_detail_count(usage.get("completion_tokens_details"), "reasoning_tokens", answer_tokens)
    return {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": answer_tokens,
        "total_tokens": prompt_tokens + answer_tokens,
        "prompt_tokens_details": {"cached_tokens": cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": reasoning_tokens},
    }


def extract_usage(message: AIMessage) -> TokenUsage | None:
    """Return the token counts of a message, or `None` if they are missing or impossible.

    Zero tokens are impossible for a prompt, and for an answer with text.
    """
    metadata: Mapping[str, Any] = message.usage_metadata or {}
    prompt_tokens, answer_tokens = metadata.get("input_tokens"), metadata.get("output_tokens")
    if not (_is_count(prompt_tokens) and prompt_tokens and _is_count(answer_tokens)) or (
        message.text.strip() and not answer_tokens
    ):
        return None
    return TokenUsage(
        prompt_tokens,
        answer_tokens,
        _get_detail_count(metadata.get("input_token_details"), "cache_read", prompt_tokens),
        _get_detail_count(metadata.get("output_token_details"), "reasoning", answer_tokens),
    )


def _is_count(figure: object) -> TypeGuard[int]:
    return isinstance(figure, int) and not isinstance(figure, bool) and 0 <= figure <= MAX_FIGURE


def _get_detail_count(details: object, key: str, total: int) -> int:
    """Return a part of a token count; 0 if it is missing, not a count, or more than the total."""
    part = details.get(key) if isinstance(details, Mapping) else None
    return part if _is_count(part) and part <= total else 0
