"""How long a call may go on: as long as its tokens come, within a bound on the whole."""

import asyncio
from typing import Any

from langchain_core.callbacks import AsyncCallbackHandler

from ...state.settings import Timeouts


class TokenListener(AsyncCallbackHandler):
    """Moves a call's time limit on with every token that comes, in the loop the call runs in."""

    def __init__(self, limit: asyncio.Timeout, allowed: Timeouts) -> None:
        self._limit, self._between = limit, allowed.between_tokens
        self._end = asyncio.get_running_loop().time() + allowed.total

    async def on_llm_new_token(self, token: object, **_: Any) -> None:
        """A token came, be it an empty one."""
        if not self._limit.expired():
            self._limit.reschedule(min(self._end, asyncio.get_running_loop().time() + self._between))
