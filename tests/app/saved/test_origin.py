"""A fork says what it goes on from and what was set there, wherever it is shown, in its run's language."""

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from command import document, listed, moot
from moot.app.report import render_html
from moot.prompts import LANGUAGES
from records.documents import WORDS
from records.tables import read
from servers import postgres

WORDED = " ".join(["Tea needs no *machine*, and <b>that</b> is my whole case."] * 9)
CLIPPED = "statement.2=Tea needs no *machine*, and <b>that</b> is my whole case. Tea needs no *machine*, and"
TOLD = {
    "en": "Forked from {run} step:6, after turn 2, with these changes:",
    "es": "Bifurcación de {run} step:6, tras el turno 2, con estos cambios:",
    "zh": "分支自 {run} step:6，第 2 次发言之后，改动如下：",
}


def debated(*words: str) -> str:
    """The name of a rehearsed debate of four turns."""
    return str(document("debate", "Tea?", "--model", "rehearsal", "--seed", "7", "--max-turns", "4", *words)["run"])


def lines_about(text: str) -> list[str]:
    """A fork's origin in a transcript or Markdown: the line that names the run, and those about what was set."""
    lines = text.splitlines()
    first = next(place for place, line in enumerate(lines) if "step:" in line)
    return [line for line in lines[first : first + 5] if "step:" in line or "=" in line]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_fork_says_where_it_comes_from_and_what_was_set(language: str) -> None:
    run = debated("--language", language)
    words = ("--turn", "2", "--set", f"statement.2={WORDED}", "--set", "models={PRO: rehearsal}")
    output = moot("fork", run, *words).stdout
    branch = listed()[0]["run"]
    line = TOLD[language].format(run=run)
    for shown in (output, moot("show", branch).stdout):
        head, statement, models = lines_about(shown)
        assert head == line
        assert statement.startswith(f"  {CLIPPED}")
        assert statement.endswith("...")
        assert models == '  models={"PRO": "rehearsal"}'
    head, statement, models = lines_about(moot("show", branch, "--format", "md").stdout)
    assert head == f"> {line}"
    assert statement.startswith(r"> - statement.2=Tea needs no \*machine\*, and \<b\>that")
    lines = re.findall('<p class="fork"[^>]*>(.*?)</p>', render_html(document("show", branch)))
    head, statement, models = (unescape(line) for line in lines)
    assert head == line
    assert statement.startswith(f"  {CLIPPED}")
    assert models == '  models={"PRO": "rehearsal"}'


def test_its_document_and_its_table_of_runs_have_what_was_set_whole(tmp_path: Path) -> None:
    run = debated()
    setting = ("--set", f"statement.2={WORDED}", "--set", "budget={calls: 9}", "--set", "max_cost=null")
    report = document("fork", run, "--turn", "2", *setting)
    assert (report["forkedFrom"], report["forkedTurn"]) == (f"{run} step:6", 2)
    assert report["forkedWith"] == {"statement.2": WORDED, "budget": {"calls": 9}, "max_cost": None}
    assert document("show", report["run"])["forkedWith"] == report["forkedWith"]
    moot("show", report["run"], "--format", "csv", "-o", tmp_path / "out")
    (row,) = read(tmp_path / "out")["runs"]
    assert (row["forked_from"], row["forked_turn"]) == (f"{run} step:6", "2")
    assert row["forked_with"] == f"statement.2: {WORDED}; budget: {{'calls': 9}}; max_cost: None"


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (("--checkpoint", "2"), "step:2, before the first turn, nothing changed."),
        (("--turn", "3"), "after turn 3, nothing changed."),
    ],
)
def test_a_fork_in_which_nothing_was_set_says_so(place: tuple[str, str], said: str) -> None:
    run = debated()
    branch = document("fork", run, *place)["run"]
    (line,) = lines_about(moot("show", branch).stdout)
    assert line.startswith(f"Forked from {run} step:")
    assert line.endswith(said)


def test_a_run_that_is_no_fork_says_nothing_of_it() -> None:
    run = debated()
    report = document("show", run)
    assert (report["forkedFrom"], report["forkedTurn"], report["forkedWith"]) == ("", None, {})
    assert "ork" not in moot("show", run).stdout.split("[1]")[0]


@pytest.mark.parametrize("format", ["transcript", "md"])
def test_a_forked_panel_says_it_above_its_answer(format: str, tmp_path: Path) -> None:
    words, db = [str(word) for word in WORDS["panel"]], ("--db", str(tmp_path / "runs.db"))
    run = document(*words, *db)["run"]
    branch = document("fork", run, "--turn", "1", "--set", "temperature=0.2", *db)["run"]
    text = moot("show", branch, "--format", format, *db).stdout
    assert [line[:2] for line in lines_about(text)] == ["> ", "> "]
    assert text.index("temperature=0.2") < text.index("# ")


def test_a_fork_that_was_saved_without_what_was_set_names_its_run(tmp_path: Path) -> None:
    run = debated()
    branch = document("fork", run, "--turn", "2", "--set", "max_turns=3")["run"]
    with closing(sqlite3.connect(tmp_path / "moot.db")) as line, line:
        (about,) = line.execute("SELECT about FROM moot_runs WHERE run = ?", [branch]).fetchone()
        before = {key: value for key, value in json.loads(about).items() if key not in ("forked_turn", "forked_with")}
        line.execute("UPDATE moot_runs SET about = ? WHERE run = ?", [json.dumps(before), branch])
    assert lines_about(moot("show", branch).stdout) == [f"Forked from {run} step:6."]
    report = document("show", branch)
    assert (report["forkedTurn"], report["forkedWith"]) == (None, {})
    assert f">Forked from {run} step:6.</p>" in render_html(report)


@pytest.mark.parametrize("key", ["model", "model.PRO", "models.PRO"])
def test_a_key_in_an_address_is_refused_before_the_fork_is_saved(key: str, tmp_path: Path) -> None:
    run = debated()
    output = moot("fork", run, "--turn", "2", "--set", f"{key}=openai:x@http://ann:geheim@127.0.0.1:9/v1")
    assert output.exit_code == 2
    assert "a base URL must have no key" in output.stderr
    assert [run["run"] for run in listed()] == [run]
    content = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert b"geheim" not in content + output.output.encode()


@pytest.fixture(scope="module")
def cluster() -> Iterator[postgres.Cluster]:
    with postgres.cluster() as running:
        yield running


@pytest.mark.long
@pytest.mark.postgres
def test_postgresql_keeps_it_too(cluster: postgres.Cluster) -> None:
    db = ("--db", cluster.fresh())
    run = debated(*db)
    branch: dict[str, Any] = document("fork", run, "--turn", "2", "--set", f"statement.2={WORDED}", *db)
    report = document("show", branch["run"], *db)
    assert (report["forkedFrom"], report["forkedTurn"]) == (f"{run} step:6", 2)
    assert report["forkedWith"] == {"statement.2": WORDED}
