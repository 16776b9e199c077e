"""Tables of experiments: a row for each, and one for each of its started runs, with its spending.

If a cap applies, the spending of a run is recorded call by call: before a call its highest cost, after it its real
cost. The planned spending of a process that died therefore counts as spent.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from ...state.call_record import Call
from ...state.errors import InputError
from ...state.setting_types import Budget
from ...storage.encryption import Cipher
from .runs import Execute

Transaction = Callable[[Callable[[Execute], Awaitable[bool]]], Awaitable[bool]]
"""Function that runs work on a connection of its own, completely or not at all."""

RunState = Literal["begun", "done", "failed", "stopped", "deleted"]
"""State of a run.

A stopped run waits for a resource, a failed one has no result. A deleted run has its spending.
"""

EXPERIMENT_TABLES = (
    "CREATE TABLE IF NOT EXISTS moot_experiments ("
    "name TEXT PRIMARY KEY, started TEXT NOT NULL, about TEXT NOT NULL, visits INTEGER NOT NULL DEFAULT 0)",
    "CREATE TABLE IF NOT EXISTS moot_trials ("
    "run TEXT PRIMARY KEY, experiment TEXT NOT NULL, state TEXT NOT NULL, why TEXT NOT NULL DEFAULT '', "
    "calls BIGINT NOT NULL DEFAULT 0, tokens BIGINT NOT NULL DEFAULT 0, cost DOUBLE PRECISION NOT NULL DEFAULT 0, "
    "held_calls BIGINT NOT NULL DEFAULT 0, held_tokens BIGINT NOT NULL DEFAULT 0, "
    "held_cost DOUBLE PRECISION NOT NULL DEFAULT 0)",
    "CREATE INDEX IF NOT EXISTS moot_trials_of ON moot_trials (experiment)",
)

SPENDING_SUMS = ", ".join(
    f"coalesce(sum(CASE WHEN state = 'begun' AND held_{key} > {key} THEN held_{key} ELSE {key} END), 0) AS {key}"
    for key in Budget.model_fields
)
"""Sums of the spending of runs, and of the highest possible spending of current ones."""

NO_CAP = 9e15


class SavedExperiment(BaseModel):
    """Experiment in its stored form."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str
    started: str = Field(description="When it was begun, ISO 8601, UTC.")
    plan: dict[str, Any] = Field(description="Its plan, items included.")
    hash: str = Field(description="SHA-256 of the plan it was begun with, hexadecimal.")
    model: str = Field(description="The model of those for whom the plan names none.")
    changes: list[str] = Field(default=[], description="What it was given more of since, each with the time.")
    seal: dict[str, Any] | None = Field(default=None, description="What was sealed before the first call.")
    versions: dict[str, str] = Field(default={}, description="Versions it was begun with.")


class RunProgress(NamedTuple):
    """Progress of a run, and its spending."""

    state: RunState
    why: str
    calls: int
    tokens: int
    cost: float


class Experiments:
    """Tables of experiments in one database."""

    def __init__(self, execute: Execute, transaction: Transaction, cipher: Cipher | None) -> None:
        self._execute, self._transaction, self._cipher = execute, transaction, cipher

    async def add_experiment(self, experiment: SavedExperiment) -> bool:
        """Insert a new experiment; return whether its name was free."""
        row = "INSERT INTO moot_experiments (name, started, about) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING "
        return bool(
            await self._execute(
                f"{row} RETURNING name", experiment.name, experiment.started, self._encode_experiment(experiment)
            )
        )

    async def save_experiment(self, experiment: SavedExperiment) -> None:
        """Update a changed experiment."""
        await self._execute(
            "UPDATE moot_experiments SET about = ? WHERE name = ?", self._encode_experiment(experiment), experiment.name
        )

    async def get_experiment(self, name: str) -> SavedExperiment:
        """Return the experiment of this name. Raises `InputError` if it does not exist."""
        if experiment := await self.find_experiment(name):
            return experiment
        names = ", ".join(await self.list_names()) or "none"
        raise InputError("experiment", name, f"no such experiment in this database; there are: {names}")

    async def find_experiment(self, name: str) -> SavedExperiment | None:
        """Return the experiment of this name, or `None`."""
        rows = await self._execute("SELECT about FROM moot_experiments WHERE name = ?", name)
        return SavedExperiment.model_validate(json.loads(self._decrypt_text(rows[0][0]))) if rows else None

    async def list_names(self) -> list[str]:
        """List the names of all experiments, newest first."""
        return [
            name for (name,) in await self._execute("SELECT name FROM moot_experiments ORDER BY started DESC, name")
        ]

    async def list_progress(self, name: str) -> dict[str, RunProgress]:
        """Return the progress of each started run, by name."""
        columns = "SELECT run, state, why, calls, tokens, cost FROM moot_trials WHERE experiment = ?"
        rows = await self._execute(columns, name)
        return {run: RunProgress(state, self._decrypt_text(why), *spent) for run, state, why, *spent in rows}

    async def find_progress(self, run: str) -> RunProgress | None:
        """Return the progress of one run, or `None` if it was not started."""
        columns = "SELECT state, why, calls, tokens, cost FROM moot_trials WHERE run = ?"
        rows = await self._execute(columns, run)
        return RunProgress(rows[0][0], self._decrypt_text(rows[0][1]), *rows[0][2:]) if rows else None

    async def mark_failed_stopped(self, name: str) -> None:
        """Mark failed runs as stopped, so that they can be tried again."""
        await self._execute("UPDATE moot_trials SET state = 'stopped' WHERE experiment = ? AND state = 'failed'", name)

    async def reserve_budget(self, name: str, run: str, budget: Budget, cap: Mapping[str, float | None]) -> bool:
        """Reserve the highest spending of a run; return whether that much is left of the experiment's cap."""
        amounts = [getattr(budget, key) or 0 for key in Budget.model_fields]

        async def insert_run(execute: Execute) -> bool:
            await execute("UPDATE moot_experiments SET visits = visits + 1 WHERE name = ?", name)  # locks the row
            query = f"SELECT {SPENDING_SUMS} FROM moot_trials WHERE experiment = ? AND run <> ?"
            (totals,) = await execute(query, name, run)
            for key, amount, total in zip(Budget.model_fields, amounts, totals, strict=True):
                if (limit := cap.get(key)) is not None and amount + total > limit:
                    return False
            statement = "INSERT INTO moot_trials (run, experiment, state, held_calls, held_tokens, held_cost) "
            changes = "state = 'begun', why = '', held_calls = ?, held_tokens = ?, held_cost = ?"
            statement += f"VALUES (?, ?, 'begun', ?, ?, ?) ON CONFLICT (run) DO UPDATE SET {changes}"
            await execute(statement, run, name, *amounts, *amounts)
            return True

        return await self._transaction(insert_run)

    async def count_planned_call(self, run: str, planned: "Spending", reserve: "Spending", budget: Budget) -> bool:
        """Count a call before it is made; return whether it and `reserve` fit in the run's budget."""
        caps = [getattr(budget, key) or NO_CAP for key in Budget.model_fields]
        conditions = " AND ".join(f"{key} + ? <= ?" for key in Budget.model_fields)
        bounds = [
            value
            for amount, reserved, cap in zip(planned, reserve, caps, strict=True)
            for value in (amount + reserved, cap)
        ]
        statement = "UPDATE moot_trials SET calls = calls + ?, tokens = tokens + ?, cost = cost + ? WHERE run = ?"
        return bool(await self._execute(f"{statement} AND {conditions} RETURNING run", *planned, run, *bounds))

    async def count_real_cost(self, run: str, planned: "Spending", actual: "Spending") -> None:
        """Replace the planned cost of a call by its real cost."""
        differences = [after - before for before, after in zip(planned, actual, strict=True)]
        statement = "UPDATE moot_trials SET calls = calls + ?, tokens = tokens + ?, cost = cost + ? WHERE run = ?"
        await self._execute(statement, *differences, run)

    async def record_end(self, run: str, state: RunState, reason: str, minimum: "Spending") -> None:
        """Record the end of a run; its spending is the counted amount, or that of its record if it is higher."""
        counts = ", ".join(f"{key} = CASE WHEN {key} < ? THEN ? ELSE {key} END" for key in Budget.model_fields)
        amounts = [value for amount in minimum for value in (amount, amount)]
        statement = f"UPDATE moot_trials SET state = ?, why = ?, {counts} WHERE run = ?"
        await self._execute(statement, state, self._encrypt_text(reason), *amounts, run)

    async def record_deletion(self, run: str, moment: str) -> None:
        """Count a deleted run as failed; a row of its own keeps its spending, even if it runs again."""
        columns, condition = "calls, tokens, cost", "run = ? AND state <> 'begun'"
        run_reason, row_reason = (
            self._encrypt_text("it was deleted"),
            self._encrypt_text("what it had spent stays counted"),
        )

        async def replace_run(execute: Execute) -> bool:
            statement = f"INSERT INTO moot_trials (run, experiment, state, why, {columns})"
            statement += f" SELECT ?, experiment, 'deleted', ?, {columns} FROM moot_trials WHERE {condition}"
            await execute(statement, f"{run}, {moment}", row_reason, run)
            update = (
                f"UPDATE moot_trials SET state = 'failed', why = ?, calls = 0, tokens = 0, cost = 0 WHERE {condition}"
            )
            await execute(update, run_reason, run)
            return True

        if await self.find_progress(run):
            await self._transaction(replace_run)

    def _encode_experiment(self, experiment: SavedExperiment) -> str:
        return self._encrypt_text(experiment.model_dump_json())

    def _encrypt_text(self, text: str) -> str:
        return self._cipher.encrypt_text(text) if self._cipher and text else text

    def _decrypt_text(self, text: str) -> str:
        return self._cipher.decrypt_text(text) if self._cipher and text and not text.startswith("{") else text


class Spending(NamedTuple):
    """Calls, tokens, and cost."""

    calls: int
    tokens: int
    cost: float


def sum_spending(calls: list[Call], prices: Any) -> Spending:
    """Sum the spending of calls."""
    capped_calls = [call.capped_call for call in calls]
    return Spending(
        len(capped_calls),
        sum(call.tokens for call in capped_calls),
        prices.compute_cost(capped_calls) if prices else 0.0,
    )
