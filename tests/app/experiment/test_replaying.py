"""A paper's runs are played again by anyone from the file beside it, with the network closed."""

import socket
from pathlib import Path
from typing import Any

import pytest
import yaml
from command import document, listed, moot
from fakeserver import FakeServer, Request

PLAN: dict[str, Any] = {
    "name": "drinks",
    "protocol": "debate",
    "items": ["Tea?", "Milk?"],
    "conditions": {"cold": {"temperature": 0}, "warm": {"temperature": 1}},
    "repeats": 2,
    "seed": 3,
}


def run(folder: Path, db: str, **settings: Any) -> dict[str, tuple[list[str], str, int]]:
    """What was said in each run of the plan, how it closed, and what it is said to have cost."""
    path, place = folder / "plan.yaml", folder / db
    path.write_text(yaml.safe_dump(PLAN | {"settings": {"max_turns": 2, **settings}}))
    output = moot("experiment", "run", path, "--db", place)
    assert output.exit_code == 0, output.stderr
    documents = [document("show", saved_run["run"], "--db", place) for saved_run in listed("--db", place)]
    assert {report["replayed"] for report in documents} == {"replay" in settings}
    return {
        report["run"]: ([turn["content"] for turn in report["turns"]], report["synthesis"], report["totalTokens"])
        for report in documents
    }


@pytest.mark.long
def test_every_run_of_an_experiment_is_replayed_as_it_was_though_topic_and_seed_are_those_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reply(request: Request) -> str:
        return f"This is answer {request.n}, and it is like no other."

    recording = tmp_path / "runs.jsonl"
    with FakeServer(reply=reply) as server:
        recorded = run(tmp_path, "a.db", model=f"openai:fake@{server.url}", record=str(recording))
    monkeypatch.setattr(socket.socket, "connect", closed)
    assert run(tmp_path, "b.db", model=f"openai:fake@{server.url}", replay=str(recording)) == recorded
    assert len(recorded) == 8


def closed(self: socket.socket, address: object) -> None:
    raise AssertionError(f"the network is closed: {address}")
