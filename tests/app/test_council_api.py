"""The council API: the keys existing web clients send and read."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import moot
import pytest
from command import document, listed
from fakeserver import FakeServer
from moot.state.errors import InputError

REPLY = {
    "response", "queryMode", "councilMode", "councilDialogue", "councilTurns", "councilSynthesis",
    "councilTerminationReason", "councilTotalTurns", "councilMaxTurns", "councilParticipants", "councilPersonas",
    "councilSides",
    "processingTimeMs", "totalTokens", "timestamp", "status", "headline", "run", "models", "recipients",
    "rehearsal",
}  # fmt: skip


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    with FakeServer() as server:
        monkeypatch.setenv("MOOT_MODEL", f"openai:fake@{server.url}")
        yield server


def test_a_question_is_answered_in_the_clients_keys(server: FakeServer) -> None:
    council = moot.council({"query": "Serverless or not?", "councilMaxTurns": 6, "context": "A small web app."})
    assert set(council) == REPLY
    assert council["queryMode"] == "council"
    assert council["councilMode"] == "adversarial"
    assert council["councilDialogue"] is True
    assert council["response"] == council["councilSynthesis"] != ""
    assert council["councilTotalTurns"] == len(council["councilTurns"]) <= 6 == council["councilMaxTurns"]
    assert council["councilParticipants"] == ["PRO", "CON"]
    assert set(council["councilTurns"][0]) == {
        "turnNumber",
        "speakerId",
        "persona",
        "content",
        "timestamp",
        "tokensUsed",
    }
    assert council["councilTurns"][0]["persona"] == council["councilPersonas"]["PRO"] != ""
    assert council["totalTokens"] > sum(turn["tokensUsed"] for turn in council["councilTurns"])
    assert server.seen("A small web app.")


def test_null_stands_for_the_default(server: FakeServer) -> None:
    asked = {"query": "Tea?", "councilMaxTurns": None, "councilDynamicTermination": None, "temperature": None}
    assert moot.council(asked)["councilMaxTurns"] == 10


@pytest.mark.long
def test_a_ranking_is_a_council_whose_chairman_answers(server: FakeServer) -> None:
    personas = {"Ada": "You brew."}
    asked = {"query": "Tea?", "councilMode": "ranking", "councilPersonas": personas}
    council = moot.council(asked | {"councilParticipants": [{"name": "Ada"}, {"name": "Ben"}, {"name": "Cleo"}]})
    assert set(council) == REPLY
    assert (council["councilMode"], council["councilMaxTurns"], council["councilTotalTurns"]) == ("ranking", 3, 3)
    assert [turn["speakerId"] for turn in council["councilTurns"]] == council["councilParticipants"]
    assert council["councilPersonas"]["Ada"] == "You brew."
    run = document("show", council["run"])
    assert (run["protocol"], run["synthesis"]) == ("council", council["response"])
    with pytest.raises(InputError, match="councilPersonaProfile = 'classic': a council has no persona profiles"):
        moot.council(asked | {"councilPersonaProfile": "classic"})


def test_personas_and_profile_are_taken_over(server: FakeServer) -> None:
    personas = {"PRO": "You plan cities.", "con": "You own a small shop."}
    asked = {"query": "Ban cars downtown?", "councilMaxTurns": 2, "councilPersonas": personas}
    acouncil = asyncio.run(moot.acouncil(asked))
    assert acouncil["councilPersonas"] == {"PRO": "You plan cities.", "CON": "You own a small shop."}
    profiled = moot.council({"query": "Tea?", "councilMaxTurns": 2, "councilPersonaProfile": "technical"})
    assert profiled["councilPersonas"]["PRO"] == moot.load_profiles("debate")["technical"][0].text


def models_asked(server: FakeServer) -> set[tuple[str, float]]:
    """Which model was asked for statements, and how warm."""
    return {(chat.body["model"], chat.body["temperature"]) for chat in server.chats if chat.body["temperature"] != 0.3}


def test_each_seat_has_the_model_persona_and_temperature_the_request_gives_it(server: FakeServer) -> None:
    text, content = f"openai:small@{server.url}", f"openai:large@{server.url}"
    asked = {
        "query": "Tea?",
        "councilMaxTurns": 2,
        "councilParticipants": [text, {"model": content, "temperature": 1.1}],
        "councilPersonas": {"small": "You brew.", content: "You grind."},
        "temperature": {"pro": 0.2},
    }
    council = moot.council(asked)
    assert models_asked(server) == {("small", 0.2), ("large", 1.1)}
    assert council["councilPersonas"] == {"PRO": "You brew.", "CON": "You grind."}
    assert council["models"] == {"PRO": text, "CON": content, "synthesizer": text}
    assert server.seen("You brew.")


def test_the_synthesizer_the_seed_and_the_language_are_the_request_s(server: FakeServer) -> None:
    small = f"openai:small@{server.url}"
    council = moot.council(
        {"query": "Tea?", "councilMaxTurns": 2, "councilSynthesizer": small, "seed": 7, "language": "es"}
    )
    assert council["models"]["synthesizer"] == small
    saved = document("show", council["run"])
    assert (saved["seed"], saved["language"]) == (7, "es")
    assert server.seen("Responde")


def test_a_seat_with_a_name_is_still_known_by_its_side_and_its_model(server: FakeServer) -> None:
    small = f"openai:small@{server.url}"
    asked = {
        "query": "Tea?",
        "councilMaxTurns": 2,
        "councilParticipants": [{"name": "Ada"}, {"name": "Bo", "model": small}],
    }
    council = moot.council(asked | {"councilPersonas": {"pro": "You brew.", "small": "You grind."}})
    assert council["councilPersonas"] == {"Ada": "You brew.", "Bo": "You grind."}
    assert council["councilSides"] == {"Ada": "pro", "Bo": "con"}
    assert council["models"]["Bo"] == small


def test_one_temperature_is_everybodys_and_seats_of_a_consensus_bear_their_models_names(server: FakeServer) -> None:
    small = f"openai:small@{server.url}"
    asked = {"query": "Tea?", "councilMode": "consensus", "councilMaxTurns": 3, "temperature": 1}
    council = moot.council(asked | {"councilParticipants": [small, small, {"name": "Zoe"}]})
    assert council["councilParticipants"] == ["small", "small (2)", "Zoe"]
    assert {("small", 1.0), ("fake", 1.0)} <= {(chat.body["model"], chat.body["temperature"]) for chat in server.chats}


def test_a_council_is_saved_under_the_name_its_reply_gives(server: FakeServer, tmp_path: Path) -> None:
    council = moot.council({"query": "Tea?", "councilMaxTurns": 2})
    elsewhere = moot.council({"query": "Tea?", "councilMaxTurns": 2}, db=str(tmp_path / "other.db"))
    assert [(run["run"], run["state"]) for run in listed()] == [(council["run"], "finished")]
    saved = document("show", council["run"])
    assert (council["status"], council["headline"], council["rehearsal"]) == ("completed", saved["headline"], False)
    assert [run["run"] for run in listed("--db", tmp_path / "other.db")] == [elsewhere["run"]]


def test_personas_of_a_consensus_go_by_participant(server: FakeServer) -> None:
    asked = {"query": "Tea?", "councilMode": "consensus", "councilMaxTurns": 5}
    council = moot.council(asked | {"councilPersonas": {"Creative thinker": "You paint."}})
    assert council["councilPersonas"]["Creative thinker"] == "You paint."


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "query = None: must be given"),
        (["Tea?"], r"request = \['Tea\?'\]: give a mapping, such as"),
        ({"query": ""}, "query = ''"),
        ({"query": "x" * 4001}, "query = 'xxx"),
        ({"query": "Tea?", "councilMaxTurns": 1}, "councilMaxTurns = 1"),
        ({"query": "Tea?", "councilMaxTurns": 21}, "councilMaxTurns = 21"),
        ({"query": "Tea?", "councilMode": "duel"}, "councilMode = 'duel'"),
        ({"query": "Tea?", "councilPersona": {}}, "councilPersona = {}: unknown key; did you mean councilPersonas"),
        (
            {"query": "Tea?", "councilParticipants": ["a"]},
            r"councilParticipants = \['PRO'\]: must be two names: the first argues for",
        ),
        (
            {"query": "Tea?", "councilParticipants": ["a", {"modell": "b"}]},
            r"councilParticipants\.1\.modell = 'b': unknown key; did you mean model\?",
        ),
        (
            {"query": "Tea?", "councilParticipants": [{"model": "a", "temperature": 3}, "b"]},
            r"^councilParticipants\.0\.temperature = 3: must be at most",
        ),
        ({"query": "Tea?", "councilParticipants": ["a", 5]}, r"^councilParticipants\.1 = 5: must be a mapping"),
        ({"query": "Tea?", "temperatur": 1}, r"temperatur = 1: unknown key; did you mean temperature\?"),
        ({"query": "Tea?", "stream": True}, r"stream = True: unknown key"),
        ({"query": "Tea?", "council_mode": "consensus"}, r"council_mode = .*did you mean councilMode\?"),
        ({"query": "Tea?", "temperature": 3}, "^temperature = 3: must be at most"),
        ({"query": "Tea?", "temperature": "warm"}, "^temperature = 'warm': must be a number"),
        ({"query": "Tea?", "temperature": {"pro": 3}}, r"^temperature\.pro = 3: must be at most"),
        ({"query": "Tea?", "seed": -1}, "^seed = -1"),
        ({"query": "Tea?", "seed": True}, "^seed = True: must be a whole number"),
        (
            {"query": "Tea?", "max_turns": 4},
            "^max_turns = 4: unknown key; the keys are context, councilDynamicTermination",
        ),
        ({"query": "Tea?", "council_max_turns": 4}, r"did you mean councilMaxTurns\?"),
        (
            {"query": "Tea?", "councilMode": "ranking", "councilMaxTurns": 5},
            "^councilMaxTurns = 5: in a ranking each participant answers once; leave it out",
        ),
        (
            {"query": "Tea?", "councilMode": "ranking", "councilDynamicTermination": False},
            "^councilDynamicTermination = False: in a ranking",
        ),
        ({"query": "Tea?", "language": "e"}, "^language = 'e': must be a language tag"),
        ({"query": "Tea?", "councilSynthesizer": "nobody:x"}, "^councilSynthesizer = 'nobody:x'"),
        ({"query": "Tea?", "councilParticipants": ["rehearsal", "nobody:x"]}, r"^councilParticipants\.1 = 'nobody:x'"),
        (
            {"query": "Tea?", "councilPersonas": {"pros": "x"}},
            r"^councilPersonas\.pros = 'x': .* choose one of PRO, CON",
        ),
        ({"query": "Tea?", "temperature": {"judge": 1}}, r"temperature.judge = 1.0: .* choose one of PRO, CON"),
        (
            {"query": "Tea?", "councilParticipants": [{"persona": "x"}, "b"], "councilPersonas": {"PRO": "y"}},
            "councilPersonas.PRO = 'y': PRO already has a value",
        ),
        ({"query": "Tea?", "councilPersonas": {"judge": "x"}}, "councilPersonas.judge"),
        (
            {"query": "Tea?", "councilMode": "consensus", "councilMaxTurns": 2},
            "councilMaxTurns = 2: must",
        ),
        ({"query": "Tea?", "councilMode": "consensus", "councilMaxTurns": 4}, "councilMaxTurns = 4: give at least one"),
        ({"query": "Tea?", "councilPersonaProfile": "clasic"}, "councilPersonaProfile = 'clasic': choose one of"),
    ],
)
def test_a_request_that_cannot_be_used_is_refused_before_any_call(asked: Any, said: str, server: FakeServer) -> None:
    with pytest.raises(InputError, match=said):
        moot.council(asked)
    assert server.chats == []


def test_the_face_imports_nothing_until_it_is_used() -> None:
    code = "import sys, moot; print(sorted(moot.__all__)); print('langgraph' in sys.modules, 'pydantic' in sys.modules)"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout.splitlines()[-1] == "False False"
    assert set(moot.__all__) <= set(dir(moot))
    assert all(getattr(moot, name) for name in moot.__all__)
    with pytest.raises(AttributeError, match=r"moot.* attribute '?nothing"):
        _ = moot.nothing
