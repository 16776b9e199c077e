"""Load of endpoints by all processes on a PostgreSQL database: slots and a bucket of tokens for each.

A slot is an advisory lock on the connection, so that the server frees those of a process that died. A token returns
a minute after its use, by the server's clock.
"""

import asyncio
from collections import defaultdict

from .runs import Execute

ENDPOINT_TABLES = (
    "CREATE TABLE IF NOT EXISTS moot_tokens ("
    "endpoint TEXT, number INTEGER, taken TIMESTAMPTZ NOT NULL DEFAULT 'epoch', PRIMARY KEY (endpoint, number))",
    "CREATE INDEX IF NOT EXISTS moot_tokens_taken ON moot_tokens (endpoint, taken)",
)
SLOT_KEY = "hashtextextended('moot slot ' || {number} || ' ' || ?::text, 0)"
LOCK_SLOT = (
    "SELECT number FROM generate_series(1, ?::int) AS number WHERE CASE WHEN number = ANY(?::int[]) THEN false "
    f"ELSE pg_try_advisory_lock({SLOT_KEY.format(number='number')}) END LIMIT 1"
)
"""Statement that locks the first free slot. It skips its own slots, which would be granted again."""

ADD_TOKENS = "INSERT INTO moot_tokens (endpoint, number) SELECT ?, generate_series(1, ?::int) ON CONFLICT DO NOTHING"
TAKE_TOKEN = (
    "UPDATE moot_tokens SET taken = clock_timestamp() WHERE endpoint = ? AND number = ("
    "SELECT number FROM moot_tokens WHERE endpoint = ? AND number <= ? "
    "AND taken <= clock_timestamp() - interval '1 minute' ORDER BY taken LIMIT 1 FOR UPDATE SKIP LOCKED) "
    "RETURNING number"
)
NEXT_TOKEN = (
    "SELECT extract(epoch FROM min(taken) + interval '1 minute' - clock_timestamp())::float8 "
    "FROM moot_tokens WHERE endpoint = ? AND number <= ?"
)
MIN_TOKEN_WAIT = 0.02
"""Seconds to the next request for a token that another process is taking."""


class Endpoints:
    """Slots and tokens of endpoints, as held by this connection."""

    def __init__(self, execute: Execute) -> None:
        self._execute, self._turn = execute, asyncio.Lock()
        self._slots: defaultdict[str, list[int]] = defaultdict(list)
        self._filled: dict[str, int] = {}

    async def take_slot(self, endpoint: str, limit: int) -> bool:
        """Take one of `limit` slots; return whether one was free."""
        async with self._turn:
            numbers = self._slots[endpoint]
            rows = await self._execute(LOCK_SLOT, limit, list(numbers), endpoint)
            numbers += [number for (number,) in rows]
            return bool(rows)

    async def free_slot(self, endpoint: str) -> None:
        """Free one slot."""
        async with self._turn:
            number = self._slots[endpoint].pop()
            await self._execute(f"SELECT pg_advisory_unlock({SLOT_KEY.format(number='?::int')})", number, endpoint)

    async def take_token(self, endpoint: str, limit: int) -> float:
        """Take one of `limit` tokens; return 0, or the seconds until one returns."""
        if self._filled.get(endpoint, 0) < limit:
            await self._execute(ADD_TOKENS, endpoint, limit)
            self._filled[endpoint] = limit
        if await self._execute(TAKE_TOKEN, endpoint, endpoint, limit):
            return 0
        ((seconds,),) = await self._execute(NEXT_TOKEN, endpoint, limit)
        return max(MIN_TOKEN_WAIT, float(seconds))
