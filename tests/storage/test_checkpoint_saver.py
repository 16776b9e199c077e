"""The saver of runs: a superstep is one transaction; what is saved at the same time shares one, and fails by itself."""

import asyncio
import operator
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

import pytest
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from moot.app.saved.database import open_database
from moot.storage.checkpoint_saver import SqliteRunSaver
from moot.storage.langgraph_internals import EDGE_PATH_PREFIX
from moot.storage.transaction import WorkConnection
from typing_extensions import TypedDict

STEP = f"{EDGE_PATH_PREFIX}, speak"
"""Where a step stands that an edge led to."""


class Told(TypedDict):
    """What a small graph holds."""

    told: Annotated[list[str], operator.add]


def line(place: Path, seen: list[str]) -> WorkConnection:
    """A connection to a database at `place` that tells `seen` its statements."""

    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(place)
        connection.set_trace_callback(seen.append)
        return connection

    return WorkConnection(connect, 64)


async def run(saver: SqliteRunSaver, name: str) -> Any:
    """A run with one checkpoint."""
    config: Any = {"configurable": {"thread_id": name, "checkpoint_ns": ""}}
    return await saver.aput(config, empty_checkpoint(), {}, {})


async def written(saver: SqliteRunSaver, config: Any) -> list[Any]:
    """What steps have written after a run's checkpoint."""
    found = await saver.aget_tuple(config)
    return [value for _, _, value in (found.pending_writes or [])] if found else []


def test_what_many_runs_save_while_one_saves_shares_a_transaction(tmp_path: Path) -> None:
    async def played() -> tuple[list[Any], int]:
        seen = list[str]()
        async with line(tmp_path / "moot.db", seen) as connection:
            saver = SqliteRunSaver(connection)
            runs = [await run(saver, f"run-{number}") for number in range(20)]
            seen.clear()
            await asyncio.gather(
                *(saver.aput_writes(saved_run, [("said", n)], "task") for n, saved_run in enumerate(runs))
            )
            return [await written(saver, saved_run) for saved_run in runs], seen.count("COMMIT")

    found, commits = asyncio.run(played())
    assert found == [[n] for n in range(20)]
    assert commits == 2


def test_of_what_is_saved_together_only_the_culprit_fails(tmp_path: Path) -> None:
    async def played() -> tuple[list[Any], list[Any]]:
        async with line(tmp_path / "moot.db", []) as connection:
            saver = SqliteRunSaver(connection)
            runs = [await run(saver, name) for name in ("sound", "culprit", "other")]
            values = ["said", (character for character in "not to be stored"), "too"]
            saving = [
                saver.aput_writes(saved_run, [("said", value)], "task")
                for saved_run, value in zip(runs, values, strict=True)
            ]
            ends = await asyncio.gather(*saving, return_exceptions=True)
            return ends, [await written(saver, saved_run) for saved_run in runs]

    ends, found = asyncio.run(played())
    assert [type(end) for end in ends] == [type(None), TypeError, type(None)]
    assert found == [["said"], [], ["too"]]


def test_a_copy_for_an_inner_graph_made_while_work_waits_saves_its_own_work_too(tmp_path: Path) -> None:
    async def played() -> list[Any]:
        async with line(tmp_path / "moot.db", []) as connection:
            saver = SqliteRunSaver(connection)
            runs = [await run(saver, name) for name in ("outer", "inner")]
            async with saver.lock:
                outer = asyncio.create_task(saver.aput_writes(runs[0], [("said", "outside")], "task"))
                await asyncio.sleep(0)
                copy = saver.with_allowlist([("somewhere", "Something")])
                assert isinstance(copy, SqliteRunSaver)
                assert copy is not saver
            await outer
            async with copy.lock:
                inner = asyncio.create_task(copy.aput_writes(runs[1], [("said", "inside")], "task"))
                await asyncio.sleep(0)
            await inner
            return [await written(saver, saved_run) for saved_run in runs]

    assert asyncio.run(played()) == [["outside"], ["inside"]]


def test_what_cannot_be_saved_says_so_to_whoever_waits(tmp_path: Path) -> None:
    async def played() -> None:
        async with line(tmp_path / "moot.db", []) as connection:
            saver = SqliteRunSaver(connection)
            one = await run(saver, "run")
            await connection.execute("PRAGMA query_only = ON")
            await asyncio.gather(*(saver.aput_writes(one, [("said", n)], f"task-{n}") for n in range(3)))

    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        asyncio.run(played())


@asynccontextmanager
async def saving(place: Path, seen: list[str]) -> AsyncIterator[SqliteRunSaver]:
    """A saver on a database that tells `seen` its statements."""
    async with line(place, seen) as connection:
        yield SqliteRunSaver(connection)


def test_a_superstep_is_one_transaction(tmp_path: Path) -> None:
    async def speak(state: Told) -> Told:
        return {"told": ["a word"]}

    async def played() -> tuple[int, int]:
        seen = list[str]()
        async with saving(tmp_path / "moot.db", seen) as saver:
            drawing = StateGraph(Told)
            drawing.add_node("speak", speak)
            drawing.add_edge(START, "speak")
            drawing.add_conditional_edges("speak", lambda state: "speak" if len(state["told"]) < 9 else END)
            graph = drawing.compile(checkpointer=saver)
            config: Any = {"configurable": {"thread_id": "run"}}
            await saver.setup()
            seen.clear()
            await graph.ainvoke({"told": []}, config, durability="sync")
            return seen.count("COMMIT"), len([one async for one in saver.alist(config)])

    commits, checkpoints = asyncio.run(played())
    assert checkpoints == 11  # the input, what starts from it, and nine steps
    assert commits == checkpoints


def test_what_a_step_wrote_is_saved_with_its_checkpoint_or_not_at_all(tmp_path: Path) -> None:
    async def played() -> tuple[list[Any], int]:
        seen = list[str]()
        async with saving(tmp_path / "moot.db", seen) as saver:
            one = await run(saver, "run")
            await saver.aput_writes(one, [("said", "yes")], "task", STEP)
            await saver.conn.execute("PRAGMA query_only = ON")
            with pytest.raises(sqlite3.OperationalError, match="readonly"):
                await saver.aput(one, empty_checkpoint(), {}, {})
            await saver.conn.execute("PRAGMA query_only = OFF")
            return await written(saver, one), len([each async for each in saver.alist(one)])

    assert asyncio.run(played()) == ([], 1)


def test_what_could_not_be_saved_by_itself_is_saved_with_its_checkpoint(tmp_path: Path) -> None:
    async def played() -> list[Any]:
        async with saving(tmp_path / "moot.db", []) as saver:
            one = await run(saver, "run")
            await saver.aput_writes(one, [("said", "yes")], "task", STEP)
            await saver.conn.execute("PRAGMA query_only = ON")
            with pytest.raises(sqlite3.OperationalError, match="readonly"):
                await saver.flush_writes()
            await saver.conn.execute("PRAGMA query_only = OFF")
            await saver.aput(one, empty_checkpoint(), {}, {})
            return await written(saver, one)

    assert asyncio.run(played()) == ["yes"]


def test_a_step_is_saved_while_another_of_its_superstep_is_under_way(tmp_path: Path) -> None:
    place = tmp_path / "moot.db"

    async def quick(state: Told) -> Told:
        return {"told": ["quick"]}

    async def slow(state: Told) -> Told:
        """End when the other's words are in the file."""
        with sqlite3.connect(place) as connection:
            while not connection.execute("SELECT 1 FROM writes WHERE task_path LIKE '%quick%'").fetchone():
                await asyncio.sleep(0.01)
        connection.close()
        return {"told": ["slow"]}

    async def played() -> Any:
        async with saving(place, []) as saver:
            drawing = StateGraph(Told)
            for step in (quick, slow):
                drawing.add_node(step.__name__, step)
                drawing.add_edge(START, step.__name__)
            graph = drawing.compile(checkpointer=saver)
            async with asyncio.timeout(20):
                return await graph.ainvoke({"told": []}, {"configurable": {"thread_id": "run"}}, durability="sync")

    assert asyncio.run(played()) == {"told": ["quick", "slow"]}


def test_a_question_to_a_person_is_saved_when_it_is_asked(tmp_path: Path) -> None:
    async def ask(state: Told) -> Told:
        return {"told": [interrupt("your turn")]}

    async def played() -> list[Any]:
        async with saving(tmp_path / "moot.db", []) as saver:
            drawing = StateGraph(Told)
            drawing.add_node("ask", ask)
            drawing.add_edge(START, "ask")
            config: Any = {"configurable": {"thread_id": "run"}}
            await drawing.compile(checkpointer=saver).ainvoke({"told": []}, config, durability="sync")
            with sqlite3.connect(tmp_path / "moot.db") as connect:
                rows = connect.execute("SELECT channel FROM writes WHERE task_path LIKE '%ask%'").fetchall()
            connect.close()
            return rows

    assert asyncio.run(played()) == [("__interrupt__",)]


def test_who_reads_a_run_finds_what_was_handed_over(tmp_path: Path) -> None:
    async def played() -> list[Any]:
        async with saving(tmp_path / "moot.db", []) as saver:
            one = await run(saver, "run")
            await saver.aput_writes(one, [("said", "yes")], "task", STEP)
            return await written(saver, one)

    assert asyncio.run(played()) == ["yes"]


@pytest.mark.parametrize("is_copy", [False, True], ids=["itself", "a copy for a graph"])
def test_a_store_that_is_closed_keeps_what_was_handed_over(is_copy: bool, tmp_path: Path) -> None:
    async def played() -> list[Any]:
        async with open_database(str(tmp_path / "moot.db")) as store:
            saver: Any = store.saver.with_allowlist([("somewhere", "Something")]) if is_copy else store.saver
            one = await run(saver, "run")
            await saver.aput_writes(one, [("said", "yes")], "task", STEP)
        async with open_database(str(tmp_path / "moot.db")) as store:
            assert isinstance(store.saver, SqliteRunSaver)
            return await written(store.saver, one)

    assert asyncio.run(played()) == ["yes"]


@pytest.mark.parametrize("current", [None, "0000009", "0000000009", "0000099999"])
def test_versions_are_short_and_sort_as_texts_after_those_of_an_older_file(tmp_path: Path, current: str | None) -> None:
    async def get_version() -> str:
        async with open_database(str(tmp_path / "moot.db")) as store:
            return str(store.saver.get_next_version(current, None))

    version = asyncio.run(get_version())
    assert version > (current or "")
    assert (len(version), int(version)) == (len(current or "1234567"), int(current or 0) + 1)
