"""Checkpoints in an SQLite that takes few values in one statement: runs of any length are read back."""

import asyncio
import sqlite3
from pathlib import Path
from typing import Annotated, Any

import pytest
from command import document
from langgraph.channels import DeltaChannel
from langgraph.graph import START, StateGraph
from moot.app.saver import Line, Saver
from typing_extensions import TypedDict

RUNS = {
    "discussion": ("discuss", "Tea?", "--models-only", "--max-turns", "80"),
    "justice": ("justice", "--max-rounds", "12"),
}


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Connections like those of an SQLite that is built for fewer values than this one."""
    connect, most = sqlite3.connect, request.param

    def limited(*args: Any, **settings: Any) -> sqlite3.Connection:
        connection = connect(*args, **settings)
        connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, most)
        return connection

    monkeypatch.setattr(sqlite3, "connect", limited)


@pytest.mark.parametrize("few", [100], indirect=True)
@pytest.mark.parametrize("name", RUNS)
@pytest.mark.usefixtures("few")
def test_a_run_is_read_back_where_it_names_more_checkpoints_than_a_statement_takes_values(name: str) -> None:
    found = document(*RUNS[name], "--model", "rehearsal", "--seed", "3")
    assert document("show", found["run"]) == found


CHANNELS, STEPS = 40, 850
"""Together 34,000 values: more than 32,766, as a hundred rounds of justice among six have."""


def append(before: list[int], written: list[list[int]]) -> list[int]:
    return [*before, *(one for each in written for one in each)]


Growing = Annotated[list[int], DeltaChannel(append, snapshot_frequency=10_000)]
Wide = TypedDict("Wide", {f"channel_{number}": Growing for number in range(CHANNELS)})  # type: ignore[misc]


def counted(state: dict[str, list[int]]) -> dict[str, list[int]]:
    done = len(state["channel_0"])
    return {f"channel_{done % CHANNELS}": [done], "channel_0": [done]}


def wide() -> StateGraph[Any]:
    graph: StateGraph[Any] = StateGraph(Wide)
    graph.add_node("counted", counted)
    graph.add_edge(START, "counted")
    graph.add_conditional_edges("counted", lambda state: "counted" if len(state["channel_0"]) < STEPS else "__end__")
    return graph


@pytest.mark.long
@pytest.mark.parametrize("few", [32_766], indirect=True)
@pytest.mark.usefixtures("few")
def test_more_than_the_usual_limit_is_read_back(tmp_path: Path) -> None:
    async def run_and_read_back() -> tuple[Any, Any]:
        async with Line(lambda: sqlite3.connect(tmp_path / "db"), 64) as line:
            graph, config = wide().compile(checkpointer=Saver(line)), {"configurable": {"thread_id": "one"}}
            ended = await graph.ainvoke({"channel_0": []}, config | {"recursion_limit": STEPS + 1})
            return ended, (await graph.aget_state(config)).values

    ended, read_back = asyncio.run(run_and_read_back())
    assert read_back == ended
    assert read_back["channel_0"] == list(range(STEPS))
    assert read_back["channel_7"] == list(range(7, STEPS, CHANNELS))
