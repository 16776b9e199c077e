"""Load on model endpoints, shared by all processes with the same PostgreSQL database.

Each endpoint has slots and a bucket of tokens. A slot is an advisory lock: if a process dies, the server frees its
slots. A token returns a minute after its use, by the server's clock.
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
"""Statement that locks the first free slot.

It skips slots that this connection has, because the server would grant them a second time.
"""

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


class EndpointSlots:
    """Slots and tokens of endpoints that this connection has taken."""

    def __init__(self, execute: Execute) -> None:
        self._execute, self._slot_lock = execute, asyncio.Lock()
        self._slots: defaultdict[str, list[int]] = defaultdict(list)
        self._token_limits: dict[str, int] = {}

    async def take_slot(self, endpoint: str, limit: int) -> bool:
        """Try to take one of the endpoint's `limit` slots. Return whether one was free."""
        async with self._slot_lock:
            slot_numbers = self._slots[endpoint]
            rows = await self._execute(LOCK_SLOT, limit, list(slot_numbers), endpoint)
            slot_numbers += [number for (number,) in rows]
            return bool(rows)

    async def release_slot(self, endpoint: str) -> None:
        """Free one slot of the endpoint that this connection took."""
        async with self._slot_lock:
            slot_number = self._slots[endpoint].pop()
            await self._execute(f"SELECT pg_advisory_unlock({SLOT_KEY.format(number='?::int')})", slot_number, endpoint)

    async def take_token(self, endpoint: str, limit: int) -> float:
        """Try to take one of the endpoint's `limit` tokens. Return 0, or seconds until the next token is free."""
        if self._token_limits.get(endpoint, 0) < limit:
            await self._execute(ADD_TOKENS, endpoint, limit)
            self._token_limits[endpoint] = limit
        if await self._execute(TAKE_TOKEN, endpoint, endpoint, limit):
            return 0
        ((seconds,),) = await self._execute(NEXT_TOKEN, endpoint, limit)
        return max(0.02, float(seconds))
