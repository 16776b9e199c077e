"""`moot calibrate`: a stop with a promise, from runs to the cap; and runs that are stopped by it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from command import document, moot
from moot.state.positions import Position
from moot.state.positions.calibrated_stop import CalibratedStop, compute_score, get_decision, replace_near_decisions
from moot.state.positions.settings import AnswerFormat

PLAN: dict[str, Any] = {
    "name": "stops",
    "protocol": "debate",
    "settings": {"model": "rehearsal", "positions": "rounds", "dynamic_termination": False, "max_turns": 8},
    "items": [f"Should item {number} be banned?" for number in range(6)],
    "repeats": 2,
    "seed": 3,
}
LOOSE = ["--signal", "certainty", "--risk", "0.5", "--error-rate", "0.3"]
"""What six items suffice for."""


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with an experiment to calibrate on."""
    folder = tmp_path_factory.mktemp("stops")
    (folder / "plan.yaml").write_text(yaml.safe_dump(PLAN))
    assert moot("experiment", "run", folder / "plan.yaml", "--db", folder / "runs.db").exit_code == 0
    output = moot("calibrate", "stops", *LOOSE, "-o", folder / "stop.json", "--db", folder / "runs.db")
    assert (output.exit_code, output.stdout.startswith("No model took part")) == (0, True)
    return folder


@pytest.mark.long
def test_a_stop_says_what_it_promises_and_what_it_was_made_for(experiment: Path) -> None:
    stop = json.loads((experiment / "stop.json").read_text())
    assert (stop["n"], stop["protocol"], stop["models"]) == (6, "debate", ["rehearsal", "rehearsal"])
    assert (stop["signal"], stop["delta"], stop["epsilon"]) == ("certainty", 0.5, 0.3)
    assert stop["rounds_saved"] > 0
    assert "at most 50 % of runs on new items like these end with another decision" in stop["guarantee"]
    assert stop["settings"]["max_turns"] == 8
    assert len(stop["hash"]) == 64


def stopped(experiment: Path, *words: str, **changes: Any) -> list[str]:
    """The words of a debate that such a stop ends; with `changes`, one that was calibrated so."""
    made = CalibratedStop.model_construct(**json.loads((experiment / "stop.json").read_text()) | changes)
    path = experiment / "changed.json"
    path.write_text(json.dumps(made.model_dump() | {"hash": made.computed_hash}))
    texts = ["--set", "stop_rule=calibrated", "--set", f"calibration_file={path}", "--max-turns", "8", "--seed", "1"]
    return ["debate", "Should item 9 be banned?", "--model", "rehearsal", *texts, *words]


@pytest.mark.long
def test_a_talk_ends_in_the_first_round_whose_score_reaches_the_threshold_and_says_what_that_promises(
    experiment: Path,
) -> None:
    report = document(*stopped(experiment, threshold=0.5))
    assert (report["terminationReason"], len(report["turns"])) == ("calibrated_stop", 2)
    assert report["evidence"]["threshold"] == 0.5
    assert report["evidence"]["figure"] >= 0.5
    assert {key: report["basis"][key] for key in ("kind", "delta", "epsilon", "n")} == {
        "kind": "guarantee",
        "delta": 0.5,
        "epsilon": 0.3,
        "n": 6,
    }
    output = moot("show", report["run"]).stdout
    assert "the calibrated score was reached" in output
    assert (
        "Guarantee from 6 calibration runs: with probability 0.7, at most 0.5 of such runs would have another result"
        in output
    )
    late = document(*stopped(experiment, threshold=1.0))
    assert late["terminationReason"] == "max_turns_reached"


@pytest.mark.parametrize(
    ("changes", "words", "said"),
    [
        (
            {"models": ["openai:x", "openai:x"]},
            [],
            "the stop was calibrated for models ['openai:x', 'openai:x'], but this run has",
        ),
        ({"models": ["rehearsal"] * 3}, [], "the stop was calibrated for models"),
        ({"protocol": "panel"}, [], "the stop was calibrated for protocol panel, but this run has debate"),
        ({"threshold": 2}, [], "threshold: must be at most 1; calibrate again"),
        (
            {},
            ["--set", "calibration_file=''"],
            "must be given if stop_rule is calibrated",
        ),
        ({}, ["--set", "stop_rule=asked"], "must be given if stop_rule is calibrated"),
    ],
)
def test_a_stop_made_for_something_else_is_refused(
    experiment: Path, changes: dict[str, Any], words: list[str], said: str
) -> None:
    output = moot(*stopped(experiment, *words, **changes))
    assert (output.exit_code, said in output.stderr) == (2, True), output.stderr


@pytest.mark.parametrize(
    "changes",
    [
        {"threshold": 0.5},
        {"delta": 0.01},
        {"n": 500},
        {"settings": {}},
        {"guarantee": "It is always right."},
        {"hash": ""},
    ],
    ids=str,
)
def test_a_stop_that_was_changed_by_hand_is_refused(experiment: Path, changes: dict[str, Any]) -> None:
    path = experiment / "forged.json"
    path.write_text(json.dumps(json.loads((experiment / "stop.json").read_text()) | changes))
    texts = [
        "--set",
        "stop_rule=calibrated",
        "--set",
        f"calibration_file={path}",
        "--set",
        "allow_other_calibration=true",
    ]
    output = moot("debate", "Should item 9 be banned?", "--model", "rehearsal", "--max-turns", "8", *texts)
    text = f"calibration_file = '{path}': hash: the file was changed after `moot calibrate` wrote it; undo the "
    assert (output.exit_code, text in output.stderr) == (2, True), output.stderr


def test_an_experiment_whose_stop_cannot_be_read_is_refused_before_any_run(tmp_path: Path) -> None:
    settings = {"model": "rehearsal", "stop_rule": "calibrated", "calibration_file": str(tmp_path / "lost.json")}
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump(PLAN | {"settings": settings}))
    output = moot("experiment", "run", tmp_path / "plan.yaml")
    text = r"calibration_file = '.*: No such file or directory; name the file that `moot calibrate` wrote"
    assert (output.exit_code, bool(re.search(text, output.stderr))) == (2, True), output.stderr


@pytest.mark.parametrize(
    ("changes", "words", "misfit"),
    [
        (
            {"protocol": "panel"},
            ["--set", "allow_other_calibration=true"],
            "calibrated for protocol panel, but this run has debate",
        ),
        (
            {"models": ["openai:x"]},
            ["--set", "allow_other_calibration=true"],
            "calibrated for models ['openai:x'], but this run has",
        ),
        ({}, ["--set", "temperature=0.1"], "calibrated with other settings: temperature"),
    ],
)
def test_a_run_unlike_those_it_was_calibrated_on_has_that_on_record_and_no_promise(
    experiment: Path, changes: dict[str, Any], words: list[str], misfit: str
) -> None:
    report = document(*stopped(experiment, *words, threshold=0.5, **changes))
    assert any(misfit in incident["what"] for incident in report["incidents"])
    assert (report["strategy"], report["terminationReason"]) == ("calibrated", "calibrated_stop")
    assert (report["basis"]["kind"], report["basis"]["caveat"]) == ("heuristic", "calibrated_on_others")
    output = moot("show", report["run"]).stdout
    assert "No guarantee: the rule was calibrated on other kinds of runs" in output


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "with risk δ = 0.1 and error rate ε = 0.1, run ln ε / ln(1 − δ) = 22 items or more, one run each"),
        (["--signal", "mood"], "signal = 'mood': give one of share, certainty, agreement"),
        (["--signal", "agreement", *LOOSE[2:]], "these runs measure no agreement"),
        (["--condition", "loud"], "--condition = 'loud': give one of all"),
        (["--risk", "0"], "give a share above 0 and below 1"),
    ],
)
def test_what_cannot_be_calibrated_is_refused_with_what_it_lacks(
    experiment: Path, options: list[str], said: str
) -> None:
    output = moot("calibrate", "stops", *options, "-o", experiment / "no.json", "--db", experiment / "runs.db")
    assert (output.exit_code, said in output.stderr) == (2, True), output.stderr
    assert not (experiment / "no.json").exists()


UNFIT: list[tuple[dict[str, Any], str]] = [
    ({"settings": {"model": "rehearsal", "max_turns": 2}}, "positions = 'off': calibration needs runs with positions:"),
    (
        {"settings": {"model": "rehearsal", "max_turns": 2, "positions": "rounds"}},
        "dynamic_termination = True: calibration needs runs without an early stop",
    ),
    (
        {"settings": PLAN["settings"] | {"budget": {"calls": 8}}},
        ("run = 'unfit-all-1-r1': must end at its maximum of turns or rounds, not as budget_spent; remove the cause"),
    ),
    (
        {"items": [{"topic": "Tea?"}, {"topic": " tea? "}]},
        "items.2 = ' tea? ': this is the same as item 1; use different items",
    ),
    (
        {
            "items": [{"topic": "Tea?"}, {"topic": "Rum?", "options": ["Yes", "No"]}],
            "settings": PLAN["settings"] | {"max_turns": 2},
        },
        (
            "answer = ['none', 'option']: all runs of a calibration must have the same settings; give this setting "
            "one value"
        ),
    ),
]


@pytest.mark.long
@pytest.mark.parametrize(("changes", "said"), UNFIT, ids=[one[1][:30] for one in UNFIT])
def test_runs_that_cannot_be_calibrated_on_are_refused(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    plan = PLAN | {"name": "unfit", "repeats": 1, "items": ["Tea?"]} | changes
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump(plan))
    assert moot("experiment", "run", tmp_path / "plan.yaml").exit_code == 0
    output = moot("calibrate", "unfit", *LOOSE, "-o", tmp_path / "no.json")
    assert (output.exit_code, said in output.stderr) == (2, True), output.stderr
    assert not (tmp_path / "no.json").exists()


def test_runs_that_have_not_ended_are_refused(tmp_path: Path) -> None:
    capped = PLAN["settings"] | {"budget": {"calls": 30}}
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump(PLAN | {"cap": {"calls": 40}, "settings": capped}))
    moot("experiment", "run", tmp_path / "plan.yaml")
    output = moot("calibrate", "stops", *LOOSE)
    assert "runs have not finished; resume them, then calibrate" in output.stderr


def make_positions(*answers: tuple[str, float]) -> dict[str, Position]:
    return {
        who: Position(round=1, who=who, answer=answer, certainty=sure, stance="hold")
        for who, (answer, sure) in zip("ABCD", answers, strict=False)
    }


def test_scores_by_hand() -> None:
    moment = make_positions(("x", 90), ("x", 50), ("y", 100))
    question = AnswerFormat(["x", "y"])
    assert compute_score("share", moment, question, 4, None) == 2 / 4, "who gave no answer does not lead"
    assert compute_score("certainty", moment, question, 4, None) == pytest.approx(0.6)
    assert compute_score("agreement", moment, question, 4, 0.7) == 0.7
    assert get_decision(moment, question, False) == ("x",)
    assert get_decision(make_positions(("x", 1), ("y", 1)), question, False) == ("x", "y"), (
        "a tie is a decision of its own"
    )
    assert get_decision(make_positions(("for", 1), ("against", 1)), question, True) == (("A", "hold"), ("B", "hold"))


def test_a_number_within_the_tolerance_of_the_last_one_is_no_other_decision() -> None:
    number = AnswerFormat((), {}, is_numeric=True, tolerance=0.01)
    assert replace_near_decisions([("99.5",), ("90",), ("100",)], number) == [("100",), ("90",), ("100",)]


def test_what_a_talk_with_a_stop_made_for_its_models_costs_is_known_before_they_are_asked(experiment: Path) -> None:
    models = ["openai:gpt-5-mini"] * 2
    output = moot("estimate", *stopped(experiment, "--model", models[0], "--max-turns", "2", models=models))
    assert (output.exit_code, "moot: " in output.stderr) == (0, False), output.stderr


@pytest.mark.long
def test_a_plan_takes_in_the_stop_it_names_so_that_no_worker_needs_its_file_and_a_seal_holds_it(
    experiment: Path, tmp_path: Path
) -> None:
    def put(**changes: Any) -> None:
        made = CalibratedStop.model_construct(**json.loads((experiment / "stop.json").read_text()) | changes)
        (tmp_path / "stop.json").write_text(json.dumps(made.model_dump() | {"hash": made.computed_hash}))

    settings = {"model": "rehearsal", "stop_rule": "calibrated", "calibration_file": "stop.json", "max_turns": 8}
    plan, db = tmp_path / "plan.yaml", tmp_path / "other.db"
    plan.write_text(yaml.safe_dump(PLAN | {"name": "short", "settings": settings, "items": ["Why?"], "repeats": 1}))
    put(threshold=0.5)
    assert moot("experiment", "seal", plan).exit_code == 0, "named from the plan's folder"
    assert moot("experiment", "check", plan).exit_code == 0
    put(threshold=0.6)
    output = moot("experiment", "run", plan)
    assert (output.exit_code, "was changed after the seal" in output.stderr) == (2, True), output.stderr
    put(threshold=0.5)
    assert moot("experiment", "run", plan).exit_code == 0
    (tmp_path / "stop.json").unlink()
    assert moot("experiment", "export", "short", "-o", tmp_path / "data").exit_code == 0
    again = moot("experiment", "run", tmp_path / "data" / "plan.yaml", "--db", db)
    assert again.exit_code == 0, again.stderr
    assert document("show", "short-all-1-r1", "--db", db)["terminationReason"] == "calibrated_stop"
    kept = tmp_path / "data" / "plan.yaml"
    kept.write_text(kept.read_text().replace("threshold: 0.5", "threshold: 0.9"))
    output = moot("experiment", "run", kept, "--db", db)
    assert "calibration_file = 'stop.json': hash: the file was changed" in output.stderr
