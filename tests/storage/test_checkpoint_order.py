"""A run goes on from where it stopped on a clock that is behind the one that wrote; what is damaged is told as such."""

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
from command import apart, document, ended, listed, moot
from fakeserver import FakeServer, Fault
from moot.app.saved import open_database
from moot.app.web.login import Login
from moot.app.web.room import Room
from moot.app.web.run_driver import RunDriver
from moot.app.web.runs_page import render_runs
from places import FAKETIME
from sampling import sample_cases
from servers import postgres
from starlette.requests import Request

LATE = {"LD_PRELOAD": str(FAKETIME), "FAKETIME": "-20s", "DONT_FAKE_MONOTONIC": "1"}


@pytest.fixture(
    scope="module",
    params=sample_cases(["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)], kinds=0, seed=2),
)
def db(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if request.param == "sqlite":
        yield str(tmp_path_factory.mktemp("db") / "moot.db")
    else:
        with postgres.cluster() as cluster:
            yield cluster.fresh()


def resume_on_clock(run: str, db: str, clock: dict[str, str]) -> int:
    """Resume a run and return the exit code; only a clock that is wrong takes a process of its own."""
    if not clock:
        return moot("resume", run, "--db", db).exit_code
    code, _, errors = ended(apart(["resume", run, "--db", db], **clock))
    assert "Traceback" not in errors, errors
    return code


@pytest.mark.faketime
def test_nothing_is_passed_over_or_paid_twice_on_a_clock_that_is_behind(db: str) -> None:
    with FakeServer(faults={4: Fault.status(401), 7: Fault.status(401)}) as server:
        model = ["--model", f"openai:fake@{server.url}", "--set", "dynamic_termination=false", "--max-turns", "8"]
        assert moot("debate", "Tea?", *model, "--db", db).exit_code == 3
        run = listed("--db", db)[0]["run"]
        for clock, code, turns in [(LATE, 3, 5), ({}, 0, 8), (LATE, 0, 8)]:
            assert resume_on_clock(run, db, clock) == code
            assert len(document("show", run, "--db", db)["turns"]) == turns
        assert len(server.chats) == 8 + 1 + 2, "each statement and the synthesis once, and the two calls that failed"


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE checkpoints SET checkpoint = x'00ff00ff'",
        "UPDATE checkpoints SET checkpoint = substr(checkpoint, 1, 40)",
        "UPDATE checkpoints SET checkpoint = x''",
        "UPDATE checkpoints SET checkpoint = x'80'",
        "UPDATE checkpoints SET type = 'nothing'",
        "UPDATE checkpoints SET metadata = 'none'",
        "UPDATE writes SET value = x'c1'",
    ],
)
def test_a_damaged_run_is_told_in_one_line_and_left_as_it_is(damage: str, tmp_path: Path) -> None:
    with FakeServer(faults={3: Fault.status(401)}) as server:
        moot("debate", "Tea?", "--model", f"openai:fake@{server.url}")
    run = listed()[0]["run"]
    with closing(sqlite3.connect(tmp_path / "moot.db")) as connection, connection:
        connection.execute(damage)
    kept = dumped(tmp_path)
    for words in (["resume", run], ["show", run], ["checkpoints", run], ["fork", run, "--turn", "1"]):
        output = moot(*words)
        assert output.exit_code == 2, words
        assert output.stderr.startswith(f"moot: run = '{run}': the saved data of this run are damaged (")
        assert output.stderr.count("\n") == 1
    assert dumped(tmp_path) == kept


@pytest.mark.parametrize(
    ("damage", "is_listed"),
    [
        ("UPDATE moot_runs SET about = substr(about, 1, 40)", False),
        ("UPDATE moot_runs SET about = 'words'", False),
        ("UPDATE moot_runs SET about = '[1]'", False),
        ("UPDATE moot_runs SET about = x'ff00'", False),
        ("UPDATE moot_runs SET about = replace(hex(zeroblob(100000)), '00', '[')", False),
        ("UPDATE checkpoints SET checkpoint = x'80'", True),
    ],
)
def test_a_damaged_run_keeps_no_other_from_being_listed_and_can_be_deleted(
    damage: str, is_listed: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with FakeServer(faults={3: Fault.status(401)}) as server:
        moot("debate", "Tea?", "--model", f"openai:fake@{server.url}")
    (run,) = [row["run"] for row in listed()]
    with closing(sqlite3.connect(tmp_path / "moot.db")) as connection, connection:
        connection.execute("UPDATE moot_runs SET about = replace(about, '\"checkpoint\":', '\"was\":')")
        connection.execute(damage)
    other = document("debate", "Coffee?", "--max-turns", "2")["run"]
    assert [row["run"] for row in listed()] == [other, run][: 1 + is_listed]
    for words in (["runs"], ["site", str(tmp_path / "site")]):
        output = moot(*words)
        assert output.exit_code == 0, words
        assert not is_listed or run in output.stdout + caplog.text
    assert f"moot: left out: run = '{run}': the saved " in caplog.text
    assert [file.stem for file in (tmp_path / "site" / "runs").iterdir()] == [other]

    async def read_page() -> str:
        async with open_database(tmp_path / "moot.db") as store:
            app = SimpleNamespace(state=SimpleNamespace(room=Room(store, RunDriver(store, 0.0), Login())))
            scope = {"type": "http", "method": "GET", "path": "/", "headers": [], "app": app}
            page = await render_runs(Request(scope | {"query_string": b""}))
        return bytes(page.body).decode()

    page = asyncio.run(read_page())
    assert f"/runs/{other}" in page
    assert (f"/runs/{run}" in page) == is_listed
    assert moot("delete", run, "--yes").exit_code == 0
    assert [row["run"] for row in listed()] == [other]


def dumped(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / "moot.db")) as connection:
        return [line for line in connection.iterdump() if "moot_runs" not in line]
