"""The list of deliberations: its rows, its filters and its pages."""

import asyncio
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import product
from pathlib import Path
from time import process_time
from types import SimpleNamespace
from urllib.parse import urlencode

import httpx
import pytest
from command import document
from moot.app.saved import open_database
from moot.app.saved.runs import Run
from moot.app.web.login import Login
from moot.app.web.room import Room
from moot.app.web.run_driver import RunDriver
from moot.app.web.runs_page import FILTERS, PAGE_SIZE, group_runs_into_rows, matches_filters, render_runs
from starlette.requests import Request

NONE = dict.fromkeys(FILTERS, "")


def run(number: int, **more: object) -> Run:
    """A saved run; the higher its number, the newer."""
    fields = {"run": f"run-{number}", "protocol": "debate", "topic": f"Ban thing {number}?"}
    return Run.model_validate(fields | {"started": f"2026-03-{1 + number % 28:02}T10:00:00.000Z"} | more)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("room")

    async def fill() -> None:
        async with open_database(folder / "moot.db") as store:
            for number in range(PAGE_SIZE + 5):
                await store.runs.add_run(run(number, fault="the key was refused" if number == 27 else ""))
            for number in range(24):
                name, done = {"run": f"sweets-{number}", "topic": "Ban sugar?"}, number < 20
                about = {"experiment": "sweets", "condition": "plain", "is_finished": done, "cost": 0.01}
                await store.runs.add_run(run(number, **name, **about, fault="" if number else "no answer came"))

    asyncio.run(fill())
    return folder


MATCHES = [
    ({"q": "BAN run-3"}, True),
    ({"q": "nothing"}, False),
    ({"protocol": "jury"}, False),
    ({"model": "openai:x"}, True),
    ({"model": "openai:y"}, False),
    ({"since": "2026-03-04", "until": "2026-03-04"}, True),
    ({"since": "2026-03-05"}, False),
    ({"until": "2026-03-03"}, False),
    ({"cost": "0.02"}, True),
    ({"cost": "0.03"}, False),
    ({"cost": "much"}, True),
]


@pytest.mark.parametrize(("chosen", "is_found"), MATCHES, ids=str)
def test_runs_are_filtered_by_words_protocol_model_date_and_cost(chosen: dict[str, str], is_found: bool) -> None:
    assert matches_filters(run(3, models=["openai:x"], cost=0.02), NONE | chosen) is is_found


def test_the_runs_of_an_experiment_are_one_row_where_its_newest_run_stands() -> None:
    runs = [run(1), run(2, experiment="sweets"), run(3), run(4, experiment="sweets")]
    assert [(row[0].experiment, len(row)) for row in group_runs_into_rows(runs)] == [("", 1), ("sweets", 2), ("", 1)]


@pytest.mark.long
def test_a_page_has_a_row_for_each_experiment_and_leads_to_older_ones_with_its_filters(inside: httpx.Client) -> None:
    first = inside.get("/").text
    assert first.count('class="run-row') == PAGE_SIZE
    assert "20 of 24 runs finished" in first
    assert "1 failed" in first
    assert first.count("sweets: plain") == 24
    assert "the key was refused" in first
    chosen = {"q": "ban", **{key: "" for key in FILTERS if key != "q"}}
    older = inside.get(f"/?{urlencode(chosen | {'from': PAGE_SIZE})}").text
    assert older.count('class="run-row') == 6
    assert f"/?{urlencode(chosen | {'from': 0})}".replace("&", "&amp;") in older
    assert inside.get("/?state=finished&q=thing").text.count('class="run-row') == 0
    assert [inside.get(f"/?from={row}").status_code for row in ("123456789abc", "9" * 5000, "-1")] == [200] * 3
    assert "No deliberation matches nothing at all." in inside.get("/?q=nothing+at+all").text


@pytest.mark.long
def test_a_row_hides_what_deletes_it_and_the_bar_leads_to_experiments(inside: httpx.Client) -> None:
    page = inside.get("/?q=thing+3").text
    row = page.partition('class="run-row')[2]
    assert row.index('<details class="menu">') < row.index("/delete")
    assert '<a href="/experiments">Experiments</a>' in page
    assert "<h1>Experiments</h1>" in inside.get("/experiments").text


MANY_RUNS = 10_000


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of so many runs, of which the newest 50 are whole debates and 100 failed before a statement."""
    path = tmp_path_factory.mktemp("crowded") / "moot.db"
    name = document("debate", "Ban cars?", "--model", "rehearsal", "--max-turns", "6", "--db", path)["run"]
    with closing(sqlite3.connect(path)) as connection, connection:
        (about,) = connection.execute("SELECT about FROM moot_runs").fetchone()
        row = json.loads(about)
        for number in range(MANY_RUNS):
            started = f"20{99 if number < 50 else 10}-01-01T10:00:{number % 60:02}.{number:06}Z"
            failed = (
                {"is_finished": False, "turns": 0, "fault": "it failed", "ending": ""} if 50 <= number < 150 else {}
            )
            copy = row | {"run": f"copy-{number}", "started": started} | failed
            if number >= 50:
                copy["checkpoint"] = ""
            connection.execute(
                "INSERT INTO moot_runs (run, started, about) VALUES (?, ?, ?)", (copy["run"], started, json.dumps(copy))
            )
        for table, number in product(("checkpoints", "writes"), range(50)):
            columns = [column[1] for column in connection.execute(f"PRAGMA table_info({table})")][1:]
            names = ", ".join(columns)
            connection.execute(
                f"INSERT INTO {table} (thread_id, {names}) SELECT ?, {names} FROM {table} WHERE thread_id = ?",
                (f"copy-{number}", name),
            )
    return path


@pytest.mark.long
@pytest.mark.parametrize(
    ("query", "rows"), [("", PAGE_SIZE), ("state=failed", PAGE_SIZE), ("q=ban&from=40", PAGE_SIZE)]
)
def test_a_page_of_ten_thousand_runs_takes_three_tenths_of_a_second_once_the_room_has_read_them(
    query: str, rows: int, crowded: Path
) -> None:
    async def render() -> tuple[str, float]:
        async with open_database(crowded) as store:
            app = SimpleNamespace(state=SimpleNamespace(room=Room(store, RunDriver(store, 0.0), Login())))
            scope = {"type": "http", "method": "GET", "path": "/", "headers": [], "app": app}
            request = Request(scope | {"query_string": query.encode()})
            durations = list[float]()
            for _ in range(4):
                started = process_time()
                page = await render_runs(request)
                durations.append(process_time() - started)
            return bytes(page.body).decode(), min(durations)

    page, seconds = asyncio.run(render())
    assert page.count('class="run-row') == rows
    assert seconds <= 0.3, seconds
