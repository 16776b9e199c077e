"""`--json` prints the document of a run that fails, with its status."""

import json

import pytest
from command import document, moot
from fakeserver import FakeServer, Fault, script
from fakeserver.echo import echo_by_hash

DEBATE = ("debate", "Tea or coffee?", "--max-turns", "4", "--set", "retry_delays=[0]", "--json")


def test_a_run_that_an_outage_ended_prints_its_document_and_its_exit_code_is_3() -> None:
    with FakeServer(reply=lambda _: Fault.content("empty")) as server:
        result = moot(*DEBATE, "--model", f"openai:any@{server.url}")
    found = json.loads(result.stdout)
    assert (result.exit_code, found["terminationReason"]) == (3, "participants_unavailable")
    assert found["run"] in result.stderr


def test_a_run_that_stops_in_the_middle_prints_what_there_is_as_unfinished_with_its_fault() -> None:
    answers = script([echo_by_hash, echo_by_hash, Fault.status(401)])
    with FakeServer(reply=answers) as server:
        result = moot(*DEBATE, "--model", f"openai:any@{server.url}")
    found = json.loads(result.stdout)
    assert (result.exit_code, found["status"], len(found["turns"])) == (3, "unfinished", 2)
    assert "401" in found["fault"]
    shown = document("show", found["run"])
    assert [found[key] for key in ("run", "turns", "calls")] == [shown[key] for key in ("run", "turns", "calls")]


def test_a_run_that_is_refused_has_no_document() -> None:
    result = moot(*DEBATE, "--model", "openai:any@nowhere")
    assert (result.exit_code, result.stdout) == (2, "")


def test_a_session_that_stops_prints_its_document_too() -> None:
    session = ("discussion", "Tea?", "--models-only", "--max-turns", "4", "--set", "retry_delays=[0]", "--json")
    answers = script([echo_by_hash, echo_by_hash, Fault.status(401)])
    with FakeServer(reply=answers) as server:
        result = moot(*session, "--model", f"openai:any@{server.url}")
        found = json.loads(result.stdout)
        assert (result.exit_code, found["status"], len(found["turns"])) == (3, "unfinished", 2)
        assert "401" in found["fault"]
        server.reply = lambda _: Fault.status(401)
        resumed = moot("resume", found["run"], "--json")
    assert (resumed.exit_code, len(json.loads(resumed.stdout)["turns"])) == (3, 2)


@pytest.mark.parametrize("protocol", ["debate", "discussion"])
def test_a_run_that_waits_for_a_person_prints_its_document_once(protocol: str) -> None:
    seats = ("--participant", "Ben", "--participant", "Ann=person", "--max-turns", "2", "--model", "rehearsal")
    started = moot(protocol, "Tea or coffee?", *seats, "--json")
    found = json.loads(started.stdout)
    assert (started.exit_code, found["status"]) == (3, "unfinished")
    joined = moot("join", found["run"], "--as", "Ann", "--json")  # without an answer
    spoken = [turn["speakerId"] for turn in json.loads(joined.stdout)["turns"]]
    assert (joined.exit_code, spoken) == (3, ["Ben"])
    if protocol == "debate":
        forked = moot("fork", found["run"], "--turn", "1", "--json")
        assert (forked.exit_code, len(json.loads(forked.stdout)["turns"])) == (3, 1)
