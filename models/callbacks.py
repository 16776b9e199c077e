"""Callbacks of a call: its time limit, which each token extends, and the cap on an agent's calls."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackHandler, BaseCallbackHandler
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, LLMResult

from ..state import Timeouts
from .answer_size_limit import MAX_ANSWER_BYTES


class TokenListener(AsyncCallbackHandler):
    """Handler that extends a call's time limit with every token, in the event loop of the call.

    An answer longer than `MAX_ANSWER_BYTES` characters is stopped, and `is_too_long` becomes true. `timeouts`: `None`
    for a call with a fixed time limit.
    """

    def __init__(self, limit: asyncio.Timeout, timeouts: Timeouts | None) -> None:
        self._limit, self._token_interval = limit, timeouts.between_tokens if timeouts else None
        self._end = asyncio.get_running_loop().time() + (timeouts.total if timeouts else 0)
        self._length = 0

    @property
    def is_too_long(self) -> bool:
        """Return whether the answer exceeded the maximum length."""
        return self._length > MAX_ANSWER_BYTES

    async def on_llm_new_token(self, token: object, **_: Any) -> None:
        """Extend the call's time limit after a token, which may be empty or contain parts other than text."""
        self._length += len(token if isinstance(token, str) else str(token))
        now = asyncio.get_running_loop().time()
        if self._limit.expired():
            return
        if self.is_too_long:
            self._limit.reschedule(now)
        elif self._token_interval is not None:
            self._limit.reschedule(min(self._end, now + self._token_interval))

    async def on_stream_event(self, event: Mapping[str, Any], **_: Any) -> None:
        """Extend the call's time limit after an event of LangGraph's newer streams."""
        await self.on_llm_new_token(event.get("delta", {}).get("text") or "")


class AgentCallCap(BaseCallbackHandler):
    """Handler that counts an agent's model calls and stops the agent at the cap.

    `count`: calls that this process sent. `usages`: token counts of the finished calls; `None` if unknown. `has_lost`:
    whether a lost request already counts the calls that an earlier process sent for the same answer.
    """

    raise_error = run_inline = True

    def __init__(self, cap: int, has_lost: bool = False) -> None:
        self.cap, self.has_lost, self.count = cap, has_lost, 0
        self.usages: list[Any] = []

    def on_chat_model_start(self, *_: Any, **__: Any) -> None:
        """Count a model call of the agent. Raises `RuntimeError` above the cap."""
        if self.count >= self.cap:
            raise RuntimeError(f"more than {self.cap} model calls for one answer; see agent_calls")
        self.count += 1

    on_llm_start = on_chat_model_start

    def on_llm_end(self, response: LLMResult, **_: Any) -> None:
        """Record the token counts of a finished call; `None` if the server sent none."""
        generation = response.generations[0][0]
        message = generation.message if isinstance(generation, ChatGeneration) else None
        self.usages.append(message.usage_metadata if isinstance(message, AIMessage) else None)

    def list_usages(self, message_usages: Sequence[Any]) -> list[Any]:
        """Return the token counts of an answer's calls: those of its messages, or the recorded ones if higher.

        `message_usages`: token counts of the answer's messages. `None` stands for an unfinished call, an empty mapping
        for a call whose tokens count elsewhere. Both kinds come first.
        """
        is_more = _measure_usages(self.usages) > _measure_usages(message_usages)
        usages = self.usages if self.usages and (self.has_lost or is_more) else message_usages
        elsewhere_count = max(len(self.usages), len(message_usages)) - len(usages)
        return [*[None] * (self.count - len(self.usages)), *[{}] * elsewhere_count, *usages]


def _measure_usages(usages: Sequence[Any]) -> tuple[int, int]:
    return sum(usage["total_tokens"] for usage in usages if usage), len(usages)
