"""`moot papers` adds, lists and searches; its exit codes and its JSON are for programs."""

import base64
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from fakeserver import FakeServer
from moot.app.main import app


@pytest.fixture(autouse=True)
def _library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty library, and three files: one good, one broken, one hostile to terminals."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MOOT_DB", str(tmp_path / "moot.db"))
    monkeypatch.delenv("MOOT_EMBEDDINGS", raising=False)
    Path("good.md").write_text(
        "---\nauthors: [Ada Smith, Bo Li, Cy Dee]\nyear: 2020\n---\n# Quiet streets\n\nTrams hum."
    )
    Path("broken.pdf").write_text("nonsense")
    Path("hostile.json").write_text('{"title": "Red \\u001b[31malert\\u202e [bold]trams[/bold]"}')


def moot(*words: str) -> int:
    """The exit code of `moot papers …`."""
    return int(app(["papers", *words], standalone_mode=False) or 0)


@pytest.mark.long
def test_adding_says_once_that_vectors_are_not_encrypted_where_papers_are(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = "encrypts papers and titles, but not their vectors"
    with FakeServer() as server:
        spec = f"openai:e@{server.url}"
        assert moot("add", "good.md", "--embeddings", spec, "--db", "plain.db") == 0
        assert text not in capsys.readouterr().err
        monkeypatch.setenv("MOOT_DB_KEY", base64.b64encode(bytes(32)).decode())
        assert moot("add", "good.md", "hostile.json", "--embeddings", spec) == 0
        assert capsys.readouterr().err.count(text) == 1
        assert moot("add", "good.md", "--embeddings", "lexical") == 0
        assert text not in capsys.readouterr().err
    assert b"Quiet streets" not in (tmp_path / "moot.db").read_bytes()


def test_adding_tells_what_became_of_each_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert moot("add", ".") == 0
    assert capsys.readouterr().out.splitlines() == [
        "broken broken.pdf: is not a readable PDF: Stream has ended unexpectedly",
        "added  smith2020-quiet (good.md)",
        "added  red (hostile.json)",
        "2 added, 0 known, 1 broken",
    ]
    assert moot("add", "good.md") == 0
    assert capsys.readouterr().out.splitlines() == ["known  smith2020-quiet (good.md)", "0 added, 1 known, 0 broken"]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["add", "broken.pdf"], 1, ""),
        (["add", "absent"], 2, "moot: path = 'absent': there is no such file or folder\n"),
        (["add"], 2, "moot: paths = None: name files or folders, or --samples\n"),
        (["search", " "], 2, "moot: query = ' ': ask something\n"),
        (["search", "q", "--n", "0"], 2, "moot: n_papers = 0: give a number from 1 to 50\n"),
        (["search", "q", "--embeddings", "nobody:x"], 2, "moot: embeddings = 'nobody:x': "),
        (["list", "--db", "good.md"], 2, "moot: db = 'good.md': cannot be opened: file is not a database\n"),
        (["list", "--db", "postgresql://u:secret@127.0.0.1:9/x"], 3, "moot: db = postgresql://u@127.0.0.1:9/x: "),
    ],
)
def test_what_cannot_be_done_is_one_line_and_an_exit_code(
    capsys: pytest.CaptureFixture[str], words: list[str], code: int, said: str
) -> None:
    assert moot(*words) == code
    output = capsys.readouterr()
    assert output.err.startswith(said)
    assert output.err.count("\n") == (1 if said else 0)
    assert "secret" not in output.err


def test_the_list_is_one_line_a_paper_on_a_pipe_and_whole_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    moot("add", "good.md")
    capsys.readouterr()
    assert moot("list") == 0
    assert capsys.readouterr().out == "smith2020-quiet\t2020\tAda Smith; Bo Li; …\tQuiet streets\n"
    moot("list", "--json")
    (paper,) = json.loads(capsys.readouterr().out)
    assert (paper["id"], paper["authors"]) == ("smith2020-quiet", ["Ada Smith", "Bo Li", "Cy Dee"])
    assert paper["source"] == str(Path("good.md").absolute())


def test_a_search_shows_relevance_and_its_ranking(capsys: pytest.CaptureFixture[str]) -> None:
    moot("add", "good.md")
    capsys.readouterr()
    assert moot("search", "trams in quiet streets") == 0
    output = capsys.readouterr()
    assert output.out.split("\t")[1:] == ["smith2020-quiet", "Quiet streets\n"]
    assert output.err == "lexical ranking of 1 papers, threshold 0.10\n"
    moot("search", "trams in quiet streets", "--json")
    document = json.loads(capsys.readouterr().out)
    assert (document["ranking"], document["threshold"], document["searched"]) == ("lexical", 0.1, 1)
    assert document["best"] == document["papers"][0]["relevance"]


def test_a_search_without_an_answer_says_how_near_the_best_came(capsys: pytest.CaptureFixture[str]) -> None:
    assert moot("search", "trams") == 0
    assert capsys.readouterr().err == "the library is empty: add papers with `moot papers add PATH`\n"
    moot("add", "good.md")
    capsys.readouterr()
    assert moot("search", "trams", "--threshold", "0.9") == 0
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("lexical ranking of 1 papers, threshold 0.90: no paper reaches it; the best has 0.")


def test_the_samples_come_with_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert moot("add", "--samples") == 0
    assert "18 added, 0 known, 0 broken" in capsys.readouterr().out
    moot("search", "市中心是否应该禁止私家车？")
    assert "林一舟2022-市中心机" in capsys.readouterr().out


@pytest.mark.long
def test_a_title_cannot_steer_a_terminal() -> None:
    moot("add", "hostile.json")
    ours, theirs = pty.openpty()
    subprocess.run([sys.executable, "-c", "from moot.app.main import main; main()", "papers", "list"], stdout=theirs)
    os.close(theirs)
    text = os.read(ours, 10_000).decode()
    os.close(ours)
    assert "Red alert [bold]trams[/bold]" in text.replace("[31m", "")
    assert "\x1b[31m" not in text
    assert "\u202e" not in text


def test_papers_are_removed_and_replaced(capsys: pytest.CaptureFixture[str]) -> None:
    assert moot("add", "good.md") == 0
    Path("good.md").write_text(Path("good.md").read_text().replace("hum", "sing"))
    assert moot("add", "--replace", "good.md") == 0
    assert "0 added, 1 replaced, 0 known, 0 broken" in capsys.readouterr().out
    assert moot("remove", "smith2020-quiet") == 0
    assert capsys.readouterr().out == "removed smith2020-quiet\n"
    assert moot("list") == 0
    assert "quiet" not in capsys.readouterr().out
