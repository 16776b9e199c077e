"""What can go wrong on a jury, in a Delphi and on a council, over real HTTP: nothing is guessed, and a failure is told
as one and goes on later."""

import json
import re
from collections import Counter
from typing import Any

import pytest
from command import document, listed, moot
from fakeserver import Answer, FakeServer, Fault, Request, short_window
from fakeserver.schema import Filler
from runs.ailing import calls_for, task, unwaited
from runs.five import MORE, ran
from runs.hostile import ALL_AT_ONCE, HONEST, TOKENS, UNSEEN, marks

THREE = ["jury", "delphi", "council"]
"""Ada, Ben and Cleo on each: a jury of one round, a Delphi of two, a council."""
WHAT = {"jury": "ballot", "delphi": "estimate", "council": "review"}
"""What is asked for in a form."""
LOST = {"jury": "no valid ballot", "delphi": "missed", "council": "no valid ranking"}


def is_form_for(request: Request, who: str) -> bool:
    """Whether somebody is asked for a form; on a council nobody is named, but each by a persona."""
    persona = {"Ada": "You build.", "Ben": "You count.", "Cleo": "You doubt."}[who]
    return bool(request.schema) and (f"You are {who}." in task(request) or persona in task(request))


def played(name: str, reply: Any, *more: str) -> tuple[Any, dict[str, Any], FakeServer]:
    """The run's result, its document, and the server it was played on."""
    with FakeServer(reply) as server, unwaited():
        result, found = ran([*MORE[name].on(server), *more])
        assert len(server.chats) == found["totalCalls"]
    return result, found, server


ROWS: dict[str, Answer] = {
    "500": Fault.status(500),
    "refused": Fault.content("content_filter"),
    "plain words": "Certainly. I agree with everything that was said.",
    "a value that is none": '{"answer": "Z", "choice": "Z", "ranking": ["Z"], "critiques": {}, "reason": "So."}',
}
"""What one of the three says, or what its server does, instead of filling in the form."""


@pytest.mark.parametrize("row", [pytest.param(row, marks=[] if row == "500" else pytest.mark.long) for row in ROWS])
@pytest.mark.parametrize("name", THREE)
def test_what_cannot_be_had_of_one_is_asked_for_again_and_then_counts_for_nobody(name: str, row: str) -> None:
    result, found, _ = played(name, lambda one: ROWS[row] if is_form_for(one, "Ben") else MORE[name].reply(one))
    assert (result.exit_code, found["status"]) == (0, "completed"), result.stderr
    lost = [
        incident for incident in found["incidents"] if incident["who"] == "Ben" and incident["severity"] == "degraded"
    ]
    assert {(one["where"], one["consequence"], one["attempts"]) for one in lost} == {(WHAT[name], LOST[name], 3)}
    assert len(calls_for(found, WHAT[name], "Ben")) == 3 * len(lost)
    assert "missing" in found["headline"] or "lowered the quality" in found["headline"]
    counted_without(name, found)


def counted_without(name: str, found: dict[str, Any]) -> None:
    """Nothing stands on record of what Ben never gave, and the others are no majority for his silence."""
    if name == "delphi":
        assert [entry["estimate_count"] for entry in found["feedback"]] == [2, 2]
        assert {estimate["who"] for estimate in found["estimates"]} == {"Ada", "Cleo"}
        return
    tallies = [poll["tally"] for poll in found["polls"] if poll["tally"]]
    assert {(tally["votes"], tally["invalid"], tally["voters"]) for tally in tallies} == {(2, 1, 3)}
    if name == "jury":
        assert found["terminationReason"] == "jury_deadlocked"
        assert {position["who"] for position in found["positions"]} == {"Ada", "Cleo"}
        assert "no valid ballot 1. A verdict takes 3." in found["synthesis"]
    else:
        assert [review["ranking"] for review in found["reviews"] if review["voter"] == "Ben"] == [[]]


NOTHING = {"jury": ROWS["plain words"], "delphi": ROWS["plain words"], "council": "No."}


@pytest.mark.parametrize("name", THREE)
@pytest.mark.parametrize("row", ["500", pytest.param("plain words", marks=pytest.mark.long)])
def test_where_nobody_can_be_had_it_is_a_failure_that_goes_on_when_all_is_well_again(name: str, row: str) -> None:
    ill = True

    def reply(request: Request) -> Answer:
        return (Fault.status(500) if row == "500" else NOTHING[name]) if ill else MORE[name].reply(request)

    with FakeServer(reply) as server:
        with unwaited():
            stopped, found = ran(MORE[name].on(server))
            assert (stopped.exit_code, json.loads(stopped.stdout)["status"]) == (3, "failed")
            assert (found["status"], found["terminationReason"]) == ("failed", "participants_unavailable")
            assert found["headline"].startswith("Not finished: ")
            assert (found["runAnswer"], found["synthesis"] if name != "jury" else "") == (None, "")
            ill, failed = False, len(server.chats)
            report = document("resume", listed()[0]["run"])
        assert (report["status"], len(server.chats) - failed) == ("completed", MORE[name].calls)
        assert report["totalCalls"] == len(server.chats), "what failed is on record too"


def test_a_jury_whose_last_ballot_failed_votes_again_and_repeats_no_talk() -> None:
    ill = True

    def reply(request: Request) -> Answer:
        second = ill and request.schema and "<statement turn" in request.text
        return ROWS["plain words"] if second else MORE["jury"].reply(request)

    with FakeServer(reply) as server, unwaited():
        stopped, found = ran(MORE["jury"].on(server))
        assert (stopped.exit_code, found["status"], len(found["turns"])) == (3, "failed", 3)
        ill, failed = False, len(server.chats)
        report = document("resume", found["run"])
        assert [call["purpose"] for call in report["calls"][failed:]] == ["ballot"] * 3
    assert report["turns"] == found["turns"]
    assert (report["status"], [poll["number"] for poll in report["polls"] if poll["tally"]]) == ("completed", [1, 2])


@pytest.mark.long
@pytest.mark.parametrize("name", THREE)
def test_where_little_fits_less_is_shown_and_nothing_is_lost(name: str, tmp_path: Any) -> None:
    (tmp_path / "long.txt").write_text("All about trams and streets. " * 300)
    narrow = short_window(MORE[name].reply, 2400)
    result, found, _ = played(name, narrow, "--material", str(tmp_path / "long.txt"))
    assert (result.exit_code, found["status"]) == (0, "completed"), result.stderr
    halved = [incident for incident in found["incidents"] if incident["kind"] == "overflow"]
    assert {one["consequence"] for one in halved} == {"view halved"}
    assert max(Counter(one["who"] for one in halved).values()) == 1
    assert "missing" not in found["headline"]


@pytest.mark.parametrize("cap", [pytest.param(cap, marks=[] if cap == 4 else pytest.mark.long) for cap in (4, 5, 7)])
@pytest.mark.parametrize("name", THREE)
def test_a_cap_is_never_passed_and_what_it_left_undone_is_no_failure_of_anybody(name: str, cap: int) -> None:
    result, found, server = played(name, MORE[name].reply, "--set", f"budget.calls={cap}")
    assert len(server.chats) <= cap
    assert result.exit_code == 0, result.stderr
    if cap < MORE[name].calls:
        assert found["terminationReason"] == "budget_spent"
        assert "budget was spent" in found["headline"]
    whoes = [position["who"] for position in found["positions"] or []]
    assert not found["runAnswer"] or len(whoes) >= 2


def everywhere(text: str) -> Any:
    """A model that says this wherever it may say anything."""

    def reply(request: Request) -> Answer:
        if not request.schema:
            return text
        return json.dumps(Filler(request.schema, b"the same", lambda _: text).fill(request.schema))

    return reply


WAYS: list[list[str]] = [[], ["--format", "html"], ["--format", "md"]]


@pytest.mark.long
@pytest.mark.parametrize("name", THREE)
def test_hostile_reasons_answers_and_critiques_stay_text_in_prompts_on_terminals_and_on_pages(name: str) -> None:
    seen: dict[str, list[Any]] = {}
    for text in (HONEST, ALL_AT_ONCE):
        with FakeServer(everywhere(text)) as server, unwaited():
            live = moot(*MORE[name].on(server))
        assert live.exit_code == 0, live.stderr
        run = listed()[0]["run"]
        outputs = [
            live.stdout,
            *(moot("show", run, *way).stdout for way in ([], ["--format", "html"], ["--format", "md"])),
        ]
        seen[text] = [server.chats, outputs]
    hostile, honest = seen[ALL_AT_ONCE], seen[HONEST]
    for part in ("system", "human"):
        count, expected = (Counter(tuple(marks(getattr(one, part))) for one in each[0]) for each in (hostile, honest))
        assert count == expected
    for one in hostile[0]:
        assert not TOKENS.findall(one.human)
        assert not UNSEEN.findall(one.text)
    for outputs in hostile[1]:
        assert not re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", outputs)
    assert not re.findall(r"<script>alert|<img src=x|<style>\*|<b>bold", hostile[1][2])
