"""People at their seats in every protocol: asked through one door, side by side with models, at no call."""

import asyncio
import json
import multiprocessing
import os
import signal
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from command import document
from fakeserver import FakeServer
from moot.app.people import (
    NotAskedError,
    OpenQuestion,
    answer_question,
    list_open_questions,
    list_visible_statements,
    resume_waiting_run,
)
from moot.app.saved import SavedRun, load_saved_run, open_database
from moot.storage import checkpoint_saver as saving
from moot.storage.clock import use_clock
from sampling import sample_cases
from seats import CONSENSUS, SAID, begun, reply

FORMS: dict[str, Any] = {
    "position": {"position": "Both, on turns.", "agreement": 0.9, "has_objection": False, "changed_by": ""},
    "declaration": {"answer": "for", "certainty": 80},
    "consent": {"agrees": True},
    "ballot": {"choice": "A", "abstain": False, "reason": "It is fair."},
}


def stands(run: str) -> SavedRun:
    async def loaded() -> SavedRun:
        async with open_database(create=False) as store:
            return await load_saved_run(store, run)

    return asyncio.run(loaded())


def given(one: OpenQuestion) -> Any:
    return SAID[one["who"]] if one["schema"] is None else FORMS[one["purpose"]]


def test_two_people_and_a_model_close_a_consensus_by_a_vote_and_the_model_is_asked_each_thing_once() -> None:
    with FakeServer(reply=reply) as server:
        run = begun(*CONSENSUS, "--model", f"openai:any@{server.url}")
        asked: list[tuple[str, str, int]] = []
        while left := list_open_questions(stands(run)):
            asked.append((left[-1]["who"], left[-1]["purpose"], len(server.chats)))
            answer_question(run, left[-1]["id"], left[-1]["who"], given(left[-1]))
    report = document("show", run)
    assert [(turn["speakerId"], turn["content"]) for turn in report["turns"]][1:] == [
        ("Yan", SAID["Yan"]),
        ("Zoe", SAID["Zoe"]),
    ]
    assert [one for one in asked if one[1] == "statement"] == [("Zoe", "statement", 1), ("Yan", "statement", 1)]
    assert {call["who"] for call in report["calls"]} == {"Ann", "synthesizer"}
    assert (
        len(report["calls"]) == len(server.chats) == len({(c["who"], c["purpose"], c["turn"]) for c in report["calls"]})
    )
    assert report["terminationReason"] == "vote_decided"


def test_nobody_sees_what_is_said_unheard_and_nobody_answers_for_another() -> None:
    with FakeServer(reply=reply) as server:
        run = begun(*CONSENSUS, "--model", f"openai:any@{server.url}")
        saved = stands(run)
        yan, zoe = list_open_questions(saved)
        assert (yan["who"], zoe["who"]) == ("Yan", "Zoe")
        answer_question(run, yan["id"], "Yan", SAID["Yan"])
        again = stands(run)
        assert [statement.speaker for statement in again.state["history"]] == ["Ann", "Yan"]
        assert list_visible_statements(again, "Zoe") == []
        assert not any(text in json.dumps(list_open_questions(again)) for text in ("rather have tea", "calm"))
        for who, id in (("Ann", zoe["id"]), ("Yan", zoe["id"]), ("Zoe", yan["id"])):
            with pytest.raises(NotAskedError):
                answer_question(run, id, who, "Not mine to say, and yet I say it.")
        assert list_open_questions(stands(run)) == list_open_questions(again)


@pytest.mark.parametrize("wrong", ["Yan:", {"pass": 1}])
def test_a_wrong_answer_is_asked_again_with_the_reason_and_after_the_tries_the_turn_is_passed_over(wrong: Any) -> None:
    with FakeServer(reply=reply) as server:
        run = begun(*CONSENSUS, "--model", f"openai:any@{server.url}")
        faults = []
        for _ in range(3):
            mine = next(one for one in list_open_questions(stands(run)) if one["who"] == "Yan")
            faults.append((mine["attempt"], mine["fault"]))
            answer_question(run, mine["id"], "Yan", wrong)
    assert [fault[0] for fault in faults] == [1, 2, 3]
    assert faults[0][1] == ""
    assert faults[1][1] == faults[2][1] != ""
    saved_run = stands(run)
    assert [one["who"] for one in list_open_questions(saved_run)] == ["Zoe"]
    assert len(server.chats) == 1


@pytest.mark.parametrize("text", ["No.", "👍", "7", "同意", "Yan", "the question"])
def test_a_short_answer_of_a_person_is_an_answer_and_so_is_a_repeated_one(text: str) -> None:
    with FakeServer(reply=reply) as server:
        run = begun(*CONSENSUS, "--model", f"openai:any@{server.url}")
        mine = next(one for one in list_open_questions(stands(run)) if one["who"] == "Yan")
        answer_question(run, mine["id"], "Yan", answer := mine["words"] if text == "the question" else text)
    contents = [statement.content for statement in stands(run).state["history"] if statement.speaker == "Yan"]
    assert contents == [answer]


def test_whoever_does_not_answer_in_time_is_passed_over_and_abstains_on_the_record() -> None:
    with FakeServer(reply=reply) as server:
        run = begun(*CONSENSUS, "--model", f"openai:any@{server.url}", "--set", "person_deadline=60")
        yan, zoe = list_open_questions(stands(run))
        answer_question(run, yan["id"], "Yan", SAID["Yan"])
        with use_clock(lambda: datetime.now(UTC) + timedelta(seconds=61)):
            with pytest.raises(NotAskedError):
                answer_question(run, zoe["id"], "Zoe", SAID["Zoe"])
            while resume_waiting_run(run):
                pass
    report = document("show", run)
    assert [turn["speakerId"] for turn in report["turns"]] == ["Ann", "Yan"]
    missed = [
        (incident["who"], incident["kind"], incident["consequence"])
        for incident in report["incidents"]
        if incident["kind"] == "late"
    ]
    assert ("Zoe", "late", "missed") in missed
    assert {("Yan", "late", "abstained"), ("Zoe", "late", "abstained")} <= set(missed)


def _dies(run: str, id: str, fatal: int, db: str) -> None:
    """Answer for Yan, and die before the `fatal`-th write of it to the database."""
    os.environ["MOOT_DB"] = db
    written, write = [0], saving.SqliteRunSaver.aput_writes

    async def counted(self: Any, *what: Any, **more: Any) -> Any:
        written[0] += 1
        if written[0] == fatal:
            os.kill(os.getpid(), signal.SIGKILL)
        return await write(self, *what, **more)

    saving.SqliteRunSaver.aput_writes = counted  # type: ignore[method-assign]
    answer_question(run, id, "Yan", SAID["Yan"])


@pytest.mark.long
@pytest.mark.parametrize("fatal", sample_cases(range(1, 5), kinds=0))
def test_a_kill_while_an_answer_is_entered_loses_nothing_accepted_and_asks_no_model_again(fatal: int) -> None:
    with FakeServer(reply=reply) as server:
        run = begun(*CONSENSUS, "--model", f"openai:any@{server.url}")
        yan, _ = list_open_questions(stands(run))
        told = (run, yan["id"], fatal, os.environ["MOOT_DB"])
        process = multiprocessing.get_context("spawn").Process(target=_dies, args=told)
        process.start()
        process.join(60)
        left = {one["who"]: one for one in resume_waiting_run(run)}
        if "Yan" in left:
            answer_question(run, left["Yan"]["id"], "Yan", SAID["Yan"])
        answer_question(
            run, next(one["id"] for one in list_open_questions(stands(run)) if one["who"] == "Zoe"), "Zoe", SAID["Zoe"]
        )
        first = [statement for statement in stands(run).state["history"] if statement.round == 1]
    assert [one.content for one in first][1:] == [SAID["Yan"], SAID["Zoe"]]
    asked = [(call.who, call.purpose, call.turn) for call in stands(run).state["calls"]]
    assert len(asked) == len(set(asked))
    texts = [request for request in server.chats if "response_format" not in request.body]
    assert len(texts) == sum(one[1] in ("statement", "synthesis") for one in asked)


DEBATE = ["debate", "Ban cars?", "--participant", "Yan=person", "--participant", "Ann", "--max-turns", "2"]
PROTOCOLS = {
    "debate": DEBATE,
    "debate with positions": [*DEBATE, "--set", "positions=ends"],
    "panel": [
        "panel",
        "Do street trees cool cities?",
        "--samples",
        "--language",
        "en",
        "--participant",
        "Yan=person",
        "--cycles",
        "1",
    ],
    "consensus": [
        "consensus",
        "Tea?",
        "--participant",
        "Ann",
        "--participant",
        "Ben",
        "--participant",
        "Yan=person",
        "--max-rounds",
        "1",
    ],
}


@pytest.mark.long
@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_person_takes_part_wherever_a_model_does_and_costs_no_call(name: str) -> None:
    words = [*PROTOCOLS[name], "--model", "rehearsal", "--seed", "3"]
    run, asked = begun(*words), set()
    while left := list_open_questions(stands(run)):
        asked.add(left[0]["purpose"])
        answer_question(run, left[0]["id"], "Yan", given(left[0]))
    report = document("show", run)
    assert SAID["Yan"] in [turn["content"] for turn in report["turns"] if turn["speakerId"] == "Yan"]
    assert asked >= {"statement"} | ({"declaration"} if "positions" in name else set())
    assert "Yan" not in {call["who"] for call in report["calls"]}
    assert report["status"] == "completed"
    if name == "panel":
        return  # an estimate reads the library alone
    estimated = document("estimate", *words)
    assert estimated["low"]["calls"] <= len(report["calls"]) <= estimated["high"]["calls"]


FLOOR = "I want the floor to be high, for everyone's sake."


@pytest.mark.long
def test_a_person_in_the_justice_experiment_is_asked_everything_a_model_is_and_costs_no_call(tmp_path: Path) -> None:
    config = tmp_path / "justice.yaml"
    config.write_text("participants: [Ann, Ben, {name: Yan, kind: person}]\nmax_rounds: 1\n", "utf-8")
    run, purposes = begun("justice", str(config), "--model", "rehearsal", "--seed", "1"), []
    while left := list_open_questions(stands(run)):
        purposes.append(left[0]["purpose"])
        value = {"statement": "I want the floor to be high, for everyone's sake."}.get(
            left[0]["purpose"], {"pass": True}
        )
        answer_question(run, left[0]["id"], "Yan", value)
    state = stands(run).state
    assert FLOOR in [statement.content for statement in state["history"]]
    assert {"choice", "statement", "confirmation"} <= set(purposes)
    assert not {"reasoning", "memory"} & set(purposes)
    assert "Yan" not in {call.who for call in state["calls"]}
