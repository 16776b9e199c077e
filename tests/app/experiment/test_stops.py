"""Stopping rules end to end: experiments run to the cap, what is calibrated on them, and runs that stop by it."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from command import document, moot
from moot.app.experiment.calibration import build_calibration_run, compute_stop_round
from places import proof_size
from sampling import sample_cases
from scipy import stats

PEOPLE = ["Ada", "Ben", "Cleo"]
PAPER = {"title": "Streets", "abstract": "Streets without cars are quieter."}
TALKS: dict[str, tuple[dict[str, Any], str]] = {
    "debate": ({"max_turns": 6}, "certainty"),
    "consensus": ({"max_rounds": 3, "participants": PEOPLE}, "agreement"),
    "discussion": ({"max_turns": 6, "participants": PEOPLE}, "share"),
    "panel": ({"max_rounds": 2, "papers": [PAPER], "participants": ["MIT Researcher", "Paper Analyst"]}, "share"),
}
"""By protocol: the settings of a short one, and the score its stop is calibrated on."""
DELTA = EPSILON = 0.3
ITEMS = max(12, proof_size(40))
"""Items to calibrate on; of fewer, one talk whose decision changes late keeps all thresholds from passing."""
NEW = ITEMS // 2
"""New items, each run to the cap and stopped."""
TO_THE_CAP = {"positions": "rounds", "dynamic_termination": False}


def run(folder: Path, name: str, talk: str, settings: dict[str, Any], items: Sequence[str], **more: Any) -> None:
    """Run an experiment in the database of the folder."""
    plan = {"name": name, "protocol": talk, "settings": {"model": "rehearsal", **settings}, "items": list(items)}
    path = folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump(plan | {"seed": 4} | more))
    ran = moot("experiment", "run", path, "--db", folder / "runs.db")
    assert ran.exit_code == 0, ran.stderr


def load_document(folder: Path, run: str) -> dict[str, Any]:
    return document("show", run, "--db", folder / "runs.db")


def topics(kind: str, count: int) -> list[str]:
    return [f"Should {kind} {number} be banned?" for number in range(count)]


def said_in(found: dict[str, Any]) -> list[tuple[str, str]]:
    return [(turn["speakerId"], turn["content"]) for turn in found["turns"]]


@pytest.mark.long
@pytest.mark.parametrize("talk", sample_cases([*TALKS], kinds=0))
def test_a_calibrated_stop_saves_rounds_and_keeps_its_promise(talk: str, tmp_path: Path) -> None:
    settings, signal = TALKS[talk]
    run(tmp_path, "before", talk, settings | TO_THE_CAP, topics("item", ITEMS))
    path = tmp_path / "stop.json"
    given = ("--signal", signal, "--risk", str(DELTA), "--error-rate", str(EPSILON), "-o", path)
    output = moot("calibrate", "before", *given, "--db", tmp_path / "runs.db")
    assert output.exit_code == 0, output.stderr
    stop = json.loads(path.read_text())
    assert (stop["n"], stop["protocol"], stop["signal"]) == (ITEMS, talk, signal)

    conditions = {"cap": TO_THE_CAP, "stop": {"stop_rule": "calibrated", "calibration_file": str(path)}}
    run(tmp_path, "after", talk, settings, topics("thing", NEW), conditions=conditions)
    changed, saved = 0, 0
    for number in range(1, NEW + 1):
        whole, short = (load_document(tmp_path, f"after-{condition}-{number}-r1") for condition in conditions)
        assert said_in(short) == said_in(whole)[: len(short["turns"])], "until the stop they are the same talk"
        course = build_calibration_run(whole, signal)
        last = compute_stop_round(course.scores, stop["threshold"])
        saved += len(course.decisions) - 1 - last
        changed += course.decisions[last] != course.decisions[-1]
        if short["strategy"] == "calibrated":
            assert short["course"][-1]["round"] == last + 1
            promise = {key: short["basis"][key] for key in ("kind", "delta", "epsilon", "n", "caveat")}
            own = {"kind": "guarantee", "delta": DELTA, "epsilon": EPSILON, "n": ITEMS, "caveat": ""}
            assert promise == own
            assert short["evidence"]["figure"] >= short["evidence"]["threshold"] == stop["threshold"]
        else:
            assert (short["basis"]["kind"], len(short["turns"])) == ("cap", len(whole["turns"]))
    assert saved > 0
    assert stats.binom.sf(changed - 1, NEW, DELTA) > 0.01, "no more than chance brings where the share is as promised"
