"""A run killed after a step's outcome was saved and before the step was entered: its history, its print, its forks."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import document, listed, moot
from fakeserver import FakeServer
from runs.killing import forked

TURN = 3
TALK = ("debate", "Tea or coffee?", "--max-turns", "5", "--set", "dynamic_termination=false")


@pytest.fixture
def dead(tmp_path: Path) -> Iterator[tuple[str, FakeServer]]:
    """A debate that died with its third statement paid for and saved, but not entered."""
    with FakeServer() as server:
        talk = [*TALK, "--model", f"openai:fake@{server.url}"]
        with forked([*talk, "--db", str(tmp_path / "whole.db")], tmp_path / "whole", apart=True) as process:
            process.join()
        lines = (tmp_path / "whole").read_text().splitlines()
        paid = [place for place, line in enumerate(lines, 1) if "aput_writes" in line and "speak" in line]
        with forked(talk, tmp_path / "dead", fatal=paid[TURN - 1] + 1, apart=True) as process:
            process.join()
        yield listed()[0]["run"], server


@pytest.mark.long
def test_what_was_paid_for_before_a_kill_is_shown_listed_and_kept_in_a_fork(dead: tuple[str, FakeServer]) -> None:
    run, server = dead
    paid = len(server.chats)
    report = document("show", run)
    assert [turn["turnNumber"] for turn in report["turns"]] == [1, 2, 3]
    last = json.loads(moot("checkpoints", run, "--json").stdout)[-1]
    assert (last["turn"], last["ran"], last["next"]) == (TURN, ["speak"], ["decide"])

    branch = document("fork", run, "--turn", str(TURN))
    assert branch["turns"][:TURN] == report["turns"]
    assert len(branch["turns"]) == 5
    assert len(server.chats) - paid == 3, "two statements and the synthesis"
    assert [turn["turnNumber"] for turn in document("show", run)["turns"]] == [1, 2, 3], "the original is untouched"
