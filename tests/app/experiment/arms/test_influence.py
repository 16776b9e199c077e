"""Influence: whose first statements change the decision, found by going on anew without them."""

import csv
import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import yaml
from command import apart, document, killed, listed, moot
from fakeserver import FakeServer, Fault, echo_by_hash
from fakeserver.exchange import Request
from moot.app.experiment.forecast import list_checked_runs
from moot.app.experiment.plan import parse_plan
from moot.state.errors import InputError

SEATS = ["Ada", "Ben", "Cleo"]
PLAN: dict[str, Any] = {
    "name": "whose",
    "protocol": "consensus",
    "settings": {"participants": SEATS, "max_rounds": 1, "dynamic_termination": False, "vote": "off"},
    "items": [{"topic": "Is it so?", "options": ["yes", "no"], "truth": "yes"}],
    "influence": {"forks": 5},
}
FORKS = 5 * (1 + len(SEATS))


def led_by_ada(request: Request) -> str:
    """Everyone answers yes after Ada's statement, and no without it."""
    fields = (request.schema or {}).get("properties", {})
    if set(fields) != {"answer", "certainty"}:
        return echo_by_hash(request)
    return json.dumps({"answer": "A" if 'speaker="Ada"' in request.text else "B", "certainty": 70})


def written(folder: Path, server: FakeServer, **changes: Any) -> Path:
    path = folder / "plan.yaml"
    settings = (
        PLAN["settings"] | {"model": f"openai:fake@{server.url}", "retry_delays": [0]} | changes.pop("settings", {})
    )
    path.write_text(yaml.safe_dump(PLAN | {"settings": settings} | changes))
    return path


def read_lines(output: str) -> dict[str, str]:
    """What is said of each who was silenced."""
    return dict(re.findall(r"^  without (\w+): (.+)$", output, re.MULTILINE))


@pytest.mark.long
def test_whoever_s_word_decides_has_all_the_influence_and_every_fork_is_a_saved_run(tmp_path: Path) -> None:
    with FakeServer(reply=led_by_ada) as server:
        plan = written(tmp_path, server)
        forecast = document("experiment", "check", plan)
        output = moot("experiment", "run", plan)
        assert output.exit_code == 0, output.stderr
        chats, spent = len(server.chats), server.spent["prompt"] + server.spent["completion"]
    assert read_lines(output.stdout) == {
        "Ada": "decision changed +100.0 points beyond chance; 5 forks",
        "Ben": "decision changed +0.0 points beyond chance; 5 forks",
        "Cleo": "decision changed +0.0 points beyond chance; 5 forks",
    }
    assert "Without an arm to compare it with, this says nothing about the gain" in output.stdout
    (cost,) = [condition for condition in forecast["conditions"] if condition["arm"] == "influence"]
    assert cost["runs"] == FORKS == len(listed()) - 1
    assert forecast["expected"]["calls"] == chats == document("experiment", "status", "whose")["calls"]
    assert spent <= forecast["highest"]["input_tokens"] + forecast["highest"]["output_tokens"]
    talk, fork = (document("show", f"whose-all-1-r1{end}") for end in ("", "-without-1-1"))
    assert fork["turns"] == talk["turns"], "the record keeps what nobody is shown"
    assert any("Ada" in line for lines in talk["memory"].values() for line in lines)
    assert not any("Ada" in line for lines in fork["memory"].values() for line in lines)
    assert [one["silenced"] for one in fork["course"]] == [turn["speakerId"] == "Ada" for turn in fork["turns"]]
    assert (fork["experiment"], fork["forkedFrom"].split()[0]) == ("whose", talk["run"])
    assert moot("experiment", "report", "whose", "-o", tmp_path / "page.html").exit_code == 0
    page = unescape(re.sub(r"<[^>]+>", " ", (tmp_path / "page.html").read_text("utf-8")))
    assert "how often the decision changes if one participant's first statements are silenced" in page
    assert moot("experiment", "export", "whose", "-o", tmp_path / "data").exit_code == 0
    rows = list(csv.DictReader((tmp_path / "data" / "runs.csv").read_text("utf-8").splitlines()))
    found = [(row["silenced"], row["fork"]) for row in rows if row["arm"] == "influence"]
    assert found == [(who, str(number)) for who in ("", *SEATS) for number in range(1, 6)]


@pytest.mark.long
def test_forks_that_fail_are_left_out_and_counted(tmp_path: Path) -> None:
    def failing(request: Request) -> Any:
        lost = 'speaker="Ada"' in request.text and 'speaker="Ben"' not in request.text
        return Fault.drop() if lost else led_by_ada(request)

    with FakeServer(reply=failing) as server:
        output = moot("experiment", "run", written(tmp_path, server, settings={"max_attempts": 1, "on_outage": "skip"}))
    assert read_lines(output.stdout)["Ben"] == "nothing to compare, 5 forks failed"
    assert read_lines(output.stdout)["Ada"].startswith("decision changed +100.0 points")
    (cell,) = document("experiment", "status", "whose")["conditions"]
    assert (cell["done"], cell["failed"]) == (1 + FORKS - 5, 5)


@pytest.mark.long
def test_killed_among_its_forks_and_run_again_no_fork_is_begun_twice(tmp_path: Path) -> None:
    with FakeServer(reply=led_by_ada) as server:
        plan = written(tmp_path, server)
        calls = document("experiment", "check", plan)["expected"]["calls"]
        process = apart(["experiment", "run", plan, "--jobs", "3"])
        server.wait_for(calls // 2, within=60)
        server.hold()
        killed(process)
        server.release()
        again = moot("experiment", "run", plan)
        assert again.exit_code == 0, again.stderr
        assert len(server.chats) <= calls + 3 * len(SEATS), "no more is asked anew than was under way"
    assert read_lines(again.stdout)["Ada"].startswith("decision changed +100.0 points")
    assert len(listed()) == 1 + FORKS


@pytest.mark.parametrize(
    ("changes", "remedy"),
    [
        ({"influence": {"forks": 4}}, "influence.forks = 4"),
        ({"settings": {"max_rounds": 1}}, "influence = 5: name the participants in settings"),
        ({"items": ["Ban cars?"]}, "give the item options"),
        ({"protocol": "justice", "items": [""], "settings": {"participants": []}}, "name the participants"),
    ],
    ids=str,
)
def test_influence_without_seats_or_a_decision_is_refused_by_name(changes: dict[str, Any], remedy: str) -> None:
    with pytest.raises(InputError, match=re.escape(remedy)):
        list_checked_runs(parse_plan(PLAN | changes))
