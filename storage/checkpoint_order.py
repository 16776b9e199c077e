"""Reading of checkpoints. New ids are always later than those read. Damage raises a one-line error."""

from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, contextmanager
from typing import Any, cast
from uuid import UUID

import langgraph.checkpoint.base.id as ids
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple

from ..state import InputError

DAMAGE_ERRORS = (ValueError, TypeError, LookupError, AttributeError, EOFError, NotImplementedError)
"""Errors from reading damaged bytes."""


class CheckpointReader(BaseCheckpointSaver[Any]):
    """Mixin of a saver that reads checkpoints from any database.

    An id begins with a time, and savers treat the greatest id as the newest. If this machine's clock is behind, a new
    checkpoint would seem older than its predecessor. So new ids continue after those read.
    """

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return a checkpoint and the writes after it. Raises `InputError` if it is damaged."""
        with report_damage(config):
            checkpoint = await super().aget_tuple(config)
            if checkpoint and (ticks := _parse_ticks(checkpoint.checkpoint["id"])) > (ids._last_v6_timestamp or 0):
                ids._last_v6_timestamp = ticks  # type: ignore[assignment]
            return checkpoint

    async def alist(self, config: RunnableConfig | None, **filters: Any) -> AsyncIterator[CheckpointTuple]:
        """Yield checkpoints, newest first. Raises `InputError` if one is damaged."""
        async with aclosing(cast(Any, super().alist(config, **filters))) as checkpoints:
            while True:
                with report_damage(config):
                    checkpoint = await anext(checkpoints, None)
                if checkpoint is None:
                    return
                yield checkpoint


@contextmanager
def report_damage(config: RunnableConfig | None) -> Iterator[None]:
    """Convert errors from unreadable bytes within the block to a one-line error about damage."""
    try:
        yield
    except InputError:
        raise
    except DAMAGE_ERRORS as error:
        run = (config or {}).get("configurable", {}).get("thread_id")
        raise InputError("run", run, f"its saved data are damaged ({type(error).__name__}); restore a copy") from None


def _parse_ticks(checkpoint: str) -> int:
    uuid = UUID(checkpoint)
    return (uuid.time_low << 28 | uuid.time_mid << 12 | uuid.time_hi_version & 0xFFF) if uuid.version == 6 else 0
