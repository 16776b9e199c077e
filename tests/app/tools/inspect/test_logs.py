"""Saved runs as logs of inspect_ai, read back by it; apart, since its packages warn."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command import document, moot

READ = """
import json, sys
from inspect_ai import score
from inspect_ai.log import read_eval_log
from inspect_ai.scorer import answer
log = score(read_eval_log(sys.argv[1]), answer("line"), action="append", display="none")
print(json.dumps({
    "status": log.status, "task": log.eval.task, "model": log.eval.model,
    "usage": {name: one.total_tokens for name, one in log.stats.model_usage.items()},
    "samples": [{"id": one.id, "epoch": one.epoch, "target": one.target, "input": one.input,
        "said": [message.text for message in one.messages], "completion": one.output.completion,
        "run": one.metadata["run"], "scores": {key: mark.value for key, mark in one.scores.items()}}
        for one in log.samples],
}))
"""
WRITE = "import sys; from moot.app.main import main; main()"


def logged(name: str, path: Path) -> dict[str, Any]:
    """What inspect_ai reads in the log that the command writes."""
    writing = [sys.executable, "-c", WRITE, "export-inspect", name, "-o", str(path)]
    for command in (writing, [sys.executable, "-c", READ, str(path)]):
        process = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert process.returncode == 0, process.stderr
    report: dict[str, Any] = json.loads(process.stdout)
    return report


@pytest.mark.long
def test_a_run_is_a_sample_with_its_statements_its_closing_text_and_what_it_cost(tmp_path: Path) -> None:
    run = document("debate", "Tea?", "--model", "rehearsal", "--max-turns", "2")
    log = logged(run["run"], tmp_path / "run.eval")
    [sample] = log["samples"]
    assert (log["status"], log["model"]) == ("success", "none/rehearsal")
    assert sample["said"] == ["Tea?", *(turn["content"] for turn in run["turns"]), run["synthesis"]]
    assert (sample["completion"], sample["run"]) == (run["synthesis"], run["run"])
    assert log["usage"] == {"rehearsal": run["totalTokens"]}


PLAN = """
name: drinks
protocol: debate
settings: {model: rehearsal, max_turns: 2, answer: option}
conditions: {cold: {temperature: 0}, warm: {temperature: 1}}
items: [{id: tea, topic: "Tea?", options: ["no", "yes"], truth: "yes"}, {id: milk, topic: "Milk?", options: [a, b]}]
repeats: 2
seed: 3
"""


@pytest.mark.long
def test_the_runs_of_an_experiment_are_samples_by_item_and_condition_their_repeats_epochs(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(PLAN)
    assert moot("experiment", "run", tmp_path / "plan.yaml").exit_code == 0
    log = logged("drinks", tmp_path / "all.eval")
    found = {(sample["id"], sample["epoch"]): sample["target"] for sample in log["samples"]}
    expected = {
        (f"{item} / {cell}", epoch): "" for item in ("milk", "tea") for cell in ("cold", "warm") for epoch in (1, 2)
    }
    assert found == expected | {(id, epoch): "B" for id, epoch in expected if id.startswith("tea")}
    assert {sample["input"] for sample in log["samples"]} == {"Tea?", "Milk?"}
    for sample in log["samples"]:
        output, mark = sample["scores"]["moot"], sample["scores"]["answer"]
        assert sample["completion"].endswith(f"\n\nANSWER: {output}")
        assert mark == ("C" if output == sample["target"] else "I"), "a log is scored without a model"


def test_without_its_package_the_command_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("moot.app.tools.inspect.command.find_spec", lambda name: None)
    output = moot("export-inspect", "debate-x")
    assert output.exit_code == 2
    assert 'pip install "moot[inspect]"' in output.stderr
