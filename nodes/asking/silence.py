"""How long a call may go on: as long as its tokens come, within bounds on the whole, in time and in length."""

import asyncio
from collections.abc import Mapping
from typing import Any

from langchain_core.callbacks import AsyncCallbackHandler

from ...state.settings import Timeouts
from ..models.wire import LONGEST


class TokenListener(AsyncCallbackHandler):
    """Moves a call's time limit on with every token that comes, in the loop the call runs in.

    It breaks an answer off that goes on after `LONGEST` characters, whoever's library reads it from the wire, and
    `too_long` says so. `allowed`: none where a call has the same time however its tokens come.
    """

    def __init__(self, limit: asyncio.Timeout, allowed: Timeouts | None) -> None:
        self._limit, self._between = limit, allowed.between_tokens if allowed else None
        self._end = asyncio.get_running_loop().time() + (allowed.total if allowed else 0)
        self._length = 0

    @property
    def too_long(self) -> bool:
        """Whether the answer went on for too long."""
        return self._length > LONGEST

    async def on_llm_new_token(self, token: object, **_: Any) -> None:
        """A token came, be it an empty one, or parts of another kind than text."""
        self._length += len(token if isinstance(token, str) else str(token))
        now = asyncio.get_running_loop().time()
        if self._limit.expired():
            return
        if self.too_long:
            self._limit.reschedule(now)
        elif self._between is not None:
            self._limit.reschedule(min(self._end, now + self._between))

    async def on_stream_event(self, event: Mapping[str, Any], **_: Any) -> None:
        """A part of the answer came, where LangGraph's newer events are followed; as for a token."""
        await self.on_llm_new_token(event.get("delta", {}).get("text") or "")
