"""A person at a seat is asked whether it accepts the common ground of its group, and objects with a reason."""

from typing import Any

import pytest
from command import document
from fakeserver import FakeServer
from moot.app.people import answer_question, resume_waiting_run
from seats import begun, reply

GROUP = [
    "consensus",
    "Tea or coffee?",
    *["--participant", "Ann", "--participant", "Bob", "--participant", "Yan=person"],
]
POSITION = {"position": "Tea.", "agreement": 0.9, "has_objection": False, "changed_by": ""}


def asked_for_confirmation(server: FakeServer) -> tuple[str, dict[str, Any]]:
    """A run that waits for Yan's answer to the first draft, and the question."""
    run = begun(*GROUP, "--max-rounds", "2", "--model", f"openai:any@{server.url}")
    for answer in ("Tea keeps the office calm.", "Tea it is, then.", POSITION):
        (question,) = resume_waiting_run(run)
        answer_question(run, question["id"], "Yan", answer)
    (question,) = resume_waiting_run(run)
    return run, dict(question)


def test_a_person_is_shown_the_draft_and_both_answers_without_marks_for_a_model() -> None:
    with FakeServer(reply=reply) as server:
        _, question = asked_for_confirmation(server)
    assert question["purpose"] == "acceptance"
    assert "Tea it is." in question["words"]
    assert not any(mark in question["words"] for mark in ("<said>", "`")), question["words"]
    assert question["schema"]["properties"]["answer"]["enum"] == ["accept", "object"]


@pytest.mark.long
def test_a_person_who_objects_without_a_reason_is_asked_for_it_and_everyone_is_told() -> None:
    with FakeServer(reply=reply) as server:
        run, question = asked_for_confirmation(server)
        for reason in ("", "None."):
            answer_question(run, question["id"], "Yan", {"answer": "object", "reason": reason})
            (question,) = resume_waiting_run(run)
            assert "without a reason" in question["fault"]
        answer_question(run, question["id"], "Yan", {"answer": "object", "reason": "I get no coffee."})
        resume_waiting_run(run)
        assert "- Yan: <said>I get no coffee.</said>" in server.chats[-1].text
    assert document("show", run)["terminationReason"] == "max_rounds_reached"


def test_a_person_who_skips_the_question_accepts_nothing() -> None:
    with FakeServer(reply=reply) as server:
        run, question = asked_for_confirmation(server)
        answer_question(run, question["id"], "Yan", {"pass": True})
        resume_waiting_run(run)
    report = document("show", run)
    assert report["terminationReason"] == "max_rounds_reached"
    assert [confirmation["who"] for confirmation in report["confirmations"] if not confirmation["accepts"]] == ["Yan"]
