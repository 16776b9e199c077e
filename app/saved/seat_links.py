"""Links to seats. A link opens one person's seat in one run, with the person's drafts.

Only hashes of the tokens are stored.
"""

import asyncio
import secrets
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, Literal, NamedTuple
from uuid import uuid4

from pydantic import Field

from ...state import FrozenModel
from ...storage import Cipher
from .runs import DatabaseTable, Execute

SEAT_TABLES = (
    "CREATE TABLE IF NOT EXISTS moot_seats ("
    "seat TEXT PRIMARY KEY, run TEXT NOT NULL, token TEXT NOT NULL DEFAULT '', about TEXT NOT NULL)",
    "CREATE INDEX IF NOT EXISTS moot_seats_token ON moot_seats (token)",
    "CREATE INDEX IF NOT EXISTS moot_seats_of ON moot_seats (run)",
)


class SeatRecord(FrozenModel):
    """Data of a seat: the name of its person, and the person's drafts."""

    who: str = Field(description="Name of the person in the seat.")
    text: str = Field(default="", description="Unsent text.")
    is_late: bool = Field(default=False, description="Whether the text came too late.")
    form: dict[str, list[str]] = Field(default_factory=dict, description="Entries of an unsent form, by field.")
    question_key: str = Field(default="", description="Question of the unsent form.")
    arrival: Literal["", "here", "begun"] = Field(
        default="",
        description=(
            "Arrival of the person: took the seat, or also began without waiting for others; empty: not arrived."
        ),
    )
    sent: str = Field(default="", description="Kind of the last sent answer.")
    sent_at: str = Field(default="", description="Time of the last sent answer, ISO 8601, UTC.")
    sent_lines: list[str] = Field(default_factory=list, description="Last sent answer in words.")
    read_count: int = Field(default=0, ge=0, description="Number of the others' statements marked as read.")


class Seat(NamedTuple):
    """Seat of a person in a run.

    `seat`: its id. `has_link`: whether a token opens it.
    """

    seat: str
    run: str
    has_link: bool
    record: SeatRecord


class SeatTable(DatabaseTable):
    """Table of seats in one database."""

    def __init__(self, execute: Execute, cipher: Cipher | None) -> None:
        super().__init__(execute, cipher)
        self._link_lock = asyncio.Lock()

    async def create_link(self, run: str, name: str) -> str:
        """Create and return a new token for a seat. The old token becomes invalid, and the drafts stay."""
        token = secrets.token_urlsafe(24)
        async with self._link_lock:
            if not await self._change_token(run, name, _hash_token(token)):
                await self._insert_seat(run, _hash_token(token), SeatRecord(who=name))
        return token

    async def mark_arrival(self, run: str, name: str) -> None:
        """Record that the person `name` takes their seat without a link, for example at a terminal."""
        async with self._link_lock:
            if not (seats := [seat for seat in await self.list_seats(run) if seat.record.who == name]):
                await self._insert_seat(run, "", SeatRecord(who=name, arrival="begun"))
        for seat in seats:
            await self.save_record(seat.seat, arrival="begun")

    async def _insert_seat(self, run: str, token: str, record: SeatRecord) -> None:
        statement = "INSERT INTO moot_seats (seat, run, token, about) VALUES (?, ?, ?, ?)"
        await self._execute(statement, uuid4().hex, run, token, self._encrypt(record.model_dump_json()))

    async def revoke_link(self, run: str, name: str) -> None:
        """Make the token of a seat invalid."""
        await self._change_token(run, name, "")

    async def list_seats(self, run: str) -> list[Seat]:
        """Return the seats of a run that have or had a token."""
        rows = await self._execute("SELECT seat, run, token, about FROM moot_seats WHERE run = ?", run)
        return [self._make_seat(row) for row in rows]

    async def find_seat(self, token: str) -> Seat | None:
        """Return the seat that a token opens, or `None`."""
        rows = await self._execute("SELECT seat, run, token, about FROM moot_seats WHERE token = ?", _hash_token(token))
        return self._make_seat(rows[0]) if rows else None

    async def save_record(self, seat: str, **changes: Any) -> None:
        """Save changed data of a seat. Other data stays the same."""
        ((encoded_record,),) = await self._execute("SELECT about FROM moot_seats WHERE seat = ?", seat)
        record = SeatRecord.model_validate_json(self._decrypt(encoded_record)).model_copy(update=changes)
        await self._execute(
            "UPDATE moot_seats SET about = ? WHERE seat = ?", self._encrypt(record.model_dump_json()), seat
        )

    async def delete_seats(self, run: str) -> None:
        """Delete the seats of a run."""
        await self._execute("DELETE FROM moot_seats WHERE run = ?", run)

    async def _change_token(self, run: str, name: str, token: str) -> bool:
        seat_ids = [seat.seat for seat in await self.list_seats(run) if seat.record.who == name]
        for seat_id in seat_ids:
            await self._execute("UPDATE moot_seats SET token = ? WHERE seat = ?", token, seat_id)
        return bool(seat_ids)

    def _make_seat(self, row: Sequence[Any]) -> Seat:
        return Seat(row[0], row[1], bool(row[2]), SeatRecord.model_validate_json(self._decrypt(row[3])))


def _hash_token(token: str) -> str:
    return sha256(token.encode()).hexdigest()
