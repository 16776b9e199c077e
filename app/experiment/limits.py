"""How hard endpoints are used by all the runs of one process."""

import asyncio
import time
from collections import deque
from collections.abc import Mapping
from typing import Protocol

from .plan import Limit

MINUTE = 60.0


class Limits(Protocol):
    """Hands out places at endpoints, which are named by model specs."""

    async def enter(self, spec: str) -> None:
        """Wait for a place."""

    async def leave(self, spec: str) -> None:
        """Give it back."""


class Endpoint:
    """Places at one endpoint: so many at once, and so many within any minute."""

    def __init__(self, limit: Limit) -> None:
        self._slots = asyncio.Semaphore(limit.concurrent) if limit.concurrent else None
        self._most, self._begun = limit.per_minute, deque[float]()
        self._turn = asyncio.Lock()

    async def enter(self) -> None:
        """Wait for a place."""
        if self._slots:
            await self._slots.acquire()
        try:
            await self._in_time()
        except asyncio.CancelledError:
            self.leave()
            raise

    async def _in_time(self) -> None:
        if self._most is None:
            return
        async with self._turn:
            if len(self._begun) >= self._most:
                await asyncio.sleep(self._begun.popleft() + MINUTE - time.monotonic())
            self._begun.append(time.monotonic())

    def leave(self) -> None:
        """Give it back."""
        if self._slots:
            self._slots.release()


class ProcessLimits:
    """The limits of a plan, held within this process."""

    def __init__(self, limits: Mapping[str, Limit]) -> None:
        self._endpoints = {spec: Endpoint(limit) for spec, limit in limits.items()}

    async def enter(self, spec: str) -> None:
        """Wait for a place."""
        if endpoint := self._endpoints.get(spec):
            await endpoint.enter()

    async def leave(self, spec: str) -> None:
        """Give it back."""
        if endpoint := self._endpoints.get(spec):
            endpoint.leave()
