"""Tools as a factor of an experiment: did looking things up help?"""

import csv
from pathlib import Path

import pytest
from command import moot

PLAN = Path(__file__).parents[3] / "examples" / "experiment" / "lookups.yaml"


@pytest.mark.long
def test_the_example_runs_with_and_without_the_library_and_its_data_tell_who_looked_up(tmp_path: Path) -> None:
    ran = moot("experiment", "run", PLAN)
    assert ran.exit_code == 0, ran.stderr
    assert moot("experiment", "export", "lookups", "-o", tmp_path / "data").exit_code == 0
    with (tmp_path / "data" / "runs.csv").open() as file:
        tools = {row["run"]: row["factor.tools"] for row in csv.DictReader(file) if row["status"] == "completed"}
    with (tmp_path / "data" / "lookups.csv").open() as file:
        looked_up = {row["run"] for row in csv.DictReader(file)}
    assert sorted(tools.values()) == [""] * 4 + ["library"] * 4
    assert looked_up == {run for run, choice in tools.items() if choice == "library"}
