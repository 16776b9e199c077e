"""Tables of experiments: one row for each experiment, and one for each started run with its spending.

A current run counts with its whole budget, or with its amount in the journal of requests if that is higher.
"""

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from ...state.call_record import Call
from ...state.errors import InputError
from ...state.setting_types import Budget
from ...storage.encryption import Cipher
from ...storage.spend_journal import SPENDING_SUMS as JOURNAL_SUMS
from .runs import Execute, Table

RunState = Literal["begun", "done", "failed", "stopped", "deleted"]
"""State of a run.

`stopped`: waits for a resource. `failed`: has no result. `deleted`: only its spending is left.
"""

SPENDING_KEYS = ("calls", "tokens", "cost")
"""Amounts that an experiment counts for each run."""

EXPERIMENT_TABLES = (
    "CREATE TABLE IF NOT EXISTS moot_experiments ("
    "name TEXT PRIMARY KEY, started TEXT NOT NULL, about TEXT NOT NULL, visits INTEGER NOT NULL DEFAULT 0)",
    "CREATE TABLE IF NOT EXISTS moot_trials ("
    "run TEXT PRIMARY KEY, experiment TEXT NOT NULL, state TEXT NOT NULL, why TEXT NOT NULL DEFAULT '', "
    "failure TEXT NOT NULL DEFAULT '', attempts BIGINT NOT NULL DEFAULT 0, "
    "calls BIGINT NOT NULL DEFAULT 0, tokens BIGINT NOT NULL DEFAULT 0, cost DOUBLE PRECISION NOT NULL DEFAULT 0, "
    "held_calls BIGINT NOT NULL DEFAULT 0, held_tokens BIGINT NOT NULL DEFAULT 0, "
    "held_cost DOUBLE PRECISION NOT NULL DEFAULT 0)",
    "CREATE INDEX IF NOT EXISTS moot_trials_of ON moot_trials (experiment)",
)

SPENDING_SUMS = ", ".join(
    f"coalesce(sum(CASE WHEN state = 'begun' AND held_{key} > {key} THEN held_{key} ELSE {key} END), 0) AS {key}"
    for key in SPENDING_KEYS
)
"""SQL for the sums of the spending of runs. A current run counts with its reserved spending if that is higher."""
CURRENT_SPENDING = ", ".join(
    f"CASE WHEN state = 'begun' THEN ({query}) ELSE {key} END AS {key}"
    for key in SPENDING_KEYS
    for query in [f"SELECT {key} FROM (SELECT {JOURNAL_SUMS} FROM moot_spend WHERE run = moot_trials.run) AS sums"]
)
"""SQL for the columns of a run's spending. The spending of a current run is in the journal of requests."""

PROGRESS_COLUMNS = f"state, why, {CURRENT_SPENDING}, failure, attempts"


class TalkForecast(BaseModel):
    """Expected spending of a deliberation under one condition, and the maximum number of samples for it."""

    model_config = ConfigDict(frozen=True)

    calls: float
    tokens: float
    cost: float | None = None
    samples: int = 1


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
    forecasts: dict[str, TalkForecast] = Field(default={}, description="What its talks were expected to spend.")
    closed: str = Field(default="", description="When it was closed, ISO 8601, UTC; empty: it is open.")
    close_reason: str = Field(default="", description="Why it was closed.")


class RunProgress(NamedTuple):
    """Progress and spending of a run.

    `failure`: kind of the failure that counts, even if a later retry succeeds. `attempts`: number of failed attempts.
    """

    state: RunState
    why: str
    calls: int
    tokens: int
    cost: float
    failure: str = ""
    attempts: int = 0


class Experiments(Table):
    """Tables of experiments in one database."""

    def __init__(
        self,
        execute: Execute,
        transaction: Callable[[Callable[[Execute], Awaitable[bool]]], Awaitable[bool]],
        cipher: Cipher | None,
    ) -> None:
        super().__init__(execute, cipher)
        self._transaction = transaction

    async def add_experiment(self, experiment: SavedExperiment) -> bool:
        """Insert a new experiment. Return whether its name was free."""
        statement = (
            "INSERT INTO moot_experiments (name, started, about) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING "
        )
        return bool(
            await self._execute(
                f"{statement} RETURNING name",
                experiment.name,
                experiment.started,
                self._encrypt(experiment.model_dump_json()),
            )
        )

    async def save_experiment(self, experiment: SavedExperiment) -> None:
        """Update a changed experiment."""
        await self._execute(
            "UPDATE moot_experiments SET about = ? WHERE name = ?",
            self._encrypt(experiment.model_dump_json()),
            experiment.name,
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
        return SavedExperiment.model_validate(json.loads(self._decrypt(rows[0][0]))) if rows else None

    async def list_names(self) -> list[str]:
        """List the names of all experiments, newest first."""
        return [
            name for (name,) in await self._execute("SELECT name FROM moot_experiments ORDER BY started DESC, name")
        ]

    async def list_progress(self, name: str) -> dict[str, RunProgress]:
        """Return the progress of each started run, by name."""
        query = f"SELECT run, {PROGRESS_COLUMNS} FROM moot_trials WHERE experiment = ?"
        rows = await self._execute(query, name)
        return {run: RunProgress(state, self._decrypt(reason), *figures) for run, state, reason, *figures in rows}

    async def get_progress(self, run: str) -> RunProgress:
        """Return the progress of a run that was started."""
        progress = await self.find_progress(run)
        assert progress is not None
        return progress

    async def find_progress(self, run: str) -> RunProgress | None:
        """Return the progress of one run, or `None` if it was not started."""
        query = f"SELECT {PROGRESS_COLUMNS} FROM moot_trials WHERE run = ?"
        rows = await self._execute(query, run)
        return RunProgress(rows[0][0], self._decrypt(rows[0][1]), *rows[0][2:]) if rows else None

    async def reset_failed_runs(self, name: str) -> None:
        """Mark the failed runs of an experiment as stopped, so that they are repeated."""
        await self._execute("UPDATE moot_trials SET state = 'stopped' WHERE experiment = ? AND state = 'failed'", name)

    async def reopen_runs(self, runs: Iterable[str]) -> None:
        """Mark finished runs as stopped, so that they continue."""
        for run in runs:
            await self._execute("UPDATE moot_trials SET state = 'stopped' WHERE run = ? AND state = 'done'", run)

    async def reserve_budget(self, name: str, run: str, budget: Budget, cap: Mapping[str, float | None]) -> bool:
        """Try to reserve a run's maximum spending. Return whether the experiment's cap allows it."""
        reserved_amounts = [getattr(budget, key) or 0 for key in SPENDING_KEYS]

        async def insert_run(execute: Execute) -> bool:
            await execute("UPDATE moot_experiments SET visits = visits + 1 WHERE name = ?", name)  # locks the row
            query = f"SELECT {SPENDING_SUMS} FROM moot_trials WHERE experiment = ? AND run <> ?"
            (totals,) = await execute(query, name, run)
            for key, amount, total in zip(SPENDING_KEYS, reserved_amounts, totals, strict=True):
                if (limit := cap.get(key)) is not None and amount + total > limit:
                    return False
            statement = "INSERT INTO moot_trials (run, experiment, state, held_calls, held_tokens, held_cost) "
            assignments = "state = 'begun', why = '', held_calls = ?, held_tokens = ?, held_cost = ?"
            statement += f"VALUES (?, ?, 'begun', ?, ?, ?) ON CONFLICT (run) DO UPDATE SET {assignments}"
            await execute(statement, run, name, *reserved_amounts, *reserved_amounts)
            return True

        return await self._transaction(insert_run)

    async def record_end(
        self, run: str, state: RunState, reason: str, minimum: "Spending", failure: str = "", max_attempts: int = 1
    ) -> None:
        """Record the end of a run. Its spending is the counted amount, but at least `minimum`.

        `failure`: kind of the failure. Before attempt number `max_attempts`, the run is only stopped; from then on, it
        counts as failed.
        """
        assignments = ", ".join(f"{key} = CASE WHEN {key} < ? THEN ? ELSE {key} END" for key in SPENDING_KEYS)
        amounts = [value for amount in minimum for value in (amount, amount)]
        statement = f"UPDATE moot_trials SET state = ?, why = ?, {assignments} WHERE run = ?"
        await self._execute(statement, state, self._encrypt(reason), *amounts, run)
        if failure:
            failed_state = "state = CASE WHEN attempts + 1 < ? THEN 'stopped' ELSE 'failed' END"
            failure_clause = "failure = CASE WHEN failure = '' AND attempts + 1 >= ? THEN ? ELSE failure END"
            statement = (
                f"UPDATE moot_trials SET attempts = attempts + 1, {failed_state}, {failure_clause} WHERE run = ?"
            )
            await self._execute(statement, max_attempts, max_attempts, failure, run)

    async def close_runs(self, experiment: str, runs: Iterable[str], reason: str) -> None:
        """Record every run that has not ended as failed.

        The reason is `stopped`, or `not_begun` for a run without a record.
        """
        statement = (
            "INSERT INTO moot_trials (run, experiment, state, why, failure) VALUES (?, ?, 'failed', ?, 'not_begun') "
            "ON CONFLICT (run) DO UPDATE SET state = 'failed', why = excluded.why, failure = CASE "
            "WHEN moot_trials.failure = '' THEN 'stopped' ELSE moot_trials.failure END "
            "WHERE moot_trials.state IN ('begun', 'stopped')"
        )
        for run in runs:
            await self._execute(statement, run, experiment, self._encrypt(reason))

    async def record_deletion(self, run: str, moment: str) -> None:
        """Count a deleted run as failed. A separate row keeps its spending, even if the run is repeated."""
        columns, condition = "calls, tokens, cost", "run = ? AND state <> 'begun'"
        run_reason, row_reason = map(self._encrypt, ("it was deleted", "what it had spent stays counted"))

        async def replace_run(execute: Execute) -> bool:
            insert_statement = f"INSERT INTO moot_trials (run, experiment, state, why, {columns})"
            insert_statement += f" SELECT ?, experiment, 'deleted', ?, {columns} FROM moot_trials WHERE {condition}"
            await execute(insert_statement, f"{run}, {moment}", row_reason, run)
            update_statement = (
                "UPDATE moot_trials SET state = 'failed', why = ?, calls = 0, tokens = 0, cost = 0, failure = CASE "
                f"WHEN failure = '' THEN 'stopped' ELSE failure END WHERE {condition}"
            )
            await execute(update_statement, run_reason, run)
            return True

        if await self.find_progress(run):
            await self._transaction(replace_run)


class Spending(NamedTuple):
    """Calls, tokens, and cost."""

    calls: int
    tokens: int
    cost: float

    def add(self, other: "Spending", sign: int = 1) -> "Spending":
        """Return the sum of both, or the difference for a `sign` of -1."""
        return Spending(
            self.calls + sign * other.calls, self.tokens + sign * other.tokens, self.cost + sign * other.cost
        )

    def with_minimum(self, other: "Spending") -> "Spending":
        """Return the higher of each amount."""
        return Spending(max(self.calls, other.calls), max(self.tokens, other.tokens), max(self.cost, other.cost))


NO_SPENDING = Spending(0, 0, 0.0)


def sum_spending(calls: list[Call], prices: Any) -> Spending:
    """Sum the spending of calls."""
    capped_calls = [call.capped_call for call in calls]
    return Spending(
        len(capped_calls),
        sum(call.tokens for call in capped_calls),
        prices.compute_cost(capped_calls) if prices else 0.0,
    )
