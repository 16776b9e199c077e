"""`--json` prints the document of a run that fails, with its status."""

import json

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
