"""Checkpoints in SQLite, a superstep saved in one transaction.

What a step wrote that ran alone is saved with the checkpoint that follows at once. What a branch of a fan-out wrote is
saved by itself, since its siblings may take long.
"""

import asyncio
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
)
from langgraph.checkpoint.sqlite import SqliteSaver

from ...nodes.pregel import EDGE
from .checkpoint_order import ReadBack, whole
from .transaction import TransactionSaver, Work

Place = tuple[str, str, str]
"""A checkpoint: its run, the graph within it, its id."""

SOON = 0.05
"""Seconds after which what was handed over is saved by itself, where its checkpoint waits for another step."""


class Saver(ReadBack, TransactionSaver):
    """The library's saver, writing a superstep in one transaction.

    No run begins its next superstep before the last one is saved, and none has a checkpoint without what led to it:
    what could not be saved by itself stays handed over, and its checkpoint is saved with it or not at all.
    """

    _soon: asyncio.TimerHandle | None = None
    _flushing: "asyncio.Future[list[Any]] | None" = None

    @cached_property
    def _held(self) -> dict[Place, dict[str, Work]]:
        return {}

    async def aput(
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata, versions: ChannelVersions
    ) -> RunnableConfig:
        """Save a checkpoint, with what the superstep before it handed over."""
        held = list(self._held.pop(_place(config), {}).values())  # a flush under way may still take from them

        def work(saver: SqliteSaver) -> RunnableConfig:
            for one in held:
                one(saver)
            return saver.put(config, checkpoint, metadata, versions)

        saved: RunnableConfig = await self.saved(work)
        return saved

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Save what a step wrote; or, where the superstep is over with it, take it to be saved with the checkpoint."""

        def work(saver: SqliteSaver) -> None:
            saver.put_writes(config, writes, task_id, task_path)

        if hands_over(writes, task_path):
            self._held.setdefault(_place(config), {})[task_id] = work
            self._soon = self._soon or asyncio.get_running_loop().call_later(SOON, self._flush_now)
        else:
            await self.saved(work)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """A checkpoint, and what was written after it."""
        await self.flush(_place(config)[0])
        return await super().aget_tuple(config)

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """What was written to growing channels since they were last saved whole."""
        with whole(config):
            return await self.in_thread(lambda saver: saver.get_delta_channel_history(config=config, channels=channels))

    def get_next_version(self, current: str | None, channel: None) -> str:
        """The next version of a channel, 10 digits, without the library's width and the random tail after it.

        Every checkpoint repeats the versions of all channels: they were half of it. No reader of one file needs more.
        """
        return f"{int(current or 0) + 1:010}"

    async def flush(self, thread: str | None = None) -> None:
        """Save what was handed over, of one run or of all."""
        for place in [place for place in self._held if thread in (None, place[0])]:
            await self._flush(place)

    async def _flush(self, place: Place) -> None:
        held = self._held.get(place, {})
        works = dict(held)
        await self.saved(lambda saver: [work(saver) for work in works.values()])
        for task in [task for task, work in works.items() if held.get(task) is work]:
            del held[task]
        if not held and self._held.get(place) is held:
            del self._held[place]

    def _flush_now(self) -> None:
        self._soon = None
        flushing = [self._flush(place) for place in self._held]
        self._flushing = asyncio.gather(*flushing, return_exceptions=True) if flushing else None


def hands_over(writes: Sequence[tuple[str, Any]], task_path: str) -> bool:
    """Whether a step's checkpoint follows what it wrote: an edge led to it, and it neither failed nor waits."""
    return task_path.startswith(EDGE) and not any(channel in WRITES_IDX_MAP for channel, _ in writes)


def _place(config: RunnableConfig) -> Place:
    found = config["configurable"]
    return str(found["thread_id"]), str(found.get("checkpoint_ns", "")), str(found.get("checkpoint_id", ""))
