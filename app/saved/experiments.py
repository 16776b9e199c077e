"""Experiments: a row for each, and one for each of its runs that was begun, with what it has spent.

What a run has spent is written down call by call where a cap is to hold: before a call the most it can cost, after it
what it did cost. So what a process that died was about to spend counts as spent.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from ...nodes.cipher import Cipher
from ...state.incident import Call
from ...state.refused import Refused
from ...state.settings import Budget
from .runs import Execute

Transaction = Callable[[Callable[[Execute], Awaitable[bool]]], Awaitable[bool]]
"""Does what is given on a connection of its own, all of it or nothing."""

State = Literal["begun", "done", "failed", "stopped", "deleted"]
"""How far a run has come: a stopped one waits for what it needs; a failed one came to no result; of a deleted one
there is what it spent."""

TABLES = (
    "CREATE TABLE IF NOT EXISTS moot_experiments ("
    "name TEXT PRIMARY KEY, started TEXT NOT NULL, about TEXT NOT NULL, visits INTEGER NOT NULL DEFAULT 0)",
    "CREATE TABLE IF NOT EXISTS moot_trials ("
    "run TEXT PRIMARY KEY, experiment TEXT NOT NULL, state TEXT NOT NULL, why TEXT NOT NULL DEFAULT '', "
    "calls BIGINT NOT NULL DEFAULT 0, tokens BIGINT NOT NULL DEFAULT 0, cost DOUBLE PRECISION NOT NULL DEFAULT 0, "
    "held_calls BIGINT NOT NULL DEFAULT 0, held_tokens BIGINT NOT NULL DEFAULT 0, "
    "held_cost DOUBLE PRECISION NOT NULL DEFAULT 0)",
    "CREATE INDEX IF NOT EXISTS moot_trials_of ON moot_trials (experiment)",
)

HELD = ", ".join(
    f"coalesce(sum(CASE WHEN state = 'begun' AND held_{key} > {key} THEN held_{key} ELSE {key} END), 0) AS {key}"
    for key in Budget.model_fields
)
"""What runs have spent, or while they are under way may spend."""

NO_CAP = 9e15


class Stored(BaseModel):
    """An experiment as it is stored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str
    started: str = Field(description="When it was begun, ISO 8601, UTC.")
    plan: dict[str, Any] = Field(description="Its plan, items included.")
    hash: str = Field(description="SHA-256 of the plan it was begun with, hexadecimal.")
    model: str = Field(description="The model of those for whom the plan names none.")
    changes: list[str] = Field(default=[], description="What it was given more of since, each with the time.")
    seal: dict[str, Any] | None = Field(default=None, description="What was sealed before the first call.")
    versions: dict[str, str] = Field(default={}, description="Versions it was begun with.")


class Standing(NamedTuple):
    """Where a run stands, and what it has spent."""

    state: State
    why: str
    calls: int
    tokens: int
    cost: float


class Experiments:
    """The tables of experiments of one database."""

    def __init__(self, execute: Execute, transaction: Transaction, cipher: Cipher | None) -> None:
        self._execute, self._transaction, self._cipher = execute, transaction, cipher

    async def add(self, one: Stored) -> bool:
        """Enter a new experiment; false if its name is taken."""
        row = "INSERT INTO moot_experiments (name, started, about) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING "
        return bool(await self._execute(f"{row} RETURNING name", one.name, one.started, self._sealed(one)))

    async def save(self, one: Stored) -> None:
        """Enter what has changed."""
        await self._execute("UPDATE moot_experiments SET about = ? WHERE name = ?", self._sealed(one), one.name)

    async def get(self, name: str) -> Stored:
        """The experiment of this name; raises `Refused` if there is none."""
        if found := await self.find(name):
            return found
        names = ", ".join(await self.names()) or "none"
        raise Refused("experiment", name, f"no such experiment in this database; there are: {names}")

    async def find(self, name: str) -> Stored | None:
        """The experiment of this name; none if there is none."""
        rows = await self._execute("SELECT about FROM moot_experiments WHERE name = ?", name)
        return Stored.model_validate(json.loads(self._opened(rows[0][0]))) if rows else None

    async def names(self) -> list[str]:
        """The names of all, newest first."""
        return [
            name for (name,) in await self._execute("SELECT name FROM moot_experiments ORDER BY started DESC, name")
        ]

    async def standings(self, name: str) -> dict[str, Standing]:
        """Where each of its runs stands that was begun."""
        columns = "SELECT run, state, why, calls, tokens, cost FROM moot_trials WHERE experiment = ?"
        rows = await self._execute(columns, name)
        return {run: Standing(state, self._opened(why), *spent) for run, state, why, *spent in rows}

    async def standing(self, run: str) -> Standing | None:
        """Where one run stands; none: it was not begun."""
        columns = "SELECT state, why, calls, tokens, cost FROM moot_trials WHERE run = ?"
        rows = await self._execute(columns, run)
        return Standing(rows[0][0], self._opened(rows[0][1]), *rows[0][2:]) if rows else None

    async def reopen(self, name: str) -> None:
        """Let the runs that failed be tried again: they count as stopped."""
        await self._execute("UPDATE moot_trials SET state = 'stopped' WHERE experiment = ? AND state = 'failed'", name)

    async def begin(self, name: str, run: str, own: Budget, cap: Mapping[str, float | None]) -> bool:
        """Hold for a run what it may spend; false if that is no longer left of what all may spend."""
        held = [getattr(own, key) or 0 for key in Budget.model_fields]

        async def hold(execute: Execute) -> bool:
            await execute("UPDATE moot_experiments SET visits = visits + 1 WHERE name = ?", name)  # locks it
            others = f"SELECT {HELD} FROM moot_trials WHERE experiment = ? AND run <> ?"
            (spent,) = await execute(others, name, run)
            for key, mine, theirs in zip(Budget.model_fields, held, spent, strict=True):
                if (most := cap.get(key)) is not None and mine + theirs > most:
                    return False
            row = "INSERT INTO moot_trials (run, experiment, state, held_calls, held_tokens, held_cost) "
            again = "state = 'begun', why = '', held_calls = ?, held_tokens = ?, held_cost = ?"
            row += f"VALUES (?, ?, 'begun', ?, ?, ?) ON CONFLICT (run) DO UPDATE SET {again}"
            await execute(row, run, name, *held, *held)
            return True

        return await self._transaction(hold)

    async def spend(self, run: str, ahead: "Spending", left: "Spending", own: Budget) -> bool:
        """Count a call before it is made; false if it, and what is to be `left`, could pass what the run may spend."""
        caps = [getattr(own, key) or NO_CAP for key in Budget.model_fields]
        fits = " AND ".join(f"{key} + ? <= ?" for key in Budget.model_fields)
        needs = [value for one, rest, cap in zip(ahead, left, caps, strict=True) for value in (one + rest, cap)]
        counted = "UPDATE moot_trials SET calls = calls + ?, tokens = tokens + ?, cost = cost + ? WHERE run = ?"
        return bool(await self._execute(f"{counted} AND {fits} RETURNING run", *ahead, run, *needs))

    async def settle(self, run: str, ahead: "Spending", made: "Spending") -> None:
        """Count a call for what it did cost."""
        less = [after - before for before, after in zip(ahead, made, strict=True)]
        counted = "UPDATE moot_trials SET calls = calls + ?, tokens = tokens + ?, cost = cost + ? WHERE run = ?"
        await self._execute(counted, *less, run)

    async def end(self, run: str, state: State, why: str, least: "Spending") -> None:
        """Write down how a run ended; it has spent what was counted, or at least what its record says."""
        counts = ", ".join(f"{key} = CASE WHEN {key} < ? THEN ? ELSE {key} END" for key in Budget.model_fields)
        twice = [value for one in least for value in (one, one)]
        ended = f"UPDATE moot_trials SET state = ?, why = ?, {counts} WHERE run = ?"
        await self._execute(ended, state, self._text(why), *twice, run)

    async def lose(self, run: str, at: str) -> None:
        """Let a run that is deleted count as failed; a row of its own keeps what it had spent, whatever comes of it."""
        spent, ended = "calls, tokens, cost", "run = ? AND state <> 'begun'"
        first, kept = self._text("it was deleted"), self._text("what it had spent stays counted")

        async def lost(execute: Execute) -> bool:
            row = f"INSERT INTO moot_trials (run, experiment, state, why, {spent})"
            row += f" SELECT ?, experiment, 'deleted', ?, {spent} FROM moot_trials WHERE {ended}"
            await execute(row, f"{run}, {at}", kept, run)
            failed = f"UPDATE moot_trials SET state = 'failed', why = ?, calls = 0, tokens = 0, cost = 0 WHERE {ended}"
            await execute(failed, first, run)
            return True

        if await self.standing(run):
            await self._transaction(lost)

    def _sealed(self, one: Stored) -> str:
        return self._text(one.model_dump_json())

    def _text(self, text: str) -> str:
        return self._cipher.seal(text) if self._cipher and text else text

    def _opened(self, text: str) -> str:
        return self._cipher.unseal(text) if self._cipher and text and not text.startswith("{") else text


class Spending(NamedTuple):
    """Calls, tokens, money."""

    calls: int
    tokens: int
    cost: float


def spending(calls: list[Call], prices: Any) -> Spending:
    """What calls have cost."""
    counted = [one.for_caps for one in calls]
    return Spending(len(counted), sum(one.tokens for one in counted), prices.cost(counted) if prices else 0.0)
