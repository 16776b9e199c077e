"""Protocols as agents of inspect_ai, evaluated by it with a mock model; apart, since its packages warn."""

import json
import os
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from command import document
from moot.state.positions import RunAnswer
from places import SUPPORT

SETTINGS = {"max_turns": 4, "temperature": 0.3, "stop_rule": "lexical"}
SEAT = {"models": {"CON": "openai:inspect/other"}, "stop_rule": "judge", "judge_interval": 2}
JOBS: dict[str, dict[str, Any]] = {
    "epochs": {"solver": "moot/debate", "arguments": SETTINGS, "epochs": 2},
    "breakdown": {
        "solver": "moot/debate",
        "arguments": {"max_turns": 4, "stop_rule": "lexical"},
        "breaks_at": 3,
    },
    "limit": {
        "solver": "moot/debate",
        "arguments": {"max_turns": 4, "stop_rule": "lexical"},
        "message_limit": 3,
    },
    "person": {"solver": "moot/debate", "arguments": {"participants": ["PRO", "CON=person"]}},
    "seat": {"solver": "moot/deliberation", "arguments": {"protocol": "debate", "max_turns": 6, **SEAT}},
}
"""Evaluations, made one after the other in one process: it takes longer to start than they take."""


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("inspected") / "moot.db")


@pytest.fixture(scope="module")
def logs(db: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What the log of each evaluation holds."""
    folder = tmp_path_factory.mktemp("logs")
    env = os.environ | {"MOOT_DB": db, "XDG_DATA_HOME": str(folder / "data"), "XDG_CONFIG_HOME": str(folder / "config")}
    command = [sys.executable, str(SUPPORT / "inspected.py"), json.dumps([*JOBS.values()])]
    process = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=env, timeout=240)
    assert process.returncode == 0, process.stderr
    return dict(zip(JOBS, json.loads(process.stdout.splitlines()[-1]), strict=True))


@pytest.mark.long
def test_an_evaluation_asks_its_model_with_the_settings_of_the_run_and_scores_the_closing_text(
    logs: dict[str, dict[str, Any]], db: str
) -> None:
    epochs = logs["epochs"]
    assert (epochs["status"], epochs["error"]) == ("success", None)
    first, second = epochs["runs"].values()
    assert first != second  # each epoch has a run of its own
    assert epochs["scores"] == {"includes": "C"}
    assert {one["model"] for one in epochs["asked"]} == {"first"}
    assert sum(one["temperature"] == 0.3 for one in epochs["asked"]) >= 8
    assert all(one["max_tokens"] for one in epochs["asked"])
    run = document("show", epochs["metadata"]["run"], "--db", db)
    assert run["topic"] == "Lyon or Nice?"
    assert run["synthesis"] == epochs["answer"]
    assert run["totalTokens"] == sum(epochs["usage"].values()) == 110 * len(epochs["asked"]) / 2


@pytest.mark.long
def test_a_sample_that_broke_down_goes_on_where_it_stood_when_it_is_tried_again(
    logs: dict[str, dict[str, Any]], db: str
) -> None:
    breakdown = logs["breakdown"]
    assert breakdown["scores"] == {"includes": "C"}
    assert len(document("show", breakdown["metadata"]["run"], "--db", db)["turns"]) == 4
    assert len(breakdown["asked"]) == 4 + 1 + 1


@pytest.mark.long
def test_another_seat_is_another_model_of_inspect_s_and_schemas_are_told_in_words(
    logs: dict[str, dict[str, Any]],
) -> None:
    seat = logs["seat"]
    assert [one["model"] for one in seat["asked"][:2]] == ["first", "second"]
    assert any('"properties"' in one["told"] for one in seat["asked"])


@pytest.mark.long
def test_each_statement_is_a_message_and_a_span_of_its_speaker_and_the_name_of_the_run_comes_first(
    logs: dict[str, dict[str, Any]], db: str
) -> None:
    epochs = logs["epochs"]
    run = document("show", epochs["metadata"]["run"], "--db", db)
    said = [["assistant", turn["speakerId"], turn["content"]] for turn in run["turns"]]
    assert epochs["messages"] == [["user", None, "Lyon or Nice?"], *said, ["assistant", None, run["synthesis"]]]
    assert [name for name in epochs["spans"] if name in ("PRO", "CON")] == [speaker for _, speaker, _ in said]
    assert epochs["infos"][0] == {"run": run["run"], "protocol": "debate"}


@pytest.mark.long
def test_a_limit_on_messages_bites_and_what_was_said_before_stays_on_the_sample(
    logs: dict[str, dict[str, Any]],
) -> None:
    limit = logs["limit"]
    assert limit["limit"] == "message"
    assert [speaker for _, speaker, _ in limit["messages"]] == [None, "PRO", "CON"]
    assert len(limit["asked"]) == 3, "the third statement did not fit, and no fourth was asked for"


@pytest.mark.long
def test_a_person_in_a_seat_is_refused(logs: dict[str, dict[str, Any]]) -> None:
    assert (
        "participants = ['CON']: only models can take part in a sample; leave out people and programs"
        in logs["person"]["error"]
    )
    assert not logs["person"]["asked"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("state", "said"),
    [
        ({"synthesis": "Both have merits."}, "Both have merits."),
        ({"synthesis": "", "outcome": SimpleNamespace(headline="Ended.")}, "Ended."),
        ({"synthesis": "Lyon.", "answer": RunAnswer(answer="A", by="positions")}, "Lyon.\n\nANSWER: A"),
        ({"synthesis": "Open.", "answer": RunAnswer(by="positions", tied=["A", "B"])}, "Open."),
    ],
)
def test_what_is_scored_is_the_closing_text_and_in_its_last_line_the_run_s_answer(state: Any, said: str) -> None:
    from moot.app.tools.inspect.agents import get_completion  # takes long to load, and is needed by no other test here

    assert get_completion(SimpleNamespace(state=state)) == said  # type: ignore[arg-type]
