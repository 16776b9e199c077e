"""The events of a run: read from its record, the same from any place on, with no gap and nothing twice."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from command import document
from moot.app.saved import SavedRun, list_checkpoints, load_saved_run, open_database
from moot.app.web.run_events import (
    FIRST_CURSOR,
    compute_cursor,
    format_cursor,
    is_cursor_ahead,
    list_new_events,
    parse_cursor,
)

WORDS: dict[str, list[str]] = {
    "debate": ["debate", "Tea?", "--set", "positions=ends"],
    "consensus": ["consensus", "Tea?", "--max-rounds", "2", "--vote", "borda"],
    "discussion": ["discussion", "Tea?", "--models-only", "--max-turns", "5"],
    "panel": ["panel", "Do street trees keep cities cool?", "--samples", "--language", "en"],
    "justice": ["justice", "--set", "max_rounds=1"],
}


@pytest.fixture(scope="module", params=WORDS.values(), ids=list(WORDS))
def moments(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[SavedRun]:
    """A run as it stood after each of its steps."""
    db = tmp_path_factory.mktemp("course") / "moot.db"
    name = document(*request.param, "--model", "rehearsal", "--db", db)["run"]
    return asyncio.run(_moments(db, name))


async def _moments(db: Path, name: str) -> list[SavedRun]:
    async with open_database(db) as store:
        saved = await load_saved_run(store, name)
        checkpoints = await list_checkpoints(store, saved)
        return [SavedRun(saved.run, checkpoint.values, checkpoint.next, at=checkpoint.at) for checkpoint in checkpoints]


def list_events(events: list[Any]) -> list[Any]:
    """What is sent once each, without how it looks: an ending marks the turns it rests on."""
    kept = ("turn", "who", "round", "lines", "reason")
    return sorted((event.kind, [str(event.data.get(key)) for key in kept]) for event in events if event.kind != "spent")


@pytest.mark.long
def test_whoever_comes_back_gets_what_came_since_and_nothing_twice(moments: list[SavedRun]) -> None:
    whole = list_new_events(moments[-1], FIRST_CURSOR)
    assert {"said", "spent", "ended"} <= {one.kind for one in whole}
    for place, event in enumerate(whole):
        assert event.cursor
        assert list_new_events(moments[-1], parse_cursor(format_cursor(event.cursor))) == whole[place + 1 :]


@pytest.mark.long
def test_what_comes_step_by_step_is_what_comes_at_once(moments: list[SavedRun]) -> None:
    cursor, heard = FIRST_CURSOR, []
    for moment in moments:
        heard += list_new_events(moment, cursor)
        cursor = compute_cursor(moment)
    assert list_events(heard) == list_events(list_new_events(moments[-1], FIRST_CURSOR))
    turns = [one.data["turn"] for one in heard if one.kind == "said"]
    assert turns == [statement.turn for statement in moments[-1].state["history"]]


def test_a_record_that_was_taken_back_is_read_anew(moments: list[SavedRun]) -> None:
    assert is_cursor_ahead(compute_cursor(moments[-1]), moments[0])
    assert not is_cursor_ahead(compute_cursor(moments[0]), moments[-1])


@pytest.mark.parametrize("id", ["", "1.2", "1.2.3.4.5.6.7.8.9.x", "-1.0.0.0.0.0.0.0.0.0", "9" * 300])
def test_an_id_that_nobody_gave_means_the_beginning(id: str) -> None:
    assert parse_cursor(id) == FIRST_CURSOR
