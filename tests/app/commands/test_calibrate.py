"""`moot calibrate`: a stop with a promise, from runs to the cap; and runs that are stopped by it."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from command import document, moot
from moot.state.positions import Position
from moot.state.positions.calibrated import decision, same_decisions, score
from moot.state.positions.rules import Question

PLAN: dict[str, Any] = {
    "name": "stops",
    "protocol": "debate",
    "settings": {"model": "rehearsal", "positions": "rounds", "dynamic_termination": False, "max_turns": 8},
    "items": [f"Should item {number} be banned?" for number in range(6)],
    "repeats": 2,
    "seed": 3,
}
LOOSE = ["--signal", "certainty", "--delta", "0.5", "--epsilon", "0.3"]
"""What six items suffice for."""


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with an experiment to calibrate on."""
    folder = tmp_path_factory.mktemp("stops")
    (folder / "plan.yaml").write_text(yaml.safe_dump(PLAN))
    assert moot("experiment", "run", folder / "plan.yaml", "--db", folder / "runs.db").exit_code == 0
    assert moot("calibrate", "stops", *LOOSE, "-o", folder / "stop.json", "--db", folder / "runs.db").exit_code == 0
    return folder


def test_a_stop_says_what_it_promises_and_what_it_was_made_for(experiment: Path) -> None:
    stop = json.loads((experiment / "stop.json").read_text())
    assert (stop["n"], stop["protocol"], stop["models"]) == (6, "debate", ["rehearsal", "rehearsal"])
    assert (stop["signal"], stop["delta"], stop["epsilon"]) == ("certainty", 0.5, 0.3)
    assert stop["rounds_saved"] > 0
    assert "at most a share 0.5 of runs on new items drawn as these were end with another decision" in stop["promise"]
    assert stop["settings"]["max_turns"] == 8
    assert len(stop["hash"]) == 64


def stopped(experiment: Path, *words: str, **changes: Any) -> list[str]:
    """The words of a debate that such a stop ends, the stop changed."""
    stop = json.loads((experiment / "stop.json").read_text()) | changes
    path = experiment / "changed.json"
    path.write_text(json.dumps(stop))
    given = ["--set", "stopping=calibrated", "--set", f"stop_file={path}", "--max-turns", "8", "--seed", "1"]
    return ["debate", "Should item 9 be banned?", "--model", "rehearsal", *given, *words]


def test_a_talk_ends_in_the_first_round_whose_score_reaches_the_threshold_and_says_what_that_promises(
    experiment: Path,
) -> None:
    found = document(*stopped(experiment, threshold=0.5))
    assert (found["terminationReason"], len(found["turns"])) == ("calibrated_stop", 2)
    assert found["evidence"]["threshold"] == 0.5
    assert found["evidence"]["figure"] >= 0.5
    assert {key: found["promise"][key] for key in ("kind", "delta", "epsilon", "n")} == {
        "kind": "guarantee",
        "delta": 0.5,
        "epsilon": 0.3,
        "n": 6,
    }
    told = moot("show", found["run"]).stdout
    assert "the score of its calibrated stop was reached" in told
    assert "with probability 0.7, at most 0.5 of such runs end otherwise (calibrated on 6)" in told
    late = document(*stopped(experiment, threshold=1.0))
    assert late["terminationReason"] == "max_turns_reached"


@pytest.mark.parametrize(
    ("changes", "words", "said"),
    [
        ({"models": ["openai:x", "openai:x"]}, [], "the stop was calibrated for models ['openai:x', 'openai:x']; here"),
        ({"models": ["rehearsal"] * 3}, [], "the stop was calibrated for models"),
        ({"protocol": "panel"}, [], "the stop was calibrated for protocol panel; here debate"),
        ({"threshold": 2}, [], "threshold: Input should be less than or equal to 1; calibrate again"),
        ({}, ["--set", "stop_file=''"], "stopping: calibrated and stop_file, which `moot calibrate` writes, belong"),
        ({}, ["--set", "stopping=dialogue"], "belong together; give both"),
    ],
)
def test_a_stop_made_for_something_else_is_refused(
    experiment: Path, changes: dict[str, Any], words: list[str], said: str
) -> None:
    refused = moot(*stopped(experiment, *words, **changes))
    assert (refused.exit_code, said in refused.stderr) == (2, True), refused.stderr


def test_whoever_insists_has_it_on_record(experiment: Path) -> None:
    found = document(*stopped(experiment, "--set", "stop_insist=true", protocol="panel"))
    assert any("calibrated for protocol panel; here debate" in one["what"] for one in found["incidents"])
    other = document(*stopped(experiment, "--set", "temperature=0.1"))
    assert any("calibrated with other settings: temperature" in one["what"] for one in other["incidents"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "a stop with δ = 0.1 and ε = 0.1 needs n ≥ ln ε / ln(1 − δ) = 22 items, one run each"),
        (["--signal", "mood"], "signal = 'mood': give one of share, certainty, agreement"),
        (["--signal", "agreement", *LOOSE[2:]], "no agreement is measured in these runs"),
        (["--condition", "loud"], "--condition = 'loud': give one of all"),
        (["--delta", "0"], "give a share above 0 and below 1"),
    ],
)
def test_what_cannot_be_calibrated_is_refused_with_what_it_lacks(
    experiment: Path, options: list[str], said: str
) -> None:
    refused = moot("calibrate", "stops", *options, "-o", experiment / "no.json", "--db", experiment / "runs.db")
    assert (refused.exit_code, said in refused.stderr) == (2, True), refused.stderr
    assert not (experiment / "no.json").exists()


def test_runs_that_something_else_could_have_ended_are_refused(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(
        yaml.safe_dump(PLAN | {"settings": {"model": "rehearsal", "max_turns": 2}, "items": ["Tea?"], "repeats": 1})
    )
    moot("experiment", "run", tmp_path / "plan.yaml")
    assert "calibration needs runs with positions: rounds" in moot("calibrate", "stops", *LOOSE).stderr


def at(*answers: tuple[str, float]) -> dict[str, Position]:
    return {
        who: Position(round=1, who=who, answer=answer, certainty=sure, stance="hold")
        for who, (answer, sure) in zip("ABCD", answers, strict=False)
    }


def test_scores_by_hand() -> None:
    moment = at(("x", 90), ("x", 50), ("y", 100))
    question = Question(["x", "y"])
    assert score("share", moment, question, 4, None) == 2 / 4, "who gave no answer does not lead"
    assert score("certainty", moment, question, 4, None) == pytest.approx(0.6)
    assert score("agreement", moment, question, 4, 0.7) == 0.7
    assert decision(moment, question, False) == ("x",)
    assert decision(at(("x", 1), ("y", 1)), question, False) == ("x", "y"), "a tie is a decision of its own"
    assert decision(at(("for", 1), ("against", 1)), question, True) == (("A", "hold"), ("B", "hold"))


def test_a_number_within_the_tolerance_of_the_last_one_is_no_other_decision() -> None:
    number = Question((), {}, numeric=True, tolerance=0.01)
    assert same_decisions([("99.5",), ("90",), ("100",)], number) == [("100",), ("90",), ("100",)]
