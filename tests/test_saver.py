"""The saver of runs: what is asked to be saved at the same time shares a transaction, and fails by itself."""

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.base import empty_checkpoint
from moot.app.saver import Line, Saver


def line(place: Path, seen: list[str]) -> Line:
    """A connection to a database at `place` that tells `seen` its statements."""

    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(place)
        connection.set_trace_callback(seen.append)
        return connection

    return Line(connect, 64)


async def run(saver: Saver, name: str) -> Any:
    """A run with one checkpoint."""
    config: Any = {"configurable": {"thread_id": name, "checkpoint_ns": ""}}
    return await saver.aput(config, empty_checkpoint(), {}, {})


async def written(saver: Saver, config: Any) -> list[Any]:
    """What steps have written after a run's checkpoint."""
    found = await saver.aget_tuple(config)
    return [value for _, _, value in (found.pending_writes or [])] if found else []


def test_what_many_runs_save_while_one_saves_shares_a_transaction(tmp_path: Path) -> None:
    async def played() -> tuple[list[Any], int]:
        seen = list[str]()
        async with line(tmp_path / "moot.db", seen) as connection:
            saver = Saver(connection)
            runs = [await run(saver, f"run-{one}") for one in range(20)]
            seen.clear()
            await asyncio.gather(*(saver.aput_writes(one, [("said", n)], "task") for n, one in enumerate(runs)))
            return [await written(saver, one) for one in runs], seen.count("COMMIT")

    found, commits = asyncio.run(played())
    assert found == [[n] for n in range(20)]
    assert commits == 2


def test_of_what_is_saved_together_only_the_culprit_fails(tmp_path: Path) -> None:
    async def played() -> tuple[list[Any], list[Any]]:
        async with line(tmp_path / "moot.db", []) as connection:
            saver = Saver(connection)
            runs = [await run(saver, name) for name in ("sound", "culprit", "other")]
            values = ["said", (one for one in "not to be stored"), "too"]
            saving = [
                saver.aput_writes(one, [("said", value)], "task") for one, value in zip(runs, values, strict=True)
            ]
            ends = await asyncio.gather(*saving, return_exceptions=True)
            return ends, [await written(saver, one) for one in runs]

    ends, found = asyncio.run(played())
    assert [type(end) for end in ends] == [type(None), TypeError, type(None)]
    assert found == [["said"], [], ["too"]]


def test_what_cannot_be_saved_says_so_to_whoever_waits(tmp_path: Path) -> None:
    async def played() -> None:
        async with line(tmp_path / "moot.db", []) as connection:
            saver = Saver(connection)
            one = await run(saver, "run")
            await connection.execute("PRAGMA query_only = ON")
            await asyncio.gather(*(saver.aput_writes(one, [("said", n)], f"task-{n}") for n in range(3)))

    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        asyncio.run(played())
