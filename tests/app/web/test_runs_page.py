"""The list of deliberations: its rows, its filters and its pages."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import httpx
import pytest
from moot.app.saved import open_database
from moot.app.saved.runs import Run
from moot.app.web.runs_page import FILTERS, PAGE_SIZE, is_match, list_rows

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
                about = {"experiment": "sweets", "condition": "plain", "finished": done, "cost": 0.01}
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
    assert is_match(run(3, models=["openai:x"], cost=0.02), NONE | chosen) is is_found


def test_the_runs_of_an_experiment_are_one_row_where_its_newest_run_stands() -> None:
    runs = [run(1), run(2, experiment="sweets"), run(3), run(4, experiment="sweets")]
    assert [(row.experiment, len(row.runs)) for row in list_rows(runs)] == [("", 1), ("sweets", 2), ("", 1)]


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
    assert "No deliberation matches nothing at all." in inside.get("/?q=nothing+at+all").text


@pytest.mark.long
def test_a_row_hides_what_deletes_it_and_the_bar_leads_to_experiments(inside: httpx.Client) -> None:
    page = inside.get("/?q=thing+3").text
    row = page.partition('class="run-row')[2]
    assert row.index('<details class="menu">') < row.index("/delete")
    assert '<a href="/experiments">Experiments</a>' in page
    assert "<h1>Experiments</h1>" in inside.get("/experiments").text
