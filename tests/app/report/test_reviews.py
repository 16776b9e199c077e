"""What a council's report, transcript and tables show of its rankings."""

import csv
import json
import re
from pathlib import Path

import pytest
from command import moot
from fakeserver import Answer, FakeServer, Request
from fakeserver.echo import paragraph
from runs.five import ALL, reviewing

COUNCIL = ["council", "Tea or coffee?", "--model", "rehearsal", "--seed", "3"]
CAST = ["--participant", "Ada", "--participant", "Ben", "--participant", "Cleo"]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("MOOT_DB", str(tmp_path / "moot.db"))
    result = moot(*COUNCIL, *CAST, "--chairman", "Ben", "--json")
    assert result.exit_code == 0, result.stderr
    return str(json.loads(result.stdout)["run"])


def test_the_report_shows_answers_rankings_critiques_and_the_count(run: str, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    assert moot("show", run, "--format", "html", "-o", page).exit_code == 0
    text = page.read_text("utf-8")
    for heading in ("Final answer", "Answers by mean place", "Rankings: turns of the answers", "Critiques"):
        assert heading in text
    assert "The members ranked " in text
    assert "Agreement (tau-b)" in text
    assert "In this round nobody saw the statements of the others" in text
    assert "Speaking order" not in text
    assert re.search(r"Counted by Borda count: (Ada|Ben|Cleo) \(", text)


def test_the_transcript_shows_each_ranking_with_its_agreement_and_every_critique(run: str) -> None:
    document = json.loads(moot("show", run, "--json").stdout)
    output = moot("show", run).stdout
    for review in document["reviews"]:
        order = " > ".join(map(str, review["ranking"]))
        tau = f"{document['concordance']['agreement'][review['voter']]:.2f}"
        assert any(review["voter"] in line and order in line and tau in line for line in output.splitlines())
        assert all(critique["text"] in " ".join(output.split()) for critique in review["critiques"])


def test_answers_and_rankings_are_tables(run: str, tmp_path: Path) -> None:
    assert moot("show", run, "--format", "csv", "-o", tmp_path / "tables").exit_code == 0

    def rows(name: str) -> list[dict[str, str]]:
        with (tmp_path / "tables" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    answers, rankings = rows("answers"), rows("rankings")
    assert [(model_answer["turn"], model_answer["author"], model_answer["ranked_by"]) for model_answer in answers] == [
        ("1", "Ada", "3"),
        ("2", "Ben", "3"),
        ("3", "Cleo", "3"),
    ]
    assert (len(rankings), sum(ranking["own"] == "True" for ranking in rankings)) == (9, 3)
    for answer in answers:
        floats = [float(ranking["place"]) for ranking in rankings if ranking["author"] == answer["author"]]
        assert float(answer["mean_place"]) == pytest.approx(sum(floats) / 3)
    assert {ranking["shown"] for ranking in rankings} == {"1", "2", "3"}


def most_silent(request: Request) -> Answer:
    """A council in which Ben and Cleo have nothing to say."""
    lost = any(persona in request.text for persona in ("You count.", "You doubt."))
    return "" if lost else reviewing(request)


def test_a_council_that_lost_most_of_its_answers_has_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOOT_DB", str(tmp_path / "moot.db"))
    with FakeServer(most_silent) as server:
        result = moot(*ALL["council"].on(server))
    assert result.exit_code == 3
    assert "Ben" in result.stderr + result.stdout


def unreadable(request: Request) -> Answer:
    """Answers and critiques as long as they may be, and no ranking that can be used."""
    form = request.body.get("response_format") or {"json_schema": {"name": ""}}
    return paragraph(request.seed, 480 if form["json_schema"]["name"] != "ReviewForm" else 500)


def test_the_estimate_is_never_passed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOOT_DB", str(tmp_path / "moot.db"))
    texts = [
        "council",
        "Tea or coffee?",
        *CAST,
        "--set",
        "chairman=Ben",
        "--set",
        "retry_delays=[0]",
        "--seed",
        "3",
        "--json",
    ]
    document = json.loads(moot("estimate", *texts).stdout)
    assert (document["low"]["calls"], document["expected"]["calls"]) == (7, 7)
    with FakeServer(unreadable) as server:
        run = json.loads(moot(*texts, "--model", f"openai:fake@{server.url}").stdout)
    assert (run["status"], run["totalCalls"]) == ("partial", 13)
    assert run["totalCalls"] <= document["maximum"]["calls"]
    assert sum(call["input_tokens"] for call in run["calls"]) <= document["maximum"]["input_tokens"]
    assert sum(call["output_tokens"] for call in run["calls"]) <= document["maximum"]["output_tokens"]
