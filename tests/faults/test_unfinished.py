"""A failure is told as one: what mostly failed, or has lost its synthesis, is not finished, whatever the entrance,
and going on tries again what is missing."""

import json
from typing import Any

import moot as face
import pytest
from command import document, listed, moot
from deliberations.panel import PAPERS
from fakeserver import Answer, FakeServer, Fault, Request, echo_by_hash
from moot import chat_with_papers, council, open_session
from runs.ailing import unwaited
from runs.five import FIVE, ran
from sampling import sample_cases

DOWN = Fault.status(500)
LONG = {"debate": [], "consensus": ["--max-rounds", "2"], "discussion": [], "panel": [], "justice": []}
SKIP = {"on_outage": "skip"}
CLOSED = ["debate", "consensus", "panel"]
"""Protocols with a synthesis."""


class Ward(FakeServer):
    """A server that fails wherever `sick` says so, and else answers as a protocol's plainest run wants it."""

    def __init__(self, name: str = "debate") -> None:
        self.sick: Any = lambda request: True
        self.fault = DOWN
        super().__init__(lambda request: self.given(request, FIVE[name].reply))

    def given(self, request: Request, well: Any) -> Answer:
        return self.fault if self.sick(request) else well(request)

    def heal(self) -> int:
        """Fail no more; gives the requests so far."""
        self.sick = lambda request: False
        return len(self.chats)


def closes(request: Request) -> bool:
    """Whether a request asks for a synthesis."""
    return request.body.get("temperature") == 0.3


@pytest.mark.long
@pytest.mark.parametrize("name", sample_cases([*LONG], kinds=0))
def test_a_command_whose_every_call_failed_exits_3_and_goes_on_when_the_server_is_back(name: str) -> None:
    with Ward(name) as server, unwaited():
        stopped, found = ran([*FIVE[name].on(server), *LONG[name]])
        assert (stopped.exit_code, json.loads(stopped.stdout)["status"]) == (3, "failed")
        assert f"resume {found['run']}" in stopped.stderr
        assert (found["status"], found["terminationReason"]) == ("failed", "participants_unavailable")
        assert found["headline"].startswith("Not finished: ")
        assert [(run["state"], run["ending"]) for run in listed()] == [("incomplete", "participants_unavailable")]
        failed = server.heal()
        report = document("resume", found["run"])
        assert (report["status"], len(server.chats)) == ("completed", failed + FIVE[name].calls)
        assert report["totalCalls"] == len(server.chats), "what failed is on record too"
    assert listed()[0]["state"] == "finished"


def test_fewer_than_half_of_the_statements_are_no_end_and_what_was_missed_last_is_tried_again() -> None:
    with Ward("panel") as server, unwaited():
        server.sick = lambda request: request.n > 1 and not closes(request)
        stopped, found = ran(FIVE["panel"].on(server))
        assert (stopped.exit_code, found["status"]) == (3, "failed")
        assert [turn["turnNumber"] for turn in found["turns"]] == [1]
        assert (
            "Not finished: stopped after turn 4 because MIT Researcher, Industry Expert, Paper Analyst could no "
            "longer be"
        ) in (found["headline"])
        asked = server.heal()
        report = document("resume", found["run"])
        assert len(server.chats) == asked + 4, "three statements and the conclusion"
    assert (report["turns"][0], len(report["turns"])) == (found["turns"][0], 4)
    assert (report["status"], report["terminationReason"]) == ("completed", "all_have_spoken")


def test_half_of_the_statements_are_an_end_that_says_what_is_missing() -> None:
    with Ward("debate") as server, unwaited():
        server.sick = lambda request: "You are CON" in request.text and not closes(request)
        ended, found = ran(FIVE["debate"].on(server))
    assert [turn["turnNumber"] for turn in found["turns"]] == [1, 3]
    assert (ended.exit_code, found["status"], found["terminationReason"]) == (0, "completed", "max_turns_reached")
    assert "2 of 4 statements missing" in found["headline"]


@pytest.mark.long
@pytest.mark.parametrize("name", CLOSED)
def test_a_closing_text_that_was_lost_is_written_on_resume_and_nothing_else_is_asked(name: str) -> None:
    with Ward(name) as server, unwaited():
        server.sick = closes
        stopped, found = ran(FIVE[name].on(server))
        assert (stopped.exit_code, found["status"], found["synthesis"]) == (3, "failed", "")
        assert "the synthesizer gave no usable answer. The synthesis could not be written." in found["headline"]
        server.heal()
        report = document("resume", found["run"])
        assert len(server.chats) == report["totalCalls"]
    assert {call["purpose"] for call in report["calls"][len(found["calls"]) :]} == {"synthesis"}
    assert report["turns"] == found["turns"]
    assert (report["status"], report["terminationReason"]) == ("completed", found["evidence"]["note"])
    assert report["synthesis"]


@pytest.mark.parametrize("mode", ["adversarial", "consensus"])
def test_a_council_that_failed_says_so_in_its_reply(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with Ward() as server, unwaited():
        server.fault = Fault.content("content_filter")
        monkeypatch.setenv("MOOT_MODEL", f"openai:fake@{server.url}")
        found = council({"query": "Tea?", "councilMode": mode, "councilMaxTurns": 5})
        assert (found["status"], found["councilTerminationReason"]) == ("failed", "participants_unavailable")
        assert found["response"] == found["headline"] != ""
        assert found["councilTurns"] == []
        server.heal()
        assert document("resume", found["run"])["status"] == "completed"


def test_papers_nobody_could_be_asked_about_are_not_answered_directly() -> None:
    with Ward() as server, unwaited():
        asked: Any = {"papers": PAPERS, "model": f"openai:fake@{server.url}", "output_language": "en", **SKIP}
        chat = chat_with_papers("Should cities ban cars?", **asked)
        assert chat["status"] == "failed"
        assert "directly" not in chat["answer"]
        assert chat["headline"].split(".")[0] in chat["answer"]
        server.heal()
        report = document("resume", chat["run"])
    assert (report["status"], len(report["turns"])) == ("completed", 4)


def test_a_direct_answer_that_was_lost_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENABLE_AGENT_DISCUSSIONS", "false")
    with Ward() as server, unwaited():
        asked: Any = {"papers": PAPERS, "model": f"openai:fake@{server.url}", "output_language": "en", **SKIP}
        chat = chat_with_papers("Should cities ban cars?", **asked)
        assert (chat["status"], chat["headline"].split(":")[0]) == ("failed", "Not finished")
        assert "directly" not in chat["answer"]
        server.heal()
        assert document("resume", chat["run"])["terminationReason"] == "answered_directly"


def test_a_call_that_stops_a_council_says_which_run_is_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeServer(echo_by_hash, faults={2: Fault.status(401)}) as server:
        monkeypatch.setenv("MOOT_MODEL", f"openai:fake@{server.url}")
        with pytest.raises(RuntimeError) as error:
            council({"query": "Tea?", "councilMaxTurns": 2})
        run = listed()[0]["run"]
        assert f"Saved. Continue: moot resume {run}" in str(error.value)
        assert document("resume", run)["status"] == "completed"


def test_a_session_whose_models_cannot_be_reached_is_not_finished_and_is_taken_up_before_what_was_missed() -> None:
    with Ward() as server, unwaited():
        settings = {"model": f"openai:fake@{server.url}", "max_turns": 4, **SKIP}
        session = open_session("Tea?", ["Ada", "Ben"], settings=settings)
        outcome = session.outcome
        assert outcome is not None
        assert (outcome.status, outcome.reason) == ("failed", "participants_unavailable")
        assert face.load_run(session.run)["outcome"] == outcome
        server.heal()
        again = open_session(run=session.run)
        assert again.advance().outcome is not None
        assert [statement.turn for statement in again.history] == [1, 2, 3, 4]


@pytest.mark.long
def test_what_somebody_closed_stays_closed_however_little_was_said() -> None:
    with Ward() as server, unwaited():
        settings = {"model": f"openai:fake@{server.url}", **SKIP}
        session = open_session(
            "Tea?", ["Ada", "Ben", "Cleo"], creator={"name": "Zoe", "kind": "person"}, settings=settings
        )
        session.send("Zoe", "Tea, then.")
        outcome = session.close("Zoe").outcome
        assert outcome is not None
        assert (outcome.reason, outcome.status) == ("closed", "partial")
        assert "3 of 4 statements missing" in outcome.headline
        assert moot("resume", session.run).exit_code == 0


@pytest.mark.long
def test_many_runs_of_which_none_came_to_a_result_say_how_to_try_them_again() -> None:
    with Ward("justice") as server, unwaited():
        output = moot(*FIVE["justice"].on(server), "--repeats", "2")
        assert output.exit_code == 3
        assert "every run failed" in output.stderr
