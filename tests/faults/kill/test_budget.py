"""A cap holds over a fan-out whose process died, too: what siblings were paid before counts for those asked again."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from command import document, listed
from deliberations.blind_round import Group, unhurried
from fakeserver import Answer, FakeServer, Fault, Request, echo_by_hash
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from moot.graphs import consensus
from moot.models.failures import RunStoppedError
from runs.five import ALL
from runs.killing import forked, wait_until_saved


@pytest.mark.parametrize(("way", "kind"), [("invoke", "memory"), ("ainvoke", "memory"), ("invoke", "sqlite")])
def test_a_branch_that_is_asked_again_knows_what_its_siblings_spent_before(way: str, kind: str) -> None:
    refused = True

    def reply(request: Request) -> Answer:
        if request.body["model"] != "ben":
            return unhurried(request)
        return Fault.status(401) if refused else Fault.content("empty")

    with FakeServer(reply, gate=3) as server, closing(sqlite3.connect(":memory:", check_same_thread=False)) as line:
        group = Group(server, budget={"calls": 4}, convergence="lexical")
        saver = SqliteSaver(line) if kind == "sqlite" else InMemorySaver()
        group.graph = consensus.build().compile(checkpointer=saver)
        with pytest.raises(RunStoppedError, match="Ben"):
            getattr(group, way)(group.given)
        refused = False
        ended: dict[str, Any] = getattr(group, way)(None)
    assert [(call.who, call.purpose) for call in ended["calls"]] == [
        ("Ada", "statement"),
        ("Ben", "statement"),
        ("Cleo", "statement"),
        ("synthesizer", "synthesis"),
    ]


@pytest.mark.long
def test_after_kill_9_too(tmp_path: Path) -> None:
    """A lost call uses up no cap: after seven answers under a cap of nine the eighth has one try, and one is left."""

    def reply(request: Request) -> Answer:
        return Fault.content("empty") if request.n == 9 else echo_by_hash(request)

    name, journal = "consensus of eight", tmp_path / "journal"
    with FakeServer(reply, faults={5: Fault.stall(after=2)}) as server:
        with forked([*ALL[name].on(server), "--max-calls", "9"], journal):
            server.wait_for(5, within=30)
            wait_until_saved(7, journal)
        report = document("resume", listed()[0]["run"])
        assert len(server.chats) == 8 + 1 + 1
    assert len(report["turns"]) == 7
