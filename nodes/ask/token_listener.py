"""Time limit of a streamed call: it extends with each token, within bounds on total time and length."""

import asyncio
from collections.abc import Mapping
from typing import Any

from langchain_core.callbacks import AsyncCallbackHandler

from ...models.answer_size_limit import MAX_ANSWER_BYTES
from ...state.setting_types import Timeouts


class TokenListener(AsyncCallbackHandler):
    """Handler that extends a call's time limit with every token, in the event loop of the call.

    It breaks off an answer that exceeds `LONGEST` characters, for every client library; then `too_long` is
    true. `allowed`: `None` for a call with a fixed time limit.
    """

    def __init__(self, limit: asyncio.Timeout, allowed: Timeouts | None) -> None:
        self._limit, self._between = limit, allowed.between_tokens if allowed else None
        self._end = asyncio.get_running_loop().time() + (allowed.total if allowed else 0)
        self._length = 0

    @property
    def too_long(self) -> bool:
        """True if the answer was too long."""
        return self._length > MAX_ANSWER_BYTES

    async def on_llm_new_token(self, token: object, **_: Any) -> None:
        """Extend the time limit: a token arrived, possibly empty or with parts that are no text."""
        self._length += len(token if isinstance(token, str) else str(token))
        now = asyncio.get_running_loop().time()
        if self._limit.expired():
            return
        if self.too_long:
            self._limit.reschedule(now)
        elif self._between is not None:
            self._limit.reschedule(min(self._end, now + self._between))

    async def on_stream_event(self, event: Mapping[str, Any], **_: Any) -> None:
        """Extend the time limit as for a token, in LangGraph's newer event streams."""
        await self.on_llm_new_token(event.get("delta", {}).get("text") or "")
