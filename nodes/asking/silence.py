"""How long a call may go on: as long as its tokens come, within bounds on the whole, in time and in length."""

import asyncio
from collections.abc import Mapping
from typing import Any

from langchain_core.callbacks import AsyncCallbackHandler

from ...state.settings import Timeouts
from ..models.wire import LONGEST, TooLong


class TokenListener(AsyncCallbackHandler):
    """Moves a call's time limit on with every token that comes, in the loop the call runs in.

    It breaks an answer off that goes on after `LONGEST` characters, whoever's library reads it from the wire.
    """

    raise_error = True
    """What it raises ends the call."""

    def __init__(self, limit: asyncio.Timeout, allowed: Timeouts) -> None:
        self._limit, self._between = limit, allowed.between_tokens
        self._end = asyncio.get_running_loop().time() + allowed.total
        self._length = 0

    async def on_llm_new_token(self, token: object, **_: Any) -> None:
        """A token came, be it an empty one. Raises `TooLong` where the answer has become too long."""
        self._length += len(token) if isinstance(token, str) else 0
        if self._length > LONGEST:
            raise TooLong(f"it went on after {LONGEST} characters")
        if not self._limit.expired():
            self._limit.reschedule(min(self._end, asyncio.get_running_loop().time() + self._between))

    async def on_stream_event(self, event: Mapping[str, Any], **_: Any) -> None:
        """A part of the answer came, where LangGraph's newer events are followed; as for a token."""
        await self.on_llm_new_token(event.get("delta", {}).get("text"))
