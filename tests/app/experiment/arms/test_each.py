"""Mixed models: each model alone at the cost of the talk, and whether the talk beats the best of them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from command import moot
from fakeserver import FakeServer, echo_by_hash
from fakeserver.exchange import Request
from moot.app.experiment.arms.accuracy import build_gain_rows, measure_best_gain
from moot.app.experiment.arms.findings import build_figures
from moot.app.experiment.export import read_archive
from moot.app.experiment.measures import Unit
from moot.app.experiment.plan import parse_plan
from places import proof_size

SEATS = ("Ada", "Ben", "Cleo")
ITEMS = 8


def answer_by_model(request: Request) -> str:
    """Right alone: `good` on every item but the last, `poor` on the first; all are right who have been talked to."""
    fields = (request.schema or {}).get("properties", {})
    if set(fields) != {"answer", "certainty"}:
        return echo_by_hash(request)
    item = int(request.text.partition("Is thing ")[2].partition(" ")[0])
    right = "<statement turn" in request.text or item <= {"good": ITEMS - 1, "poor": 1}[request.body["model"]]
    return json.dumps({"answer": "A" if right else "B", "certainty": 70})


def write_plan(folder: Path, url: str, **changes: Any) -> Path:
    models = ("good", "poor", "good")
    people = [{"name": name, "model": f"openai:{model}@{url}"} for name, model in zip(SEATS, models, strict=True)]
    settings = {"participants": people, "max_rounds": 1, "dynamic_termination": False, "vote": "off"}
    items = [
        {"topic": f"Is thing {number} so?", "options": ["yes", "no"], "truth": "yes"} for number in range(1, ITEMS + 1)
    ]
    plan = {"name": "mixed", "protocol": "consensus", "settings": settings | {"retry_delays": [0]}, "items": items}
    path = folder / "plan.yaml"
    path.write_text(yaml.safe_dump(plan | {"arms": ["samples", "each"], "spend": "calls"} | changes))
    return path


@pytest.mark.long
def test_each_model_is_sampled_alone_at_the_cost_of_the_talk_and_the_talk_is_held_against_the_best(
    tmp_path: Path,
) -> None:
    with FakeServer(reply=answer_by_model) as server:
        plan, url = write_plan(tmp_path, server.url), server.url
        output = moot("experiment", "run", plan)
        assert output.exit_code == 0, output.stderr
        calls = len(server.chats)
    checked = json.loads(moot("experiment", "check", plan, "--json").stdout)
    assert calls <= checked["highest"]["calls"]
    text = " ".join(output.stdout.split())
    assert "Not shown to be better than the best of 2 models alone: +12.5 [" in text
    assert moot("experiment", "export", "mixed", "-o", tmp_path / "data").exit_code == 0
    archive = read_archive(tmp_path / "data")
    (condition,) = build_figures(archive.plan, archive.runs)["conditions"]
    shares = {row["arm"]: (row["as_wrong"]["value"], row["spent"]["calls"], row["short"]) for row in condition["arms"]}
    talk = shares["talk"]
    for model, share in (("good", 7 / 8), ("poor", 1 / 8)):
        value, spent, short = shares[f"each_calls:openai:{model}@{url}"]
        assert (value, short) == (pytest.approx(share), 0)
        assert spent == pytest.approx(talk[1], abs=1)
    assert (condition["best"]["value"], condition["best"]["is_better"]) == (pytest.approx(1 / 8), False)
    run = next(run for run in archive.runs if run.planned.arm == "each")
    asked = {"good": {"Ada", "Cleo"}, "poor": {"Ben"}}
    for call in run.record["calls"]:
        model = call["model"].removeprefix("openai:").partition("@")[0]
        assert call["who"] in asked[model]


@pytest.mark.parametrize(
    ("changes", "remedy"),
    [
        ({"arms": ["samples"], "best": "openai:good"}, "add it to arms"),
        ({"best": "openai:other"}, "no participant has this model"),
    ],
)
def test_a_declared_best_model_is_one_that_is_sampled(changes: dict[str, Any], remedy: str, tmp_path: Path) -> None:
    output = moot("experiment", "check", write_plan(tmp_path, "http://127.0.0.1:9", **changes))
    assert output.exit_code == 2
    assert remedy in " ".join(output.stderr.split())


def draw_units(rng: np.random.Generator, chances: dict[str, float], count: int) -> list[Unit]:
    credits = {arm: (rng.random(count) < chance).astype(float) for arm, chance in chances.items()}
    return [Unit(str(item), {arm: float(values[item]) for arm, values in credits.items()}) for item in range(count)]


def measure_best(units: list[Unit], **changes: Any) -> Any:
    plan = parse_plan({"name": "best", "protocol": "consensus", "items": ["x"], "arms": ["samples", "each"]} | changes)
    rows = [row for row in build_gain_rows(units, plan) if row.name.startswith("net_each_tokens:")]
    return measure_best_gain(units, [row for row in rows if plan.best in ("", row.name.partition(":")[2])])


def test_better_than_its_best_model_is_claimed_if_the_talk_beats_each_and_a_declared_one_is_tested_alone() -> None:
    rng = np.random.default_rng(11)
    units = draw_units(rng, {"talk": 0.95, "each_tokens:a": 0.5, "each_tokens:b": 0.85}, 60)
    both, declared = measure_best(units), measure_best(units, best="a")
    assert (both.models, declared.models) == (["a", "b"], ["a"])
    assert (both.is_better, declared.is_better) == (False, True)
    assert both.value < declared.value
    assert both.low < both.value < both.high


@pytest.mark.long
def test_the_interval_of_the_gain_over_the_best_model_holds_it_as_often_as_it_says() -> None:
    rng, size, inside = np.random.default_rng(1414), proof_size(300), 0
    chances = {"talk": 0.75} | dict.fromkeys(("each_tokens:a", "each_tokens:b", "each_tokens:c"), 0.65)
    for _ in range(size):
        best = measure_best(draw_units(rng, chances, 60))
        inside += best.low <= 0.1 <= best.high
    assert inside / size >= 0.95 - 2.6 * (0.05 * 0.95 / size) ** 0.5
