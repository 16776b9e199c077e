"""Time limit of a streamed call: each token extends it, up to a maximum time and length."""

import asyncio
from collections.abc import Mapping
from typing import Any

from langchain_core.callbacks import AsyncCallbackHandler

from ..state import Timeouts
from .answer_size_limit import MAX_ANSWER_BYTES


class TokenListener(AsyncCallbackHandler):
    """Handler that extends a call's time limit with every token, in the event loop of the call.

    It stops an answer longer than `MAX_ANSWER_BYTES` characters and sets `is_too_long`. `timeouts`: `None` for a call
    with a fixed time limit.
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
        """Extend the time limit after a token. The token may be empty or contain parts other than text."""
        self._length += len(token if isinstance(token, str) else str(token))
        now = asyncio.get_running_loop().time()
        if self._limit.expired():
            return
        if self.is_too_long:
            self._limit.reschedule(now)
        elif self._token_interval is not None:
            self._limit.reschedule(min(self._end, now + self._token_interval))

    async def on_stream_event(self, event: Mapping[str, Any], **_: Any) -> None:
        """Extend the time limit as for a token, for LangGraph's newer event streams."""
        await self.on_llm_new_token(event.get("delta", {}).get("text") or "")
