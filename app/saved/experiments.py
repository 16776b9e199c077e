"""Tables of experiments: a row for each experiment, and a row with the spending of each started run.

A current run counts with its whole budget, or with its amount in the journal of requests if that is higher.
"""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import wraps
from typing import Any, Concatenate, Literal, NamedTuple, ParamSpec, TypeVar, cast

from pydantic import Field

from ...state import Budget, Call, FrozenModel, InputError
from ...storage import SPENDING_SUMS as JOURNAL_SUMS, Cipher, get_timestamp
from .ledger import LEDGER_COLUMNS, LEDGER_TABLES, LedgerLine, LineKind, append_line, compute_digest
from .runs import DatabaseTable, Execute, report_damaged_record

P = ParamSpec("P")
T = TypeVar("T")

RunState = Literal["begun", "done", "failed", "stopped", "deleted"]
"""State of a run.

`begun`: in progress. `done`: has a result. `stopped`: waits for a resource. `failed`: has no result. `deleted`: only
its spending is left.
"""

SPENDING_KEYS = ("calls", "tokens", "cost")

EXPERIMENT_TABLES = (
    "CREATE TABLE IF NOT EXISTS moot_experiments ("
    "name TEXT PRIMARY KEY, started TEXT NOT NULL, about TEXT NOT NULL, words TEXT NOT NULL, "
    "visits INTEGER NOT NULL DEFAULT 0)",
    "CREATE TABLE IF NOT EXISTS moot_trials ("
    "run TEXT PRIMARY KEY, experiment TEXT NOT NULL, state TEXT NOT NULL, why TEXT NOT NULL DEFAULT '', "
    "failure TEXT NOT NULL DEFAULT '', attempts BIGINT NOT NULL DEFAULT 0, "
    "calls BIGINT NOT NULL DEFAULT 0, tokens BIGINT NOT NULL DEFAULT 0, cost DOUBLE PRECISION NOT NULL DEFAULT 0, "
    "held_calls BIGINT NOT NULL DEFAULT 0, held_tokens BIGINT NOT NULL DEFAULT 0, "
    "held_cost DOUBLE PRECISION NOT NULL DEFAULT 0)",
    "CREATE INDEX IF NOT EXISTS moot_trials_of ON moot_trials (experiment)",
    *LEDGER_TABLES,
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
PROGRESS_QUERY = f"SELECT {PROGRESS_COLUMNS} FROM moot_trials WHERE run = ?"
EXPERIMENT_QUERY = "SELECT about FROM moot_experiments WHERE name = ?"
LOCK_EXPERIMENT = "UPDATE moot_experiments SET visits = visits + 1 WHERE name = ?"
"""Statement that holds the experiment's row until the end of a transaction."""


class TalkForecast(FrozenModel):
    """Expected spending of a deliberation under one condition, and the maximum number of samples for it."""

    calls: float
    tokens: float
    cost: float | None = None
    samples: int = 1


class SavedExperiment(FrozenModel):
    """Experiment as the database stores it."""

    name: str
    started: str = Field(description="Start of the experiment, ISO 8601, UTC.")
    plan: dict[str, Any] = Field(description="Plan, including its items.")
    hash: str = Field(description="SHA-256 of the original plan, hexadecimal.")
    model: str = Field(description="Model of participants without one in the plan.")
    addresses: dict[str, str] = Field(default={}, description="Variables that chose servers at the start.")
    changes: list[str] = Field(default=[], description="Later extensions of the plan, each with its time.")
    seal: dict[str, Any] | None = Field(
        default=None, description="Seal made before the first call; `None` if not sealed."
    )
    versions: dict[str, str] = Field(default={}, description="Versions of Moot and its libraries at the start.")
    forecasts: dict[str, TalkForecast] = Field(default={}, description="Forecast spending of the deliberations.")
    closed: str = Field(default="", description="Time of the closure, ISO 8601, UTC; empty: open.")
    close_reason: str = Field(default="", description="Reason for the closure.")
    altered: str = Field(default="", exclude=True, description="Parts of an exported folder that do not verify.")

    @property
    def digest(self) -> str:
        """Return the hash of everything that is stored about the experiment."""
        return compute_digest(self.model_dump(mode="json"))


class RunProgress(NamedTuple):
    """Progress and spending of a run in an experiment.

    `failure`: kind of the first counted failure. It stays if a later retry succeeds. `attempts`: number of failed
    attempts.
    """

    state: RunState
    why: str
    calls: int
    tokens: int
    cost: float
    failure: str = ""
    attempts: int = 0

    def compute_digest(self, document: Mapping[str, Any] | None) -> str:
        """Return the hash of this progress and of the run's `document`, which is `None` if no run was saved."""
        return compute_digest({"end": self._asdict(), "document": document})


def in_transaction(
    method: Callable[Concatenate[Any, Execute, P], Awaitable[T]],
) -> Callable[Concatenate[Any, P], Awaitable[T]]:
    """Decorate a method of a table, so that it runs in one transaction.

    The method gets the transaction's `execute` as its first argument.
    """

    @wraps(method)
    async def run_method(self: Any, /, *arguments: P.args, **options: P.kwargs) -> T:
        return cast(T, await self._transaction(lambda execute: method(self, execute, *arguments, **options)))

    return run_method


class ExperimentTables(DatabaseTable):
    """Tables of experiments in one database."""

    def __init__(
        self,
        execute: Execute,
        transaction: Callable[[Callable[[Execute], Awaitable[Any]]], Awaitable[Any]],
        cipher: Cipher | None,
    ) -> None:
        super().__init__(execute, cipher)
        self._transaction = transaction

    @in_transaction
    async def add_experiment(
        self, execute: Execute, experiment: SavedExperiment, words: Mapping[str, str] | None = None
    ) -> bool:
        """Insert a new experiment, unless its name is taken. Return whether it was inserted.

        `words`: sealed templates, personas and terms, by path.
        """
        name = experiment.name
        statement = "INSERT INTO moot_experiments (name, started, about, words) VALUES (?, ?, ?, ?) "
        statement += "ON CONFLICT (name) DO NOTHING RETURNING name"
        texts = map(self._encrypt, (experiment.model_dump_json(), json.dumps(words or {})))
        if not await execute(statement, name, experiment.started, *texts):
            return False
        if experiment.seal is not None:
            await append_line(execute, name, "sealed", what=compute_digest(experiment.seal))
        await append_line(execute, name, "begun", what=experiment.digest)
        return True

    async def load_sealed_texts(self, name: str) -> dict[str, str]:
        """Load the templates, personas and terms that an experiment sealed, by path; empty without a seal."""
        ((words,),) = await self._execute("SELECT words FROM moot_experiments WHERE name = ?", name)
        return dict(json.loads(self._decrypt(words)))

    async def list_ledger(self, name: str) -> list[LedgerLine]:
        """Return the lines of an experiment's ledger, in order."""
        query = f"SELECT {LEDGER_COLUMNS} FROM moot_ledger WHERE experiment = ? ORDER BY n"
        return [LedgerLine(*row) for row in await self._execute(query, name)]

    @in_transaction
    async def save_experiment(
        self, execute: Execute, experiment: SavedExperiment, reopened_runs: Sequence[str] = ()
    ) -> None:
        """Save a changed experiment.

        `reopened_runs`: runs that continue, even if they are finished.
        """
        await self._update_row(execute, experiment, "changed")
        for run in reopened_runs:
            await execute("UPDATE moot_trials SET state = 'stopped' WHERE run = ? AND state = 'done'", run)

    @in_transaction
    async def add_change(self, execute: Execute, name: str, change: str) -> SavedExperiment:
        """Add a change to the saved experiment, unless it is already there. Return the experiment."""
        await execute(LOCK_EXPERIMENT, name)
        experiment = self._decode_experiment(name, *await execute(EXPERIMENT_QUERY, name))
        if not any(entry.endswith(change) for entry in experiment.changes):
            experiment = experiment.model_copy(update={"changes": [*experiment.changes, f"{get_timestamp()} {change}"]})
            await self._update_row(execute, experiment, "changed")
        return experiment

    async def _update_row(self, execute: Execute, experiment: SavedExperiment, kind: LineKind) -> None:
        text = self._encrypt(experiment.model_dump_json())
        await execute("UPDATE moot_experiments SET about = ? WHERE name = ?", text, experiment.name)
        await append_line(execute, experiment.name, kind, what=experiment.digest)

    async def get_experiment(self, name: str) -> SavedExperiment:
        """Return the experiment with this name. Raises `InputError` if it does not exist."""
        if experiment := await self.find_experiment(name):
            return experiment
        names = ", ".join(await self.list_names()) or "none"
        raise InputError("experiment", name, f"this database has no such experiment; it has: {names}")

    async def find_experiment(self, name: str) -> SavedExperiment | None:
        """Return the experiment with this name, or `None`."""
        rows = await self._execute(EXPERIMENT_QUERY, name)
        return self._decode_experiment(name, rows[0]) if rows else None

    def _decode_experiment(self, name: str, row: Sequence[Any]) -> SavedExperiment:
        with report_damaged_record("experiment", name):
            return SavedExperiment.model_validate(json.loads(self._decrypt(row[0])))

    async def list_names(self) -> list[str]:
        """Return the names of all experiments, newest first."""
        return [
            name for (name,) in await self._execute("SELECT name FROM moot_experiments ORDER BY started DESC, name")
        ]

    async def map_progress(self, name: str) -> dict[str, RunProgress]:
        """Return the progress of an experiment's started runs, by name."""
        query = f"SELECT run, {PROGRESS_COLUMNS} FROM moot_trials WHERE experiment = ?"
        return {run: self._decode_progress(row) for run, *row in await self._execute(query, name)}

    async def find_progress(self, run: str) -> RunProgress | None:
        """Return the progress of one run, or `None` if it was not started."""
        rows = await self._execute(PROGRESS_QUERY, run)
        return self._decode_progress(rows[0]) if rows else None

    def _decode_progress(self, row: Sequence[Any]) -> RunProgress:
        state, why, *rest = row
        return RunProgress(state, self._decrypt(why), *rest)

    @in_transaction
    async def reset_failed_runs(self, execute: Execute, experiment: SavedExperiment) -> None:
        """Mark the failed runs of an experiment as stopped. The experiment then repeats them."""
        await execute(LOCK_EXPERIMENT, experiment.name)
        if await execute(
            "UPDATE moot_trials SET state = 'stopped' WHERE experiment = ? AND state = 'failed' RETURNING 1",
            experiment.name,
        ):
            await append_line(execute, experiment.name, "changed", what=experiment.digest)

    @in_transaction
    async def reserve_budget(
        self, execute: Execute, name: str, run: str, budget: Budget, cap: Mapping[str, float | None]
    ) -> bool:
        """Reserve a run's maximum spending, if the experiment's cap allows it. Return whether it does.

        `budget`: the run's caps. `cap`: the experiment's caps.
        """
        reserved_amounts = [getattr(budget, key) or 0 for key in SPENDING_KEYS]
        await execute(LOCK_EXPERIMENT, name)
        (totals,) = await execute(
            f"SELECT {SPENDING_SUMS} FROM moot_trials WHERE experiment = ? AND run <> ?", name, run
        )
        for key, amount, total in zip(SPENDING_KEYS, reserved_amounts, totals, strict=True):
            if (limit := cap.get(key)) is not None and amount + total > limit:
                return False
        statement = "INSERT INTO moot_trials (run, experiment, state, held_calls, held_tokens, held_cost) "
        assignments = "state = 'begun', why = '', held_calls = ?, held_tokens = ?, held_cost = ?"
        statement += f"VALUES (?, ?, 'begun', ?, ?, ?) ON CONFLICT (run) DO UPDATE SET {assignments}"
        await execute(statement, run, name, *reserved_amounts, *reserved_amounts)
        await append_line(execute, name, "begun", run)
        return True

    @in_transaction
    async def record_end(
        self,
        execute: Execute,
        experiment: str,
        run: str,
        end: "RunEnd",
        document: Mapping[str, Any] | None = None,
        max_attempts: int = 1,
    ) -> None:
        """Record the end of a run. Its spending is the amount counted so far or, if higher, that of `end`.

        `document`: document of the saved run; `None` without one. A failure counts from the attempt `max_attempts` on;
        before, the run is only stopped.
        """
        assignments = ", ".join(f"{key} = CASE WHEN {key} < ? THEN ? ELSE {key} END" for key in SPENDING_KEYS)
        amounts = [value for amount in end.spending for value in (amount, amount)]
        await execute(LOCK_EXPERIMENT, experiment)
        statement = f"UPDATE moot_trials SET state = ?, why = ?, {assignments} WHERE run = ?"
        await execute(statement, end.state, self._encrypt(end.reason), *amounts, run)
        if end.failure:
            failed_state = "state = CASE WHEN attempts + 1 < ? THEN 'stopped' ELSE 'failed' END"
            kind = "failure = CASE WHEN failure = '' AND attempts + 1 >= ? THEN ? ELSE failure END"
            statement = f"UPDATE moot_trials SET attempts = attempts + 1, {failed_state}, {kind} WHERE run = ?"
            await execute(statement, max_attempts, max_attempts, end.failure, run)
        await self._append_end(execute, experiment, run, document)

    async def _append_end(
        self, execute: Execute, experiment: str, run: str, document: Mapping[str, Any] | None
    ) -> None:
        for row in await execute(PROGRESS_QUERY, run):
            progress = self._decode_progress(row)
            if progress.state in ("done", "failed"):
                kind: LineKind = "ended" if progress.state == "done" else "failed"
                await append_line(execute, experiment, kind, run, progress.compute_digest(document))

    @in_transaction
    async def close_experiment(
        self, execute: Execute, experiment: SavedExperiment, open_runs: Mapping[str, Mapping[str, Any] | None]
    ) -> None:
        """Save a closed experiment, and count its open runs as failed.

        `open_runs`: their documents by name. A run with a document fails as `stopped`, others as `not_begun`.
        """
        statement = (
            "INSERT INTO moot_trials (run, experiment, state, why, failure) VALUES (?, ?, 'failed', ?, 'not_begun') "
            "ON CONFLICT (run) DO UPDATE SET state = 'failed', why = excluded.why, failure = CASE "
            "WHEN moot_trials.failure = '' THEN 'stopped' ELSE moot_trials.failure END "
            "WHERE moot_trials.state IN ('begun', 'stopped')"
        )
        name, reason = experiment.name, self._encrypt(experiment.close_reason)
        await execute(LOCK_EXPERIMENT, name)
        for run, document in open_runs.items():
            if await execute(f"{statement} RETURNING run", run, name, reason):
                await self._append_end(execute, name, run, document)
        await self._update_row(execute, experiment, "closed")

    @in_transaction
    async def record_deletion(self, execute: Execute, run: str, moment: str) -> None:
        """Count a deleted run as failed. Its spending stays in a separate row, even if the run is repeated."""
        columns, condition = "calls, tokens, cost", "run = ? AND state <> 'begun'"
        run_reason, row_reason = map(self._encrypt, ("it was deleted", "its spending stays counted"))
        for (experiment,) in await execute("SELECT experiment FROM moot_trials WHERE run = ?", run):
            await execute(LOCK_EXPERIMENT, experiment)
            insert_statement = f"INSERT INTO moot_trials (run, experiment, state, why, {columns})"
            insert_statement += f" SELECT ?, experiment, 'deleted', ?, {columns} FROM moot_trials WHERE {condition}"
            await execute(insert_statement, f"{run}, {moment}", row_reason, run)
            if await execute(
                "UPDATE moot_trials SET state = 'failed', why = ?, calls = 0, tokens = 0, cost = 0, failure = CASE "
                f"WHEN failure = '' THEN 'stopped' ELSE failure END WHERE {condition} RETURNING run",
                run_reason,
                run,
            ):
                await self._append_end(execute, experiment, run, None)


class Spending(NamedTuple):
    """Number of calls, number of tokens, and cost."""

    calls: int
    tokens: int
    cost: float

    def add(self, other: "Spending", sign: int = 1) -> "Spending":
        """Return the sum with `other`, or the difference if `sign` is -1."""
        return Spending(
            self.calls + sign * other.calls, self.tokens + sign * other.tokens, self.cost + sign * other.cost
        )


NO_SPENDING = Spending(0, 0, 0.0)


class RunEnd(NamedTuple):
    """End of a run as an experiment records it.

    `failure`: kind of the failure, or empty.
    """

    state: RunState
    reason: str = ""
    spending: Spending = NO_SPENDING
    failure: str = ""


def sum_spending(calls: list[Call], prices: Any) -> Spending:
    """Return the sums of calls, tokens and cost, with maximum token counts in place of unknown ones."""
    capped_calls = [call.call_at_maximum_usage for call in calls]
    return Spending(
        len(capped_calls),
        sum(call.tokens for call in capped_calls),
        prices.compute_cost(capped_calls) if prices else 0.0,
    )
