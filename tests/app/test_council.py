"""The council API: the keys existing web clients send and read."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import moot
import pytest
from fakeserver import FakeServer
from moot.state.refused import Refused

REPLY = {
    "response", "queryMode", "councilMode", "councilDialogue", "councilTurns", "councilSynthesis",
    "councilTerminationReason", "councilTotalTurns", "councilMaxTurns", "councilParticipants", "councilPersonas",
    "processingTimeMs", "totalTokens", "timestamp",
}  # fmt: skip


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    with FakeServer() as server:
        monkeypatch.setenv("MOOT_MODEL", f"openai:fake@{server.url}")
        yield server


def test_a_question_is_answered_in_the_clients_keys(server: FakeServer) -> None:
    found = moot.council({"query": "Serverless or not?", "councilMaxTurns": 6, "context": "A small web app."})
    assert set(found) == REPLY
    assert found["queryMode"] == "council"
    assert found["councilMode"] == "adversarial"
    assert found["councilDialogue"] is True
    assert found["response"] == found["councilSynthesis"] != ""
    assert found["councilTotalTurns"] == len(found["councilTurns"]) <= 6 == found["councilMaxTurns"]
    assert found["councilParticipants"] == ["PRO", "CON"]
    assert set(found["councilTurns"][0]) == {"turnNumber", "speakerId", "persona", "content", "timestamp", "tokensUsed"}
    assert found["councilTurns"][0]["persona"] == found["councilPersonas"]["PRO"] != ""
    assert found["totalTokens"] > sum(turn["tokensUsed"] for turn in found["councilTurns"])
    assert server.seen("A small web app.")


def test_null_stands_for_the_default_and_keys_for_others_are_left_alone(server: FakeServer) -> None:
    asked = {"query": "Tea?", "councilMaxTurns": None, "councilDynamicTermination": None, "stream": True}
    assert moot.council(asked)["councilMaxTurns"] == 10


def test_personas_and_profile_are_taken_over(server: FakeServer) -> None:
    personas = {"PRO": "You plan cities.", "con": "You own a small shop."}
    asked = {"query": "Ban cars downtown?", "councilMaxTurns": 2, "councilPersonas": personas}
    found = asyncio.run(moot.acouncil(asked))
    assert found["councilPersonas"] == {"PRO": "You plan cities.", "CON": "You own a small shop."}
    profiled = moot.council({"query": "Tea?", "councilMaxTurns": 2, "councilPersonaProfile": "technical"})
    assert profiled["councilPersonas"]["PRO"] == moot.profiles("debate")["technical"][0].text


def test_personas_of_a_consensus_go_by_participant(server: FakeServer) -> None:
    asked = {"query": "Tea?", "councilMode": "consensus", "councilMaxTurns": 5}
    found = moot.council(asked | {"councilPersonas": {"Creative thinker": "You paint."}})
    assert found["councilPersonas"]["Creative thinker"] == "You paint."


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "query = None: it is required"),
        (["Tea?"], r"request = \['Tea\?'\]: give a mapping, such as"),
        ({"query": ""}, "query = ''"),
        ({"query": "x" * 4001}, "query = 'xxx"),
        ({"query": "Tea?", "councilMaxTurns": 1}, "councilMaxTurns = 1"),
        ({"query": "Tea?", "councilMaxTurns": 21}, "councilMaxTurns = 21"),
        ({"query": "Tea?", "councilMode": "duel"}, "councilMode = 'duel'"),
        ({"query": "Tea?", "councilPersonas": {"judge": "x"}}, "councilPersonas = .*judge"),
        (
            {"query": "Tea?", "councilMode": "consensus", "councilMaxTurns": 2},
            "councilMaxTurns = 2: input",
        ),
        ({"query": "Tea?", "councilMode": "consensus", "councilMaxTurns": 4}, "councilMaxTurns = 4: give at least one"),
        ({"query": "Tea?", "councilPersonaProfile": "clasic"}, "councilPersonaProfile = 'clasic': choose one of"),
    ],
)
def test_a_request_that_cannot_be_used_is_refused_before_any_call(asked: Any, said: str, server: FakeServer) -> None:
    with pytest.raises(Refused, match=said):
        moot.council(asked)
    assert server.chats == []


def test_the_face_imports_nothing_until_it_is_used() -> None:
    code = "import sys, moot; print(sorted(moot.__all__)); print('langgraph' in sys.modules, 'pydantic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False False"
    assert set(moot.__all__) <= set(dir(moot))
    assert all(getattr(moot, name) for name in moot.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = moot.nothing
