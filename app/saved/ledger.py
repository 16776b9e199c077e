"""Ledger of an experiment: a chain of hashes that grows with the experiment's changes and runs."""

import hashlib
import json
from typing import Literal, NamedTuple

from ...storage import get_timestamp
from .runs import Execute

LEDGER_TABLES = (
    "CREATE TABLE IF NOT EXISTS moot_ledger (experiment TEXT NOT NULL, n BIGINT NOT NULL, at TEXT NOT NULL, "
    "kind TEXT NOT NULL, run TEXT NOT NULL, what TEXT NOT NULL, prev TEXT NOT NULL, PRIMARY KEY (experiment, n))",
    "CREATE INDEX IF NOT EXISTS moot_ledger_runs ON moot_ledger (experiment, run, n)",
)
LEDGER_COLUMNS = "n, at, kind, run, what, prev"

LineKind = Literal["sealed", "begun", "ended", "failed", "changed", "closed"]
RUN_ENDS = ("ended", "failed")


class LedgerLine(NamedTuple):
    """Line of a ledger.

    `n`: number, from 1. `at`: time, ISO 8601, UTC, never earlier than in the previous line. `run`: name of the run;
    empty for the experiment. `what`: hash of the seal, of the changed experiment or of the ended run; empty at the
    start of a run. `prev`: hash of the previous line; empty in the first line.
    """

    n: int
    at: str
    kind: LineKind
    run: str
    what: str
    prev: str

    @property
    def hash(self) -> str:
        """Return the hash of the whole line."""
        return compute_digest(self._asdict())


def compute_digest(value: object) -> str:
    """Return the SHA-256 of plain data, as compact JSON with sorted keys."""
    return hashlib.sha256(
        json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()
    ).hexdigest()


async def append_line(execute: Execute, experiment: str, kind: LineKind, run: str = "", what: str = "") -> None:
    """Append a line to an experiment's ledger, unless it repeats the run's last line `begun`.

    `what`: hash of the recorded content. The caller's transaction must hold the experiment's row, so that lines never
    fork or leave a gap.
    """
    query = f"SELECT {LEDGER_COLUMNS} FROM moot_ledger WHERE experiment = ?"
    if kind == "begun" and run:
        rows = await execute(f"{query} AND run = ? ORDER BY n DESC LIMIT 1", experiment, run)
        if rows and LedgerLine(*rows[0]).kind == kind:
            return
    rows = await execute(f"{query} ORDER BY n DESC LIMIT 1", experiment)
    last, now = LedgerLine(*rows[0]) if rows else None, get_timestamp()
    values = (last.n + 1, max(now, last.at)) if last else (1, now)  # clocks of several machines differ
    line = LedgerLine(*values, kind, run, what, last.hash if last else "")
    await execute(
        f"INSERT INTO moot_ledger (experiment, {LEDGER_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)", experiment, *line
    )
