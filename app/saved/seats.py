"""Links to seats: each opens one person's seat in one run, and what is kept there for them. No token is stored."""

import asyncio
import secrets
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, NamedTuple
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, Field

from ...nodes.cipher import Cipher
from .runs import Execute

TABLES = (
    "CREATE TABLE IF NOT EXISTS moot_seats ("
    "seat TEXT PRIMARY KEY, run TEXT NOT NULL, token TEXT NOT NULL DEFAULT '', about TEXT NOT NULL)",
    "CREATE INDEX IF NOT EXISTS moot_seats_token ON moot_seats (token)",
    "CREATE INDEX IF NOT EXISTS moot_seats_of ON moot_seats (run)",
)


class Kept(BaseModel):
    """Whose seat it is, and what is kept there."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    who: str = Field(description="The name of the person whose seat it is.")
    text: str = Field(default="", description="A text that is not sent yet.")
    late: bool = Field(default=False, description="Whether that text came too late.")
    form: dict[str, list[str]] = Field(default_factory=dict, description="A form that is not sent yet, by field.")
    asked: str = Field(default="", description="The question that form answers.")
    read: int = Field(default=0, ge=0, description="How many of the others' statements are marked as read.")


class Seat(NamedTuple):
    """A seat in a run. `seat`: its own id; `linked`: whether a token opens it."""

    seat: str
    run: str
    linked: bool
    kept: Kept


class Seats:
    """The table of seats of one database."""

    def __init__(self, execute: Execute, cipher: Cipher | None) -> None:
        self._execute, self._cipher, self._linking = execute, cipher, asyncio.Lock()

    async def link(self, run: str, who: str) -> str:
        """A new token for a seat; the one before it opens nothing any more, and what was kept there stays."""
        token = secrets.token_urlsafe(24)
        async with self._linking:
            if not await self._changed(run, who, _hashed(token)):
                row = "INSERT INTO moot_seats (seat, run, token, about) VALUES (?, ?, ?, ?)"
                await self._execute(row, uuid4().hex, run, _hashed(token), self._written(Kept(who=who)))
        return token

    async def revoke(self, run: str, who: str) -> None:
        """Let the token of a seat open nothing any more."""
        await self._changed(run, who, "")

    async def of_run(self, run: str) -> list[Seat]:
        """The seats of a run that ever had a token."""
        rows = await self._execute("SELECT seat, run, token, about FROM moot_seats WHERE run = ?", run)
        return [self._seat(row) for row in rows]

    async def find(self, token: str) -> Seat | None:
        """The seat that a token opens; none if it opens nothing."""
        rows = await self._execute("SELECT seat, run, token, about FROM moot_seats WHERE token = ?", _hashed(token))
        return self._seat(rows[0]) if rows else None

    async def keep(self, seat: str, **news: Any) -> None:
        """Keep something at a seat, beside what is kept there already."""
        ((about,),) = await self._execute("SELECT about FROM moot_seats WHERE seat = ?", seat)
        kept = self._read(about).model_copy(update=news)
        await self._execute("UPDATE moot_seats SET about = ? WHERE seat = ?", self._written(kept), seat)

    async def drop(self, run: str) -> None:
        """Forget the seats of a run."""
        await self._execute("DELETE FROM moot_seats WHERE run = ?", run)

    async def _changed(self, run: str, who: str, token: str) -> bool:
        mine = [one.seat for one in await self.of_run(run) if one.kept.who == who]
        for seat in mine:
            await self._execute("UPDATE moot_seats SET token = ? WHERE seat = ?", token, seat)
        return bool(mine)

    def _seat(self, row: Sequence[Any]) -> Seat:
        return Seat(row[0], row[1], bool(row[2]), self._read(row[3]))

    def _written(self, kept: Kept) -> str:
        text = kept.model_dump_json()
        return self._cipher.seal(text) if self._cipher else text

    def _read(self, text: str) -> Kept:
        return Kept.model_validate_json(self._cipher.unseal(text) if self._cipher and text[:1] != "{" else text)


def _hashed(token: str) -> str:
    return sha256(token.encode()).hexdigest()
