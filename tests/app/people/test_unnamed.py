"""A person on a jury, in a Delphi and on a council: told what a model is told, and nobody's name; and what follows of a
question that is let pass or missed."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from command import document
from moot.app.main import app
from moot.app.people import answer_question, list_open_questions, list_visible_statements, resume_waiting_run
from moot.app.saved import SavedRun, load_saved_run, open_database
from moot.storage.clock import use_clock
from seats import begun
from typer.testing import CliRunner

CAST = ["--participant", "Ann", "--participant", "Yan=person", "--participant", "Ben"]
REHEARSED = ["--model", "rehearsal", "--seed", "3"]
CASE = "All of the case: the lock was cut."
KG = ["--set", "answer={number: kg}", "--max-rounds", "2", "--no-dynamic-termination"]
SAID = "I hold that it weighs eighty kilos."


class Seat(NamedTuple):
    """How it is begun; what Yan enters; what is shown at the seat before the end, in order, and what is not."""

    words: list[str]
    typed: list[str]
    shown: list[str]
    hidden: list[str]


SEATS = {
    "jury": Seat(
        ["jury", "Did Kim do it?", "--max-rounds", "1", "--no-dynamic-termination"],
        ["2", "Cut by hand.", "I think that the lock was cut by hand.", "2", "As I said."],
        [
            CASE,
            "Ballot 1, cast in secret: guilty 2 and not guilty 1. A verdict takes 3.",
            "[1] Ann\nThis is Ann on “Did Kim do it?”",
            "[3] Ben",
            "Ballot 2, cast in secret: guilty 1 and not guilty 2.",
        ],
        ["has cast", "the busiest lose in three months"],
    ),
    "delphi": Seat(
        ["delphi", "How heavy is it?", *KG],
        ["70", "60", "80", "As Ben says.", "71", "60", "80", "Its size."],
        [
            CASE,
            "Round 1. What is your estimate?",
            "Round 1: 3 estimates. Median ",
            "70 kg (90 % interval 60–80): As an expert says.",
            "Round 2. What is your estimate?",
        ],
        ["Ann", "[3] Ben"],
    ),
    "council": Seat(
        ["council", "How heavy is it?", "--chairman", "Yan"],
        [SAID, "B A C", "The last.", "Good.", "", "Thin.", "It weighs much, as [9] says.", "It weighs much [2]."],
        [
            CASE,
            "  A. ",
            "  C. ",
            "Rank them, best first",
            "What is strong, and what is wrong",
            "Your answer is sent.",
            "[1] Ann",
            "- on [",
            "Please change this: it cites turns",
        ],
        ["<"],
    ),
}


@pytest.fixture
def case(tmp_path: Path) -> list[str]:
    (tmp_path / "case.txt").write_text(CASE)
    return ["--material", str(tmp_path / "case.txt")]


def stands(run: str) -> SavedRun:
    async def loaded() -> SavedRun:
        async with open_database(create=False) as store:
            return await load_saved_run(store, run)

    return asyncio.run(loaded())


def joined(run: str, lines: list[str]) -> str:
    """What is shown to Yan, who enters these lines."""
    words = ["join", run, "--as", "Yan"]
    return CliRunner().invoke(app, words, input="".join(f"{line}\n" for line in lines), prog_name="moot").stdout


@pytest.mark.long
@pytest.mark.parametrize("name", SEATS)
def test_a_person_is_told_what_a_model_is_told_and_what_it_enters_stands_on_the_record(
    name: str, case: list[str]
) -> None:
    seat = SEATS[name]
    run = begun(*seat.words, *CAST, *REHEARSED, *case)
    text_part = joined(run, seat.typed).partition(BEFORE_THE_END[name])[0]
    part = text_part
    for line in seat.shown:
        assert line in part, line
        part = part.partition(line)[2]
    assert [text for text in seat.hidden if text in text_part] == []
    report = document("show", run)
    assert (report["status"], {call["who"] for call in report["calls"]} & {"Yan"}) == ("completed", set())
    assert [entered(report, name)] == [RECORDED[name]]


BEFORE_THE_END = {"jury": "Ended after", "delphi": "Ended after", "council": "Ended after"}
RECORDED = {
    "jury": [("not guilty", "Cut by hand."), ("not guilty", "As I said.")],
    "delphi": [("70", 60, 80, "As Ben says."), ("71", 60, 80, "Its size.")],
    "council": [([3, 1, 2], {1: "Good.", 2: "Thin."}), "It weighs much [2]."],
}


def entered(told: dict[str, Any], name: str) -> list[Any]:
    """What stands on record of Yan."""
    if name == "jury":
        return [
            (position["answer"], position["position"]) for position in told["positions"] if position["who"] == "Yan"
        ]
    if name == "delphi":
        mine = [estimate for estimate in told["estimates"] if estimate["who"] == "Yan"]
        return [(one["answer"], one["low"], one["high"], one["reason"]) for one in mine]
    (mine,) = [review for review in told["reviews"] if review["voter"] == "Yan"]
    return [
        (mine["ranking"], {critique["turn"]: critique["text"] for critique in mine["critiques"]}),
        told["synthesis"],
    ]


@pytest.mark.parametrize("name", ["delphi", "council"])
def test_whoever_comes_back_is_not_shown_who_said_what_while_it_goes_on(name: str, case: list[str]) -> None:
    run = begun(*SEATS[name].words, *CAST, *REHEARSED, *case)
    while (saved := stands(run)) and (left := list_open_questions(saved)) and left[0]["purpose"] != "synthesis":
        assert {statement.speaker for statement in saved.state["history"]} >= {"Ann", "Ben"}
        assert {visible_statement.speaker for visible_statement in list_visible_statements(saved, "Yan")} <= {"Yan"}
        assert {visible_statement.speaker for visible_statement in list_visible_statements(saved, "Zoe")} == set(), (
            "nor is somebody who is not asked now"
        )
        again = joined(run, [])
        assert "[1] Ann" not in again
        answer_question(run, left[0]["id"], "Yan", VALUES[left[0]["purpose"]])
    assert (
        "Ann" in {visible_statement.speaker for visible_statement in list_visible_statements(stands(run), "Yan")}
    ) == (name == "council"), "who is to sum up"


VALUES: dict[str, Any] = {
    "statement": SAID,
    "estimate": {"answer": 70, "unit": "kg", "low": 60, "high": 80, "reason": "Its size."},
    "review": {"ranking": ["A", "B", "C"], "reason": ""},
    "ballot": {"choice": "guilty", "reason": ""},
}
FOLLOWS = {
    "jury": [("ballot", "no valid ballot"), ("statement", "missed"), ("ballot", "no valid ballot")],
    "delphi": [("estimate", "missed"), ("estimate", "missed")],
    "council": [("statement", "missed"), ("review", "no valid ranking")],
}
"""What follows of each question that nobody answers."""
WAYS = ["late", "passed"]


@pytest.mark.long
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", FOLLOWS)
def test_what_follows_of_a_question_that_is_missed_or_let_pass_is_a_rule(name: str, way: str) -> None:
    words = [word for word in SEATS[name].words if word not in ("--chairman", "Yan")]
    run = begun(*words, *CAST, *REHEARSED, "--set", "person_deadline=60")
    if way == "passed":
        while left := list_open_questions(stands(run)):
            answer_question(run, left[0]["id"], "Yan", {"pass": True})
    for round in range(1, 4):
        with use_clock(lambda round=round: datetime.now(UTC) + timedelta(seconds=61 * round)):
            resume_waiting_run(run)
    report = document("show", run)
    mine = [incident for incident in report["incidents"] if incident["who"] == "Yan"]
    assert [(one["where"], one["consequence"]) for one in mine] == FOLLOWS[name]
    assert {one["kind"] for one in mine} == {way}
    assert report["status"] == "completed"
    if name == "jury":
        assert {poll["tally"]["votes"] for poll in report["polls"] if poll["tally"]} == {2}
        assert report["terminationReason"] == "jury_deadlocked", "two who agree are no unanimity of three"
        assert "no valid ballot 1. A verdict takes 3." in report["synthesis"]
        assert {poll["tally"]["abstentions"] for poll in report["polls"] if poll["tally"]} == {0}
    if name == "delphi":
        assert [entry["estimate_count"] for entry in report["feedback"]] == [2, 2]
        assert "2 of 6 statements missing: Yan" in report["headline"]
    if name == "council":
        assert (report["polls"][0]["tally"]["votes"], set(report["polls"][0]["options"])) == (2, {"Ann", "Ben"})


@pytest.mark.parametrize("way", WAYS)
def test_a_chairman_who_lets_the_final_answer_pass_leaves_it_unfinished_and_is_asked_again_on_resume(way: str) -> None:
    run = begun(*SEATS["council"].words, *CAST, *REHEARSED, "--set", "person_deadline=60")
    while (left := list_open_questions(stands(run)))[0]["purpose"] != "synthesis":
        answer_question(run, left[0]["id"], "Yan", VALUES[left[0]["purpose"]])
    if way == "passed":
        answer_question(run, left[0]["id"], "Yan", {"pass": True})
    with use_clock(lambda: datetime.now(UTC) + timedelta(seconds=61)):
        left = resume_waiting_run(run)
    assert left == [] or way == "late", left
    report = document("show", run)
    assert (report["status"], report["synthesis"]) == ("failed", "")
    [asked] = resume_waiting_run(run)
    assert (asked["purpose"], asked["attempt"]) == ("synthesis", 1)
    answer_question(run, asked["id"], "Yan", "It weighs much [2].")
    assert (document("show", run)["status"], document("show", run)["synthesis"]) == ("completed", "It weighs much [2].")
