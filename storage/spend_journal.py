"""Journal of paid requests, stored with the checkpoints. Each request has a row before it is sent.

A row reserves the maximum cost of its request. It is saved in a small separate transaction. The request is recorded as
soon as the writes of its task are saved. The real cost replaces the maximum when the next row is saved, which costs no
extra page of the database. If the process dies before the request is recorded, the next process that continues the run
claims the request as lost.
"""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from langgraph.errors import GraphInterrupt
from pydantic import TypeAdapter

from ..state import LOST, Call, Prices, bind_variable
from .encryption import Cipher

JOURNAL_TABLE = (
    "CREATE TABLE IF NOT EXISTS moot_spend ("
    "run TEXT NOT NULL, id BIGINT NOT NULL, task TEXT NOT NULL, request TEXT NOT NULL, about TEXT NOT NULL, "
    "state TEXT NOT NULL, calls BIGINT NOT NULL, held_tokens BIGINT NOT NULL, held_cost DOUBLE PRECISION NOT NULL, "
    "tokens BIGINT, cost DOUBLE PRECISION, PRIMARY KEY (run, id))"
)
"""Table of the journal.

`id`: time of the request, in nanoseconds since 1970. `task`: the task whose writes record it. `request`: first half of
its SHA-256. `about`: its call record, shortened when a checkpoint contains it. `state`: `sent`, `claimed` by the task
of a later process, `recorded` or `lost`. The state `deleted` marks the sum of a deleted run on one day. `held_tokens`,
`held_cost`: the amount set aside, which counts until `tokens` and `cost` are known.
"""
SPENDING_SUMS = ", ".join(
    f"CAST(coalesce(sum({amount}), 0) AS {kind}) AS {name}"
    for name, amount, kind in (
        ("calls", "calls", "BIGINT"),
        ("tokens", "coalesce(tokens, held_tokens)", "BIGINT"),
        ("cost", "coalesce(cost, held_cost)", "DOUBLE PRECISION"),
    )
)
"""SQL for the sums over requests. The amount set aside counts until the real one is known.

PostgreSQL returns sums as decimals.
"""
CALL_LIST = TypeAdapter(list[Call])
INSERT_ROW = "INSERT INTO moot_spend (run, id, task, request, about, state, calls, held_tokens, held_cost)"
ROW_CONDITION = "WHERE run = ? AND id = ?"
UPDATE_ROW = "UPDATE moot_spend SET about = ?, calls = ?, tokens = ?, cost = ?"
DELETE_ROW = f"DELETE FROM moot_spend {ROW_CONDITION}"
NANOSECONDS_PER_DAY = 86_400 * 10**9

Statement = tuple[str, tuple[object, ...]]
"""SQL statement with `?` for each value, and its values."""


@dataclass
class JournalEntry:
    """Row of the journal for one request.

    `calls`: the request's call record, once it is known. A request to an agent has a record for each of the agent's
    calls. `is_claimed`: whether an earlier process sent the request.
    """

    id: int = 0
    calls: list[Call] = field(default_factory=list)
    is_claimed: bool = False


@dataclass
class SpendJournal:
    """Journal of the paid requests in one database.

    `commit`: function that runs statements in one transaction, together with waiting ones. `writes_table`: LangGraph's
    table with the writes of tasks. `open_ids`: requests of this process that no task has recorded. `finished_requests`:
    entries of finished requests by task, until the task's writes are saved. `settlements`: statements that wait for the
    next row.
    """

    execute: Callable[..., Awaitable[Sequence[Sequence[Any]]]]
    commit: Callable[[Sequence[Statement]], Awaitable[object]]
    cipher: Cipher | None
    writes_table: str
    open_ids: set[int] = field(default_factory=set)
    finished_requests: dict[str, list[tuple["TaskJournal", JournalEntry]]] = field(default_factory=dict)
    settlements: list[Statement] = field(default_factory=list)
    _last_id: int = 0

    @property
    def written_condition(self) -> str:
        """Return the SQL condition that is true for a row whose task has saved its calls."""
        condition = "thread_id = moot_spend.run AND task_id = moot_spend.task AND channel = 'calls'"
        return f"EXISTS (SELECT 1 FROM {self.writes_table} WHERE {condition})"

    def make_row_id(self) -> int:
        """Return the id of the next row, greater than all earlier ones."""
        self._last_id = max(self._last_id + 1, time.time_ns())
        return self._last_id

    def encode_calls(self, calls: list[Call]) -> str:
        """Encode calls as the text that a row stores, encrypted if there is a cipher."""
        text = CALL_LIST.dump_json(calls, exclude_defaults=True).decode()
        return self.cipher.encrypt_text(text) if self.cipher else text

    def decode_calls(self, encoded_calls: str) -> list[Call]:
        """Decode the text that a row stores into its calls.

        A row that was saved before encryption was turned on stays readable.
        """
        return CALL_LIST.validate_json(
            self.cipher.decrypt_text(encoded_calls) if self.cipher and encoded_calls[0] != "[" else encoded_calls
        )

    def record_task(self, task: str) -> None:
        """Queue the statements that settle the requests of a task whose writes are saved.

        The next row saves them.
        """
        for owner, entry in self.finished_requests.pop(task, []):
            self.settlements.append(owner.make_settlement(entry))
            self.open_ids.discard(entry.id)

    async def record_failed_task(self, task: str) -> None:
        """Save how the requests of a failed task ended. A later task records them."""
        entries = self.finished_requests.pop(task, [])
        if statements := [owner.make_failure(entry) for owner, entry in entries if not entry.is_claimed]:
            await self.commit(statements)
        self.open_ids.difference_update(entry.id for _, entry in entries)

    async def save_settlements(self) -> None:
        """Save the statements that wait for the next row."""
        if statements := self.take_settlements():
            await self.commit(statements)

    def take_settlements(self) -> list[Statement]:
        """Return the statements that wait for the next row, and empty the queue."""
        statements, self.settlements = self.settlements, []
        return statements

    async def sum_run_spending(self, run: str) -> tuple[int, int, float]:
        """Return the sums of calls, tokens and cost in a run."""
        return await self._sum_rows("run = ?", run)

    async def sum_daily_spending(self) -> tuple[int, int, float]:
        """Return the sums of calls, tokens and cost of today, in UTC. Deleted runs count too."""
        start = time.time_ns() // NANOSECONDS_PER_DAY * NANOSECONDS_PER_DAY
        return await self._sum_rows("id >= ? AND id < ?", start, start + NANOSECONDS_PER_DAY)

    async def _sum_rows(self, condition: str, *values: object) -> tuple[int, int, float]:
        await self.save_settlements()
        ((calls, tokens, cost),) = await self.execute(
            f"SELECT {SPENDING_SUMS} FROM moot_spend WHERE {condition}", *values
        )
        return int(calls), int(tokens), float(cost)

    async def count_requests(self, run: str) -> dict[str, int]:
        """Count the requests of a run by state: `recorded`, `lost`, or `sent` but not yet recorded."""
        state_case = "WHEN state IN ('recorded', 'lost') THEN state WHEN NOT"
        other_cases = "THEN 'sent' WHEN state = 'claimed' THEN 'lost' ELSE 'recorded'"
        state = f"CASE {state_case} {self.written_condition} {other_cases} END AS state"
        query = f"SELECT {state}, sum(calls) AS number FROM moot_spend WHERE run = ? GROUP BY 1"
        return {name: int(count) for name, count in await self.execute(query, run)}

    async def delete_run(self, run: str) -> None:
        """Delete the rows of a run. The spending of each day still contains their sums."""
        select = f"SELECT '', max(id), '', '', '', 'deleted', {SPENDING_SUMS} FROM moot_spend WHERE run = ?"
        insert_sums = f"{INSERT_ROW} {select} GROUP BY id / {NANOSECONDS_PER_DAY}", (run,)
        await self.commit([insert_sums, ("DELETE FROM moot_spend WHERE run = ?", (run,))])


@dataclass(frozen=True)
class TaskJournal:
    """Journal of the paid requests that one task of a run sends."""

    journal: SpendJournal
    run: str
    task: str
    prices: Prices | None

    async def reserve_request(self, planned_call: Call, request: str) -> JournalEntry:
        """Save and return the row of a request before it is sent.

        `planned_call`: record of the call with its maximum token counts. `request`: text that identifies the request.
        """
        entry, maximum = JournalEntry(self.journal.make_row_id()), planned_call.call_at_maximum_usage
        lost_call = maximum.model_copy(
            update={"outcome": LOST, "assumed_input": maximum.input_tokens, "assumed_output": maximum.output_tokens}
            | {"input_tokens": 0, "output_tokens": 0}
        )
        encoded_calls = self.journal.encode_calls([lost_call])
        values = (self.run, entry.id, self.task, request, encoded_calls, *self._compute_price(maximum))
        self.journal.open_ids.add(entry.id)
        try:
            insert = f"{INSERT_ROW} VALUES (?, ?, ?, ?, ?, 'sent', 1, ?, ?)", values
            await self.journal.commit([*self.journal.take_settlements(), insert])
        except BaseException:
            self.journal.open_ids.discard(entry.id)
            raise
        return entry

    def finish_request(self, entry: JournalEntry) -> None:
        """Keep a finished request until its task is saved. A request without a call record counts as lost."""
        if entry.calls:
            self.journal.finished_requests.setdefault(self.task, []).append((self, entry))
        else:
            self.journal.open_ids.discard(entry.id)

    async def delete_request(self, entry: JournalEntry) -> None:
        """Delete the row of a request. A later request continues it."""
        await self.journal.commit([(DELETE_ROW, (self.run, entry.id))])

    async def claim_lost_requests(self) -> list[Call]:
        """Return the calls of the run's requests that no task has recorded, so that this task records them.

        Each is returned as lost, unless the process that sent it saved how it ended.
        """
        open_ids, calls, statements = set(self.journal.open_ids), list[Call](), list[Statement]()
        query = "SELECT id, about FROM moot_spend WHERE run = ? AND state IN ('sent', 'claimed') AND NOT "
        for id, encoded_calls in await self.journal.execute(
            f"{query} {self.journal.written_condition} ORDER BY id", self.run
        ):
            if id not in open_ids | self.journal.open_ids:
                calls += (claimed_calls := self.journal.decode_calls(encoded_calls))
                state = "claimed" if claimed_calls[-1].is_lost else "sent"
                statements.append(
                    (f"UPDATE moot_spend SET state = ?, task = ? {ROW_CONDITION}", (state, self.task, self.run, id))
                )
                self.journal.open_ids.add(id)
                self.finish_request(JournalEntry(id, claimed_calls, is_claimed=True))
        if statements:
            await self.journal.commit(statements)
        return calls

    def make_settlement(self, entry: JournalEntry) -> Statement:
        """Return the SQL statement that records how a request ended.

        It replaces the reserved amount by the real one, unless the server may have counted more.
        """
        call = entry.calls[-1]
        label = Call(
            purpose=call.purpose,
            who=call.who,
            turn=call.turn,
            round=call.round,
            attempt=call.attempt,
            outcome=call.outcome,
        )
        encoded_calls, state = self.journal.encode_calls([label]), "lost" if call.is_lost else "recorded"
        return f"{UPDATE_ROW}, state = ?, task = '' {ROW_CONDITION}", (
            encoded_calls,
            *self._sum_amounts(entry),
            state,
            self.run,
            entry.id,
        )

    def make_failure(self, entry: JournalEntry) -> Statement:
        """Return the SQL statement for a request of a failed task.

        It saves how the request ended, or deletes an unsent request.
        """
        if entry.calls[-1].outcome == "unreachable":
            return DELETE_ROW, (self.run, entry.id)
        encoded_calls = self.journal.encode_calls(entry.calls)
        return f"{UPDATE_ROW} {ROW_CONDITION}", (encoded_calls, *self._sum_amounts(entry), self.run, entry.id)

    def _sum_amounts(self, entry: JournalEntry) -> tuple[object, ...]:
        """Return calls, tokens and cost of a request as SQL values.

        Tokens and cost are `None` if the server may have counted more.
        """
        if any(call.is_uncertain for call in entry.calls):
            return len(entry.calls), None, None
        amounts = [self._compute_price(call.call_at_maximum_usage) for call in entry.calls]
        return len(entry.calls), sum(tokens for tokens, _ in amounts), sum(cost for _, cost in amounts)

    def _compute_price(self, call: Call) -> tuple[int, float]:
        return call.tokens, self.prices.compute_capped_cost([call]) if self.prices else 0.0


_task_journal: ContextVar[TaskJournal | None] = ContextVar("moot_task_journal", default=None)
_is_suspended: ContextVar[bool] = ContextVar("moot_journal_suspended", default=False)


def find_task_journal() -> TaskJournal | None:
    """Return the journal for the current task, or `None`.

    It is `None` if no database of Moot saves the task's run, and within `suspend_journal`.
    """
    return None if _is_suspended.get() else _task_journal.get()


def suspend_journal() -> AbstractContextManager[None]:
    """Save no rows within the `with` block, because an agent's row already counts the agent's calls."""
    return bind_variable(_is_suspended, True)


@asynccontextmanager
async def use_task_journal(task: TaskJournal) -> AsyncIterator[None]:
    """Record requests within the `async with` block in the journal of `task`.

    If the block fails, a later task records them.
    """
    with bind_variable(_task_journal, task):
        try:
            yield
        except BaseException:
            await task.journal.record_failed_task(task.task)
            raise


@asynccontextmanager
async def open_entry(planned_call: Call, request: str) -> AsyncIterator[JournalEntry]:
    """Save a journal row before the `async with` block sends its request.

    `planned_call`: record of the call with its maximum token counts. `request`: text that identifies the request. The
    block must put the records of the calls into the entry. Without a journal, the entry is empty and unsaved.
    """
    if (journal := find_task_journal()) is None:
        yield JournalEntry()
        return
    entry = await journal.reserve_request(planned_call, request)
    try:
        yield entry
    except GraphInterrupt:  # an agent waits for a person and goes on later
        await journal.delete_request(entry)
        raise
    finally:
        journal.finish_request(entry)
