"""Runs are made and kept where the packages for figures over them are not installed."""

import subprocess
import sys
from pathlib import Path

import pytest

PLAN = """
name: bare
protocol: debate
settings: {model: rehearsal, max_turns: 2, answer: option, options: {A: Tea, B: Coffee}}
items: [{id: one, topic: "Tea or coffee?", truth: A}]
arms: [single]
"""
BARE = "import sys; sys.modules.update(scipy=None, statsmodels=None); from moot.app.main import main; main()"


@pytest.mark.long
def test_a_plan_is_run_and_what_its_figures_need_is_said_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(PLAN)
    words = ["experiment", "run", "plan.yaml", "--db", "runs.db"]
    process = subprocess.run([sys.executable, "-c", BARE, *words], cwd=tmp_path, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    text = (
        "All runs are saved, but there is no report: figures over many runs need scipy and statsmodels: "
        'pip install "moot[science]"'
    )
    assert text in " ".join(process.stdout.split())
