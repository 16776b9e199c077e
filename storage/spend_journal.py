"""Journal of paid requests beside the checkpoints: a row for each, from before it is sent.

A row sets the maximum cost aside in a commit of its own. The real cost replaces it in the transaction that saves the
step. If the process dies in between, the row stays open. The next process that continues the run claims it as lost.
"""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ..state.call_record import LOST, Call
from ..state.prices import Prices
from .encryption import Cipher

JOURNAL_TABLE = (
    "CREATE TABLE IF NOT EXISTS moot_spend ("
    "run TEXT NOT NULL, id BIGINT NOT NULL, request TEXT NOT NULL, about TEXT NOT NULL, state TEXT NOT NULL, "
    "calls BIGINT NOT NULL, held_tokens BIGINT NOT NULL, held_cost DOUBLE PRECISION NOT NULL, "
    "tokens BIGINT, cost DOUBLE PRECISION, PRIMARY KEY (run, id))"
)
"""Table of the journal.

`id`: time of the request, in nanoseconds since 1970. `request`: beginning of its SHA-256. `about`: its call record.
`state`: `sent`, `recorded`, `lost`, or `deleted` for the sum of a deleted run on one day. `held_tokens`, `held_cost`:
the amount set aside, which counts until `tokens` and `cost` are known.
"""
SPENDING_SUMS = ", ".join(
    f"coalesce(sum({amount}), 0) AS {name}"
    for name, amount in {
        "calls": "calls",
        "tokens": "coalesce(tokens, held_tokens)",
        "cost": "coalesce(cost, held_cost)",
    }.items()
)
"""SQL sums of requests. The amount set aside counts until the real one is known."""
DAY = 86_400 * 10**9
"""Nanoseconds of a day."""

Statement = tuple[str, tuple[object, ...]]
"""SQL statement with `?` for each value, and its values."""


@dataclass
class JournalEntry:
    """Row of one request. `call`: its record, once it is known. `is_claimed`: whether a dead process sent it."""

    id: int = 0
    call: Call | None = None
    is_claimed: bool = False


@dataclass
class SpendJournal:
    """Journal of one database. `commit`: runs statements in one transaction, together with waiting ones.

    `open_ids`: requests of this process that are not settled. `finished`: their entries, by task, until it is saved.
    """

    execute: Callable[..., Awaitable[Sequence[Sequence[Any]]]]
    commit: Callable[[Sequence[Statement]], Awaitable[object]]
    cipher: Cipher | None
    open_ids: set[int] = field(default_factory=set)
    finished: dict[str, list[tuple["TaskJournal", JournalEntry]]] = field(default_factory=dict)
    _last_id: int = 0

    def make_id(self) -> int:
        """Make the next id of this process."""
        self._last_id = max(self._last_id + 1, time.time_ns())
        return self._last_id

    def encode_call(self, call: Call) -> str:
        """Encode a call record for its row."""
        text = call.model_dump_json(exclude_defaults=True)
        return self.cipher.encrypt_text(text) if self.cipher else text

    def settle_task(self, task: str, is_saved: bool = True) -> tuple[list[Statement], Callable[[], None]]:
        """Return the statements that settle a task's requests with its writes, and the function to call after them.

        `is_saved`: `False` if the task failed, so that its writes are not saved.
        """
        entries = self.finished.pop(task, [])
        statements = [statement for owner, entry in entries for statement in owner.settle(entry, is_saved)]
        return statements, partial(self.open_ids.difference_update, [entry.id for _, entry in entries])

    async def sum_run(self, run: str) -> tuple[int, int, float]:
        """Sum the calls, tokens and cost of a run. A request without a known cost counts with its maximum."""
        ((calls, tokens, cost),) = await self.execute(f"SELECT {SPENDING_SUMS} FROM moot_spend WHERE run = ?", run)
        return int(calls), int(tokens), float(cost)

    async def sum_day(self) -> tuple[int, int, float]:
        """Sum the calls, tokens and cost of today, in UTC. Deleted runs still count."""
        start = time.time_ns() // DAY * DAY
        query = f"SELECT {SPENDING_SUMS} FROM moot_spend WHERE id >= ? AND id < ?"
        ((calls, tokens, cost),) = await self.execute(query, start, start + DAY)
        return int(calls), int(tokens), float(cost)

    async def count_requests(self, run: str) -> dict[str, int]:
        """Count the requests of a run by state: `sent` without a record so far, `recorded`, or `lost`."""
        rows = await self.execute("SELECT state, count(*) AS number FROM moot_spend WHERE run = ? GROUP BY state", run)
        return {state: int(count) for state, count in rows}

    async def delete_run(self, run: str) -> None:
        """Delete the rows of a run. Their sum stays in the spending of each day."""
        insert = "INSERT INTO moot_spend (run, id, request, about, state, calls, held_tokens, held_cost) "
        select = (
            f"SELECT '', max(id), '', '', 'deleted', {SPENDING_SUMS} FROM moot_spend WHERE run = ? GROUP BY id / {DAY}"
        )
        await self.commit([(insert + select, (run,)), ("DELETE FROM moot_spend WHERE run = ?", (run,))])


@dataclass(frozen=True)
class TaskJournal:
    """Journal for the requests of one task of a run."""

    journal: SpendJournal
    run: str
    task: str
    prices: Prices | None

    async def set_aside(self, planned: Call, request: str) -> JournalEntry:
        """Save the row of a request before it is sent. `planned`: its record, with its maximum token counts."""
        entry, most = JournalEntry(self.journal.make_id()), planned.capped_call
        lost_call = most.model_copy(
            update={"outcome": LOST, "assumed_input": most.input_tokens, "assumed_output": most.output_tokens}
            | {"input_tokens": 0, "output_tokens": 0}
        )
        statement = "INSERT INTO moot_spend (run, id, request, about, state, calls, held_tokens, held_cost) "
        values = (self.run, entry.id, request, self.journal.encode_call(lost_call), *self._price(most))
        self.journal.open_ids.add(entry.id)
        try:
            await self.journal.commit([(f"{statement} VALUES (?, ?, ?, ?, 'sent', 1, ?, ?)", values)])
        except BaseException:
            self.journal.open_ids.discard(entry.id)
            raise
        return entry

    def finish(self, entry: JournalEntry) -> None:
        """Keep a request with a record until its task is saved. One without is lost."""
        if entry.call is None:
            self.journal.open_ids.discard(entry.id)
        else:
            self.journal.finished.setdefault(self.task, []).append((self, entry))

    async def claim_lost(self) -> list[Call]:
        """Return the run's requests that no step has recorded, for this task to record.

        They are lost, unless their process lived on and knew how they ended.
        """
        open_ids = set(self.journal.open_ids)
        query = "SELECT id, about FROM moot_spend WHERE run = ? AND state = 'sent' ORDER BY id"
        rows = await self.journal.execute(query, self.run)
        calls = []
        for id, about in rows:
            if id not in open_ids | self.journal.open_ids:
                text = self.journal.cipher.decrypt_text(about) if self.journal.cipher and about[0] != "{" else about
                calls.append(Call.model_validate_json(text))
                self.journal.open_ids.add(id)
                self.finish(JournalEntry(id, calls[-1], is_claimed=True))
        return calls

    def settle(self, entry: JournalEntry, is_saved: bool) -> Iterator[Statement]:
        """Return the statement that settles a request.

        If the task failed, the row stays open and keeps the record, unless nothing was sent.
        """
        assert entry.call is not None
        call, key = entry.call, (self.run, entry.id)
        amounts = (None, None) if call.is_uncertain else self._price(call.capped_call)
        if is_saved:
            state = "lost" if call.is_lost else "recorded"
            yield (
                "UPDATE moot_spend SET state = ?, tokens = ?, cost = ? WHERE run = ? AND id = ?",
                (
                    *(state, *amounts),
                    *key,
                ),
            )
        elif call.outcome == "unreachable":
            yield "DELETE FROM moot_spend WHERE run = ? AND id = ?", key
        elif not entry.is_claimed:
            about = self.journal.encode_call(call)
            yield (
                "UPDATE moot_spend SET about = ?, tokens = ?, cost = ? WHERE run = ? AND id = ?",
                (
                    *(about, *amounts),
                    *key,
                ),
            )

    def _price(self, call: Call) -> tuple[int, float]:
        return call.tokens, self.prices.compute_capped_cost([call]) if self.prices else 0.0


_task_journal: ContextVar[TaskJournal | None] = ContextVar("moot_task_journal", default=None)


def get_task_journal() -> TaskJournal | None:
    """Return the journal for the current task, or `None` if no database of Moot holds its run."""
    return _task_journal.get()


@asynccontextmanager
async def use_task_journal(task: TaskJournal) -> AsyncIterator[None]:
    """Within the block, record requests in the journal of `task`. If the block fails, they stay open."""
    token = _task_journal.set(task)
    try:
        yield
    except BaseException:
        statements, confirm = task.journal.settle_task(task.task, is_saved=False)
        if statements:
            await task.journal.commit(statements)
        confirm()
        raise
    finally:
        _task_journal.reset(token)


@asynccontextmanager
async def open_entry(planned: Call, request: str) -> AsyncIterator[JournalEntry]:
    """Within the block, send a request. Its row is saved before. The block sets the record of the call.

    `request`: text that identifies the request. Without a journal, nothing is saved.
    """
    journal = get_task_journal()
    if journal is None:
        yield JournalEntry()
        return
    entry = await journal.set_aside(planned, request)
    try:
        yield entry
    finally:
        journal.finish(entry)
