"""How hard endpoints are used: by the runs of one process, or of all that share a database."""

import asyncio
import time
from collections import deque
from collections.abc import Mapping
from typing import Protocol

from ..saved import Store
from ..saved.endpoints import Endpoints
from .plan import Limit, Plan

MINUTE = 60.0
PAUSE = 0.03
"""Seconds after which a slot that all processes share is asked for again."""


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


class SharedLimits:
    """The limits of a plan, held by all processes that share a database; within one, first come, first served."""

    def __init__(self, limits: Mapping[str, Limit], endpoints: Endpoints) -> None:
        self._limits, self._endpoints = limits, endpoints
        self._turns = {spec: asyncio.Lock() for spec in limits}

    async def enter(self, spec: str) -> None:
        """Wait for a place."""
        if (limit := self._limits.get(spec)) is None:
            return
        async with self._turns[spec]:
            while limit.concurrent and not await self._endpoints.take_slot(spec, limit.concurrent):
                await asyncio.sleep(PAUSE)
            try:
                while limit.per_minute and (seconds := await self._endpoints.take_token(spec, limit.per_minute)):
                    await asyncio.sleep(seconds)
            except asyncio.CancelledError:
                await self.leave(spec)
                raise

    async def leave(self, spec: str) -> None:
        """Give it back."""
        if (limit := self._limits.get(spec)) and limit.concurrent:
            await self._endpoints.free_slot(spec)


def limits_of(store: Store, plan: Plan) -> Limits:
    """The limits of a plan, held as widely as its runs are run."""
    return SharedLimits(plan.limits, store.endpoints) if store.endpoints else ProcessLimits(plan.limits)
