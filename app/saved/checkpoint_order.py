"""Checkpoints read back: what follows one is newer than it, and one that is damaged is told as such."""

from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, contextmanager
from typing import Any, cast
from uuid import UUID

import langgraph.checkpoint.base.id as ids
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple

from ...state.refused import Refused

DAMAGE = (ValueError, TypeError, LookupError, AttributeError, EOFError, NotImplementedError)
"""What reading bytes ends with that nobody wrote so."""


class ReadBack(BaseCheckpointSaver[Any]):
    """How a saver reads, in whichever database.

    An id begins with a time, and savers call the greatest id the newest. On a clock that is behind the one that wrote,
    what is saved next would count as older than what it follows, and be passed over: so ids go on from those read.
    """

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """A checkpoint, and what was written after it. Raises `Refused` if it is damaged."""
        with whole(config):
            found = await super().aget_tuple(config)
            if found and (ticks := _ticks(found.checkpoint["id"])) > (ids._last_v6_timestamp or 0):
                ids._last_v6_timestamp = ticks  # type: ignore[assignment]
            return found

    async def alist(self, config: RunnableConfig | None, **which: Any) -> AsyncIterator[CheckpointTuple]:
        """Checkpoints, newest first. Raises `Refused` if one is damaged."""
        async with aclosing(cast(Any, super().alist(config, **which))) as found:
            while True:
                with whole(config):
                    one = await anext(found, None)
                if one is None:
                    return
                yield one


@contextmanager
def whole(config: RunnableConfig | None) -> Iterator[None]:
    """What cannot be read within is told as damaged, in one line."""
    try:
        yield
    except Refused:
        raise
    except DAMAGE as error:
        run = (config or {}).get("configurable", {}).get("thread_id")
        remedy = f"what was saved of it is damaged ({type(error).__name__}) and was left as it is; go on from a copy"
        raise Refused("run", run, remedy) from None


def _ticks(checkpoint: str) -> int:
    """The time in an id, in units of 100 ns; 0 where it has none."""
    uuid = UUID(checkpoint)
    return (uuid.time_low << 28 | uuid.time_mid << 12 | uuid.time_hi_version & 0xFFF) if uuid.version == 6 else 0
