"""Power from a pilot's own figures, and what a pilot cannot tell."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from command import moot
from moot.app.experiment.arms import accuracy
from moot.app.experiment.arms.accuracy import estimate_from_pilot
from moot.app.experiment.data import ExperimentRun
from moot.app.experiment.forecast import describe_power
from moot.app.experiment.measures import Unit
from moot.app.experiment.plan import Plan, parse_plan
from moot.app.experiment.planned_runs import plan_runs
from moot.app.saved.experiments import RunProgress
from moot.state.errors import InputError

SETTINGS = {"participants": ["Ada", "Ben", "Cleo"]}


def plan(**changes: Any) -> Plan:
    items = [{"topic": f"Is {place} so?", "options": ["yes", "no"], "truth": "yes"} for place in range(60)]
    given = {"name": "pilot", "protocol": "consensus", "settings": SETTINGS, "items": items, "arms": ["vote"]}
    return parse_plan(given | changes)


def outcomes(of: Plan) -> list[ExperimentRun]:
    return [ExperimentRun(plan_run, RunProgress("done", "", 0, 0, 0.0), None) for plan_run in plan_runs(of)]


def planted(monkeypatch: pytest.MonkeyPatch, gain: int, lost: int, size: int) -> None:
    """Of every `size` items the talk is right and the vote wrong on `gain`, and the other way round on `lost`."""

    def unit(of: Any, arms: object) -> Unit:
        trial, place = of.run.planned, int(of.run.planned.item.id) % size
        credit = (1.0, 0.0) if place < gain else (0.0, 1.0) if place < gain + lost else (1.0, 1.0)
        return Unit(trial.item.id, dict(zip(("talk", "vote"), credit, strict=True)), trial.repeat)

    monkeypatch.setattr(accuracy, "make_unit", unit)


def test_power_is_computed_from_what_the_pilot_found(monkeypatch: pytest.MonkeyPatch) -> None:
    planted(monkeypatch, gain=12, lost=6, size=60)
    pilot = plan(repeats=2)
    asked = plan(name="main", primary="talking", detect={"from": "pilot"}, repeats=2)
    detect, told = estimate_from_pilot(asked, pilot, outcomes(pilot))
    assert (detect.gain, detect.discordance, detect.within_item) == (pytest.approx(0.1), pytest.approx(0.3), 1)
    assert told.startswith("from the pilot pilot, talking, 60 items: gain +10.0 points, 30.0 % of pairs differing")
    lines = describe_power(asked, 60, (detect, told))
    assert lines[0] == told
    assert lines[1].startswith("power to find a gain of 10 points")
    assert "30 % of pairs differing" in lines[1]


def test_what_the_plan_says_itself_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    planted(monkeypatch, gain=12, lost=6, size=60)
    pilot = plan()
    detect, told = estimate_from_pilot(
        plan(primary="talking", detect={"from": "pilot", "gain": 0.05}), pilot, outcomes(pilot)
    )
    assert (detect.gain, detect.discordance, detect.within_item) == (0.05, pytest.approx(0.3), 0.3)
    assert "correlation within items unknown without repeats" in told


@pytest.mark.parametrize(
    ("gain", "primary", "remedy"),
    [
        (0, "talking", "both arms gave equal results in every pair of this pilot; give gain and discordance"),
        (1, "net", "the runs of this pilot do not compare talk and samples"),
    ],
)
def test_a_pilot_that_tells_nothing_is_refused(
    gain: int, primary: str, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted(monkeypatch, gain=gain, lost=0, size=60)
    asked = plan(primary=primary, arms=["single", "vote", "samples"], detect={"from": "pilot"})
    with pytest.raises(InputError, match=re.escape(remedy)):
        estimate_from_pilot(asked, plan(), outcomes(plan()))


def test_a_pilot_that_is_not_there_is_named(tmp_path: Path) -> None:
    document = plan(detect={"from": "nowhere"}).document
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump(document))
    output = moot("experiment", "check", tmp_path / "plan.yaml", "--db", tmp_path / "runs.db")
    assert output.exit_code == 2, output.stdout
