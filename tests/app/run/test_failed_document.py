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
    report = json.loads(result.stdout)
    assert (result.exit_code, report["terminationReason"]) == (3, "participants_unavailable")
    assert report["run"] in result.stderr


def test_a_run_that_stops_in_the_middle_prints_what_there_is_as_unfinished_with_its_fault() -> None:
    answers = script([echo_by_hash, echo_by_hash, Fault.status(401)])
    with FakeServer(reply=answers) as server:
        result = moot(*DEBATE, "--model", f"openai:any@{server.url}")
    report = json.loads(result.stdout)
    assert (result.exit_code, report["status"], len(report["turns"])) == (3, "unfinished", 2)
    assert "401" in report["fault"]
    record = document("show", report["run"])
    assert [report[key] for key in ("run", "turns", "calls")] == [record[key] for key in ("run", "turns", "calls")]


def test_a_run_that_is_refused_has_no_document() -> None:
    result = moot(*DEBATE, "--model", "openai:any@nowhere")
    assert (result.exit_code, result.stdout) == (2, "")


def test_a_session_that_stops_prints_its_document_too() -> None:
    session = ("discussion", "Tea?", "--models-only", "--max-turns", "4", "--set", "retry_delays=[0]", "--json")
    answers = script([echo_by_hash, echo_by_hash, Fault.status(401)])
    with FakeServer(reply=answers) as server:
        result = moot(*session, "--model", f"openai:any@{server.url}")
        report = json.loads(result.stdout)
        assert (result.exit_code, report["status"], len(report["turns"])) == (3, "unfinished", 2)
        assert "401" in report["fault"]
        server.reply = lambda _: Fault.status(401)
        output = moot("resume", report["run"], "--json")
    assert (output.exit_code, len(json.loads(output.stdout)["turns"])) == (3, 2)


@pytest.mark.parametrize("protocol", ["debate", "discussion"])
def test_a_run_that_waits_for_a_person_prints_its_document_once(protocol: str) -> None:
    seats = ("--participant", "Ben", "--participant", "Ann=person", "--max-turns", "2", "--model", "rehearsal")
    started = moot(protocol, "Tea or coffee?", *seats, "--json")
    report = json.loads(started.stdout)
    assert (started.exit_code, report["status"]) == (3, "unfinished")
    joined = moot("join", report["run"], "--as", "Ann", "--json")  # without an answer
    speakerIds = [turn["speakerId"] for turn in json.loads(joined.stdout)["turns"]]
    assert (joined.exit_code, speakerIds) == (3, ["Ben"])
    if protocol == "debate":
        output = moot("fork", report["run"], "--turn", "1", "--json")
        assert (output.exit_code, len(json.loads(output.stdout)["turns"])) == (3, 1)
