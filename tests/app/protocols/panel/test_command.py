"""`moot panel`: the conclusion first, then the discussion, then the papers; in the output language."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import document, listed, moot
from command.terminal import typed
from deliberations.panel import EXPERTS
from fakeserver import FakeServer, Fault, Request
from moot.app.protocols.panel.hooks import parse_expert_options

CARS = "Should cities ban cars from downtown areas?"


def answer_prompt(request: Request) -> str:
    """What experts and the conclusion say: a function of the prompt."""
    task = request.text.rpartition("<task>")[2]
    number = request.text.count("<statement ")
    if task.lstrip().startswith(("You are", "你是")):
        return f"Contribution {number + 1}: buses first."
    return f"In short: yes, with better buses, after {number} contributions."


@pytest.fixture
def model() -> Iterator[str]:
    with FakeServer(reply=answer_prompt) as server:
        yield f"openai:fake@{server.url}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Papers of several kinds, and one that is broken."""
    place = tmp_path / "papers"
    place.mkdir()
    (place / "buses.md").write_text("# Better buses\n\nCities that ban cars need better buses downtown.")
    (place / "toll.bib").write_text("@article{toll, title={A toll instead}, year={2020}, abstract={Tolls on cars.}}")
    (place / "trams.json").write_text('[{"title": "Trams", "abstract": "Trams hum downtown."}]')
    (place / "broken.pdf").write_text("nonsense")
    return place


def in_order(text: str, parts: list[str]) -> None:
    """Every part stands in the text, one after the other."""
    places = [text.find(part) for part in parts]
    assert -1 not in places, parts[places.index(-1)]
    assert places == sorted(places)


@pytest.mark.long
def test_a_folder_is_added_once_and_then_asked(model: str, folder: Path) -> None:
    added = moot("papers", "add", folder)
    assert added.exit_code == 0
    assert "broken" in added.stdout
    assert "broken.pdf: is not a readable PDF" in added.stdout
    assert added.stdout.splitlines()[-1] == "3 added, 0 known, 1 broken"
    assert moot("papers", "add", folder).stdout.splitlines()[-1] == "0 added, 3 known, 1 broken"

    output = moot("panel", CARS, "--model", model, "--output-language", "en")
    assert output.exit_code == 0
    conclusion = ["# What the papers say", CARS, "## Conclusion", "In short: yes, with better buses, after 4"]
    discussion = ["Discussed by 4 experts in 1 round; contributions: 4."]
    for place, name in enumerate(EXPERTS, start=1):
        discussion += [f"### {place}. **{name}**", f"Contribution {place}: buses first."]
    papers = ["## Papers (", "Better buses", "relevance 0.", "(by shared words)"]
    in_order(output.stdout, [*conclusion, *discussion, *papers, "every expert has spoken", "Saved as panel-"])


def test_papers_read_for_one_run_leave_no_file_where_it_was_begun(
    model: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "here"
    place.mkdir()
    monkeypatch.chdir(place)
    assert document("panel", CARS, "--papers", str(folder), "--model", model)["papers"]
    assert [path.name for path in place.iterdir()] == []


def test_the_samples_can_be_asked_at_once_in_chinese(model: str) -> None:
    output = moot(
        "panel",
        CARS,
        "--samples",
        "--model",
        model,
        "--experts",
        "Paper Analyst, MIT Researcher",
        "--cycles",
        "2",
        "--language",
        "zh",
    )
    names = ["MIT Researcher", "Paper Analyst"] * 2
    heads = [f"### {place}. **{name}**（" for place, name in enumerate(names, start=1)]
    in_order(
        output.stdout,
        ["# 论文研讨", "## 结论", "共有2位专家进行了2轮讨论，共4次发言。", *heads, "## 论文（", "相关度0."],
    )
    assert moot("papers", "list").stdout == "", "the library is left alone"


@pytest.mark.long
def test_files_of_ones_own_are_read_instead_of_the_library(model: str, folder: Path) -> None:
    report = document("panel", CARS, "--papers", folder, "--n-papers", "1", "--model", model, "--experts", "A: b")
    assert [paper["title"] for paper in report["papers"]] == ["Better buses"]
    assert report["papers"][0]["relevance"] > 0.1
    text = "left out broken.pdf: is not a readable PDF"
    assert report["incidents"][0]["what"].startswith(text)
    output = moot("panel", CARS, "--papers", folder, "--model", model).stderr
    assert text in output, "told as it goes, too"


@pytest.mark.long
def test_ranking_files_of_ones_own_counts_in_the_caps_is_on_record_and_is_replayed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    (kept := tmp_path / "kept").mkdir()
    with FakeServer(reply=answer_prompt) as server:
        spec = f"@{server.url}"
        words = ["panel", CARS, "--papers", folder.name, "--embeddings", f"openai:vec{spec}", "--min-relevance", "0"]
        words += ["--model", f"openai:fake{spec}", "--experts", "A: b"]
        short = moot(*words, "--max-calls", "2")
        assert (short.exit_code, len(server.requests)) == (3, 1), "one call is kept for the synthesis"
        assert "the budget leaves no call for this" in short.stderr
        report = document(*words, "--max-calls", "4", "--record", str(kept / "r.jsonl"))
        made = [(call["purpose"], call["model"]) for call in report["calls"]]
        assert made[:2] == [("embedding", f"openai:vec{spec}")] * 2, "their vectors, and that of the question"
        assert len(made) == 4
        request_count = len(server.requests)
        folder.rename(tmp_path / "gone")
        again = document(*words, "--replay", str(kept / "r.jsonl"))
    assert (len(server.requests), again["papers"]) == (request_count, report["papers"])
    assert {call["replayed"] for call in again["calls"]} == {True}


TOLD = {
    "Paper Analyst, MIT Researcher": [("Paper Analyst", ""), ("MIT Researcher", "")],
    "Ana: gardener, who knows roots": [("Ana", "gardener, who knows roots")],
    "Paper Analyst，Ana：园丁": [("Paper Analyst", ""), ("Ana", "园丁")],
}


@pytest.mark.parametrize(("told", "seated"), TOLD.items())
def test_experts_are_told_apart_by_commas_before_a_description(told: str, seated: list[tuple[str, str]]) -> None:
    assert [(expert_option["name"], expert_option["role"]) for expert_option in parse_expert_options([told])] == seated


def test_the_document_keeps_the_panels_spelling_inside_the_envelope(model: str) -> None:
    report = document("panel", CARS, "--samples", "--model", model, "--min-relevance", "0.12", "--seed", "4")
    assert (report["protocol"], report["topic"], report["seed"], report["language"]) == ("panel", CARS, 4, "en")
    assert report["terminationReason"] == "all_have_spoken"
    assert [turn["speakerId"] for turn in report["turns"]] == EXPERTS
    discussions = report["agent_discussions"]
    assert discussions["final_conclusion"] == report["synthesis"]
    assert [discussion_round["round_number"] for discussion_round in discussions["discussion_rounds"]] == [1, 2, 3, 4]
    assert discussions["discussion_rounds"][0]["agent_name"] == "Google Engineer"
    assert all(paper["relevance"] >= 0.12 for paper in report["papers"])
    assert report["answer"].startswith("# What the papers say\n\n**Question:** Should cities")
    assert document("show", report["run"])["answer"] == report["answer"]


def test_a_saved_panel_is_shown_with_its_conclusion_first(model: str) -> None:
    name = document("panel", CARS, "--samples", "--model", model, "--language", "en")["run"]
    for shown in (moot("show", name).stdout, moot("show", name, "--format", "md").stdout, moot("resume", name).stdout):
        in_order(shown, ["## Conclusion", "In short", "## Discussion", "Contribution 4", "## Papers"])


def test_quiet_prints_the_ending_and_the_conclusion(model: str) -> None:
    output = moot("panel", CARS, "--samples", "--model", model, "--quiet").stdout
    assert "In short: yes" in output
    assert "Contribution" not in output


def test_a_stopped_panel_goes_on_where_it_was(tmp_path: Path) -> None:
    with FakeServer(reply=answer_prompt, faults={3: Fault.status(401)}) as server:
        words = ["panel", CARS, "--samples", "--model", f"openai:fake@{server.url}"]
        output = moot(*words)
        assert output.exit_code == 3
        name = output.stderr.rpartition("resume ")[2].split()[0]
        report = document("resume", name)
        assert [turn["speakerId"] for turn in report["turns"]] == EXPERTS
        assert len(server.requests) == 6


def test_nothing_found_is_said_and_no_model_is_asked() -> None:
    with FakeServer() as server:
        output = moot("panel", "quantum chromodynamics", "--samples", "--model", f"openai:fake@{server.url}")
        assert (output.exit_code, server.requests) == (0, [])
    assert "reached the relevance threshold" in output.stdout
    assert "held" in output.stdout


def test_the_library_of_another_database_is_read_from_it(model: str, folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    moot("papers", "add", folder, "--db", other)
    assert document("panel", CARS, "--model", model, "--db", other)["papers"]
    assert document("panel", CARS, "--model", model)["papers"] == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--experts", "Oracle"], "Oracle.*Google Engineer, MIT Researcher, Industry Expert, Paper Analyst"),
        (["--n-papers", "51"], "n_papers = 51"),
        (["--min-relevance", "2"], "min_similarity_threshold = 2"),
        (["--cycles", "0"], "cycles = 0"),
        (
            ["--stop-rule", "judge"],
            "stop_rule = 'judge': must be 'never', 'declared' or 'calibrated'",
        ),
        (["--profile", "classic"], "profile = 'classic': a panel has no persona profiles; leave it out"),
        (["--embeddings", "nobody:x"], "embeddings = 'nobody:x'"),
        (["--papers", "absent"], "there is no such file or folder"),
        (["--set", "cylces=2"], "cylces = 2: unknown key; did you mean cycles"),
    ],
)
def test_what_cannot_be_asked_is_one_line(model: str, words: list[str], said: str) -> None:
    failed = moot("panel", CARS, "--model", model, *words)
    assert (failed.exit_code, failed.stdout) == (2, "")
    assert re.search(f"^moot: .*{said}", failed.stderr.splitlines()[-1])
    assert listed() == [], "nothing of it is kept"


@pytest.mark.long
def test_a_terminal_shows_the_discussion_as_it_goes_and_then_the_answer(model: str) -> None:
    text, code = typed(["panel", CARS, "--samples", "--model", model, "--no-color", "--language", "en"])
    assert code == 0
    live = ["Google Engineer · turn 1 of 4", "Contribution 1", "Paper Analyst · turn 4 of 4", "Contribution 4"]
    in_order(text, [*live, "In short"])
    assert "## Conclusion" not in text, "it is rendered"
    assert text.count("In short") == 1
