"""Limits on the load of endpoints, within one process or across all that share a database."""

import asyncio
import time
from collections import deque
from collections.abc import Mapping
from typing import Protocol

from ..saved import Store
from ..saved.endpoints import Endpoints
from .plan import EndpointLimit, Plan

MINUTE_SECONDS = 60.0
SLOT_RETRY_SECONDS = 0.03
"""Seconds before the next request for a slot that all processes share."""


class EndpointLimits(Protocol):
    """Protocol of limits that give out slots at endpoints; model specs name the endpoints."""

    async def take_slot(self, spec: str) -> None:
        """Wait for a slot at the endpoint `spec`."""

    async def release_slot(self, spec: str) -> None:
        """Release a slot at the endpoint `spec`."""


class EndpointSlots:
    """Slots at one endpoint: a number at once and a number within any minute."""

    def __init__(self, limit: EndpointLimit) -> None:
        self._slots = asyncio.Semaphore(limit.concurrent) if limit.concurrent else None
        self._per_minute, self._start_times = limit.per_minute, deque[float]()
        self._lock = asyncio.Lock()

    async def take_slot(self) -> None:
        """Wait for a slot."""
        if self._slots:
            await self._slots.acquire()
        try:
            await self._wait_for_rate()
        except asyncio.CancelledError:
            self.release_slot()
            raise

    async def _wait_for_rate(self) -> None:
        if self._per_minute is None:
            return
        async with self._lock:
            if len(self._start_times) >= self._per_minute:
                await asyncio.sleep(self._start_times.popleft() + MINUTE_SECONDS - time.monotonic())
            self._start_times.append(time.monotonic())

    def release_slot(self) -> None:
        """Release the slot."""
        if self._slots:
            self._slots.release()


class ProcessLimits:
    """Limits of a plan within this process."""

    def __init__(self, limits: Mapping[str, EndpointLimit]) -> None:
        self._endpoints = {spec: EndpointSlots(limit) for spec, limit in limits.items()}

    async def take_slot(self, spec: str) -> None:
        """Wait for a slot."""
        if endpoint := self._endpoints.get(spec):
            await endpoint.take_slot()

    async def release_slot(self, spec: str) -> None:
        """Release the slot."""
        if endpoint := self._endpoints.get(spec):
            endpoint.release_slot()


class SharedLimits:
    """Limits of a plan across all processes of a database; within one process, calls wait in order."""

    def __init__(self, limits: Mapping[str, EndpointLimit], endpoints: Endpoints) -> None:
        self._limits, self._endpoints = limits, endpoints
        self._locks = {spec: asyncio.Lock() for spec in limits}

    async def take_slot(self, spec: str) -> None:
        """Wait for a slot."""
        if (limit := self._limits.get(spec)) is None:
            return
        async with self._locks[spec]:
            while limit.concurrent and not await self._endpoints.take_slot(spec, limit.concurrent):
                await asyncio.sleep(SLOT_RETRY_SECONDS)
            try:
                while limit.per_minute and (seconds := await self._endpoints.take_token(spec, limit.per_minute)):
                    await asyncio.sleep(seconds)
            except asyncio.CancelledError:
                await self.release_slot(spec)
                raise

    async def release_slot(self, spec: str) -> None:
        """Release the slot."""
        if (limit := self._limits.get(spec)) and limit.concurrent:
            await self._endpoints.free_slot(spec)


def make_limits(store: Store, plan: Plan) -> EndpointLimits:
    """Return the limits of a plan, shared by all processes if the database supports it."""
    return SharedLimits(plan.limits, store.endpoints) if store.endpoints else ProcessLimits(plan.limits)
