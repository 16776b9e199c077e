"""A series of experiments: what acts on it, where it is exported to, and what is left of it."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from command import document, moot
from records.tables import read

SMALL = ("--model", "rehearsal", "--seed", "7", "--max-rounds", "1", "--set", "participants=[Ada, Ben]")


@pytest.fixture(scope="module")
def series(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The database of a finished series of two, and its name."""
    db = tmp_path_factory.mktemp("series") / "runs.db"
    return db, begun(db, "--repeats", "2")


def begun(db: Path, *words: str) -> str:
    """The name of a series that was begun."""
    done = moot("justice", *SMALL, *words, "--db", db, "--json")
    assert done.exit_code == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return str(found["series"]["runs"][0])


@pytest.mark.parametrize(
    ("words", "key"),
    [
        (("--seed", "9"), "seed = 9"),
        (("--model", "openai:x"), "model = 'openai:x'"),
        (("--language", "es"), "language = 'es'"),
        (("--max-rounds", "3"), "max_rounds = 3"),
        (("--max-calls", "3"), "max_calls = 3"),
        (("--set", "frame=loss"), "frame = 'loss'"),
    ],
)
def test_what_cannot_act_on_a_series_that_was_begun_is_refused_with_the_reason(
    words: tuple[str, ...], key: str, series: tuple[Path, str]
) -> None:
    db, name = series
    done = moot("justice", "--series", name, *words, "--db", db)
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"{key}: the series {name} goes on with its own settings; leave it out" in done.stderr


def test_a_settings_file_cannot_act_on_a_series_either(series: tuple[Path, str], tmp_path: Path) -> None:
    db, name = series
    (tmp_path / "mine.yaml").write_text("frame: loss\n")
    done = moot("justice", tmp_path / "mine.yaml", "--series", name, "--db", db)
    assert done.exit_code == 2
    assert "goes on with its own settings" in done.stderr


def test_a_series_can_grow_and_remembers_it_but_not_shrink(tmp_path: Path) -> None:
    db = tmp_path / "runs.db"
    name = begun(db, "--repeats", "2")
    assert moot("justice", "--series", name, "--repeats", "3", "--quiet", "--db", db).exit_code == 0
    again = moot("justice", "--series", name, "--json", "--db", db)
    assert len(json.loads(again.stdout)["results"]) == 3
    refused = moot("justice", "--series", name, "--repeats", "2", "--db", db)
    assert refused.exit_code == 2
    assert f"the series {name} is to have 3 runs; give at least as many" in refused.stderr


def test_an_export_into_a_folder_that_holds_another_one_is_refused_before_any_call(
    series: tuple[Path, str], tmp_path: Path
) -> None:
    db, name = series
    assert moot("justice", "--series", name, "--export", tmp_path / "out", "--quiet", "--db", db).exit_code == 0
    first = read(tmp_path / "out")
    refused = moot("justice", *SMALL, "--export", tmp_path / "out", "--db", tmp_path / "other.db")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "of another export is there already; name another folder" in refused.stderr
    assert not (tmp_path / "other.db").exists()
    assert read(tmp_path / "out") == first
    assert moot("justice", "--series", name, "--export", tmp_path / "out", "--quiet", "--db", db).exit_code == 0


def test_a_run_names_its_series_in_its_document_its_row_and_its_report(
    series: tuple[Path, str], tmp_path: Path
) -> None:
    db, name = series
    found = document("show", f"{name}-2", "--db", db)
    assert (found["series"], found["seriesRun"]) == (name, 2)
    for format in ("transcript", "md", "html"):
        assert f"Run 2 of the series {name}." in moot("show", f"{name}-2", "--format", format, "--db", db).stdout
    moot("justice", "--series", name, "--export", tmp_path / "out", "--quiet", "--db", db)
    rows = read(tmp_path / "out")["runs"]
    assert [(row["series"], row["series_run"]) for row in rows] == [(name, "1"), (name, "2")]


def test_resuming_a_run_of_a_series_says_what_is_left_of_it(tmp_path: Path) -> None:
    db = tmp_path / "runs.db"
    name = begun(db, "--repeats", "2")
    assert "still to be finished" not in moot("resume", f"{name}-2", "--db", db).stderr
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("DELETE FROM moot_runs WHERE run = ?", (f"{name}-2",))
    told = moot("resume", name, "--db", db).stderr
    assert f"Of the 2 runs of the series {name}, 1 are still to be finished; go on with them:" in told
    assert f"justice --series {name} --db {db}" in " ".join(told.split())
