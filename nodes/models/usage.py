"""What a call cost, as far as its server's figures can be right."""

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeGuard

from langchain_core.messages import AIMessage

MOST = 10_000_000
"""Tokens of one call that a figure may claim."""


class Usage(NamedTuple):
    """Tokens of one call: of the prompt, of the answer; of the first those served from a cache, of the second those
    spent on hidden reasoning."""

    read: int
    written: int
    cached: int = 0
    reasoning: int = 0


def plausible(said: object) -> dict[str, Any] | None:
    """The usage in a server's answer, without details that cannot be right; none where its totals cannot be."""
    said = said if isinstance(said, Mapping) else {}
    read, written = said.get("prompt_tokens"), said.get("completion_tokens")
    if not (_is_count(read) and read and _is_count(written)):
        return None
    cached = _within(said.get("prompt_tokens_details"), "cached_tokens", read)
    reasoning = _within(said.get("completion_tokens_details"), "reasoning_tokens", written)
    return {
        "prompt_tokens": read,
        "completion_tokens": written,
        "total_tokens": read + written,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens_details": {"reasoning_tokens": reasoning},
    }


def usage_of(message: AIMessage) -> Usage | None:
    """What a message says it cost; none where it does not, or says what cannot be: a prompt is no 0 tokens, nor is a
    text."""
    said: Mapping[str, Any] = message.usage_metadata or {}
    read, written = said.get("input_tokens"), said.get("output_tokens")
    if not (_is_count(read) and read and _is_count(written)) or (message.text.strip() and not written):
        return None
    cached = _within(said.get("input_token_details"), "cache_read", read)
    return Usage(read, written, cached, _within(said.get("output_token_details"), "reasoning", written))


def _is_count(figure: object) -> TypeGuard[int]:
    return isinstance(figure, int) and not isinstance(figure, bool) and 0 <= figure <= MOST


def _within(details: object, key: str, most: int) -> int:
    """A part of a figure; 0 where it is absent, no count, or more than the whole."""
    part = details.get(key) if isinstance(details, Mapping) else None
    return part if _is_count(part) and part <= most else 0
