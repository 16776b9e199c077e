"""How hard endpoints are used by all processes that share a PostgreSQL database: slots, and a bucket of tokens each.

A slot is an advisory lock on the connection, so that the server frees those of a process that died. A token comes back
a minute after it was taken, by the server's clock.
"""

import asyncio
from collections import defaultdict

from .runs import Execute

TABLES = (
    "CREATE TABLE IF NOT EXISTS moot_tokens ("
    "endpoint TEXT, number INTEGER, taken TIMESTAMPTZ NOT NULL DEFAULT 'epoch', PRIMARY KEY (endpoint, number))",
    "CREATE INDEX IF NOT EXISTS moot_tokens_taken ON moot_tokens (endpoint, taken)",
)
KEY = "hashtextextended('moot slot ' || {number} || ' ' || ?::text, 0)"
SLOT = (
    "SELECT number FROM generate_series(1, ?::int) AS number WHERE CASE WHEN number = ANY(?::int[]) THEN false "
    f"ELSE pg_try_advisory_lock({KEY.format(number='number')}) END LIMIT 1"
)
"""The first slot that is free is locked. A connection would be given its own once more: those are left out before."""

FILL = "INSERT INTO moot_tokens (endpoint, number) SELECT ?, generate_series(1, ?::int) ON CONFLICT DO NOTHING"
TAKE = (
    "UPDATE moot_tokens SET taken = clock_timestamp() WHERE endpoint = ? AND number = ("
    "SELECT number FROM moot_tokens WHERE endpoint = ? AND number <= ? "
    "AND taken <= clock_timestamp() - interval '1 minute' ORDER BY taken LIMIT 1 FOR UPDATE SKIP LOCKED) "
    "RETURNING number"
)
NEXT = (
    "SELECT extract(epoch FROM min(taken) + interval '1 minute' - clock_timestamp())::float8 "
    "FROM moot_tokens WHERE endpoint = ? AND number <= ?"
)
SOON = 0.02
"""Seconds after which a token that somebody else is just taking is asked for again."""


class Endpoints:
    """Slots and tokens of endpoints, as this connection holds them."""

    def __init__(self, execute: Execute) -> None:
        self._execute, self._turn = execute, asyncio.Lock()
        self._slots: defaultdict[str, list[int]] = defaultdict(list)
        self._filled: dict[str, int] = {}

    async def take_slot(self, endpoint: str, most: int) -> bool:
        """Take one of so many slots; false if all are taken."""
        async with self._turn:
            mine = self._slots[endpoint]
            rows = await self._execute(SLOT, most, list(mine), endpoint)
            mine += [number for (number,) in rows]
            return bool(rows)

    async def free_slot(self, endpoint: str) -> None:
        """Give one slot back."""
        async with self._turn:
            number = self._slots[endpoint].pop()
            await self._execute(f"SELECT pg_advisory_unlock({KEY.format(number='?::int')})", number, endpoint)

    async def take_token(self, endpoint: str, most: int) -> float:
        """Take one of so many tokens; gives the seconds until one comes back if all are taken, else 0."""
        if self._filled.get(endpoint, 0) < most:
            await self._execute(FILL, endpoint, most)
            self._filled[endpoint] = most
        if await self._execute(TAKE, endpoint, endpoint, most):
            return 0
        ((seconds,),) = await self._execute(NEXT, endpoint, most)
        return max(SOON, float(seconds))
