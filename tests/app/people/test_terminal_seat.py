"""Seats at terminals: two people in two processes and a model finish a consensus with a vote."""

import json
import os
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from command import document, listed, moot
from command.terminal import Seen, typed as at_a_terminal
from fakeserver import FakeServer, Fault, Request
from moot.app.main import app
from moot.app.people import answer_question, resume_waiting_run
from moot.app.people.terminal_form import TerminalForm
from moot.app.run.failure import WaitingForPeopleError
from moot.state.ballot import make_ballot_schema
from seats import CONSENSUS, SAID, begun, reply
from typer.testing import CliRunner

PASTE = "\x1b[200~{}\x1b[201~\r"
ASKED = "Which one do you choose? (A, B, C): "
BALLOT = [
    (f"  abstain. I abstain\r\n\x1b[?2004h{ASKED}", "9\r"),
    (f"Choose one: A, B, C.\r\n\x1b[?2004h{ASKED}", "a\r"),
]
BALLOT += [("Why? (Enter: leave it empty) ", "It is fair.\r")]


@pytest.mark.long
def test_two_people_at_two_terminals_and_a_model_finish_a_consensus_with_a_vote() -> None:
    with FakeServer(reply=reply) as server:
        run = begun(*CONSENSUS, "--model", f"openai:any@{server.url}")

        def sits(who: str) -> Seen:
            keys = [(f"{who}> ", PASTE.format(SAID[who])), *BALLOT]
            return at_a_terminal(["join", run, "--as", who, "--wait"], keys)

        with ThreadPoolExecutor() as both:
            yan, zoe = both.map(sits, ["Yan", "Zoe"])
    assert (yan.code, zoe.code) == (0, 0), yan.text + zoe.text
    report = document("show", run)
    assert [turn["content"] for turn in report["turns"]][1:] == [SAID["Yan"], SAID["Zoe"]]
    assert report["terminationReason"] == "vote_decided"
    assert "[2] Yan" in zoe.text, "said since is shown"
    assert "Coffee wakes people up" not in yan.text.partition("[1] Ann")[0]
    assert {call["who"] for call in report["calls"]} == {"Ann", "synthesizer"}
    assert len(report["calls"]) == len(server.chats)


@pytest.mark.long
@pytest.mark.parametrize("early", ["Too early.\r", "Too early"])
def test_what_was_typed_before_a_question_was_shown_is_offered_as_a_draft_and_never_sent_as_its_answer(
    early: str,
) -> None:
    keys = [("Yan> ", "I open it with this.\r"), ("Yan> Too early", "\x15Now.\r")]
    terminals: list[int] = []

    def answer(request: Request) -> str:
        if terminals and not server.chats[1:]:  # while Ann is asked, the person types
            os.write(terminals[0], early.encode())
        return reply(request)

    with FakeServer(reply=answer) as server:
        seats = ["--participant", "Yan=person", "--participant", "Ann", "--max-turns", "3"]
        run = begun("debate", "Tea?", *seats, "--model", f"openai:any@{server.url}")
        seen = at_a_terminal(["join", run, "--as", "Yan", "--wait"], keys, terminals.append)
    contents = [turn["content"] for turn in document("show", run)["turns"] if turn["speakerId"] == "Yan"]
    assert contents == ["I open it with this.", "Now."], seen.text


def test_an_answer_that_is_recorded_is_not_said_to_be_unsent_if_the_next_seats_server_is_away() -> None:
    seats = ["--participant", "Yan=person", "--participant", "Ann", "--max-turns", "3"]
    with FakeServer(reply=reply, faults={1: Fault.status(429, retry_after=3600)}) as server:
        run = begun("debate", "Tea?", *seats, "--model", f"openai:any@{server.url}")
        state = CliRunner().invoke(app, ["join", run, "--as", "Yan"], input="I open it with this.\n")
    assert state.exit_code == 3
    assert "the server asks to wait" in state.stderr
    assert "ot sent" not in state.output
    assert [turn["content"] for turn in document("show", run)["turns"]] == ["I open it with this."]


def test_a_seat_is_taken_by_name_and_by_nobody_else() -> None:
    with FakeServer(reply=reply) as server:
        run = begun(*CONSENSUS, "--model", f"openai:any@{server.url}")
    assert "--as = None: give your name" in moot("join", run).stderr
    assert "a model has this seat; choose Yan, Zoe" in moot("join", run, "--as", "Ann").stderr
    waits = moot("resume", run)
    assert (waits.exit_code, len(server.chats)) == (3, 1)
    assert re.search(rf"Waiting for Yan and Zoe. Saved. Continue: \S+ join {run} --as Yan", waits.stderr)
    assert listed()[0]["state"] != "finished"


def test_a_run_that_has_ended_shows_its_ending_to_those_who_sat_there_and_to_nobody_else() -> None:
    run = begun(
        "debate",
        "Tea?",
        "--participant",
        "Yan=person",
        "--participant",
        "Ann",
        "--max-turns",
        "2",
        "--model",
        "rehearsal",
    )
    session = document("discussion", "Tea?", "--models-only", "--max-turns", "2", "--model", "rehearsal")["run"]
    answer_question(run, resume_waiting_run(run)[0]["id"], "Yan", {"pass": True})
    assert "max_turns_reached" in moot("join", run, "--as", "Yan", "--json").stdout
    for who, remedy in {"Eve": "choose Yan", "Ann": "choose Yan", "": "give your name"}.items():
        output = moot("join", run, "--as", who)
        assert (output.exit_code, output.stdout, remedy in output.stderr) == (2, "", True)
    assert "only models take part; run `moot show`" in moot("join", session, "--as", "Eve").stderr


RANKING = {"items": {"enum": ["A", "B", "C"]}, "minItems": 1, "type": "array"}
MARK = {"properties": {"option": {"enum": ["A", "B"]}, "score": {"type": "integer", "minimum": 0, "maximum": 10}}}
FIELDS = [
    ({"type": "boolean"}, ["3", "ja", "2"], False),
    ({"enum": ["A", "B"]}, ["", "0", "C", "2"], "B"),
    ({"enum": ["A", "B"]}, ["B"], "B"),
    ({"anyOf": [{"enum": ["A", "B"]}, {"type": "null"}]}, [""], None),
    ({"enum": ["", "Ann"]}, [""], ""),
    ({"const": "kg"}, [], "kg"),
    ({"type": "number", "minimum": 0, "maximum": 1}, ["", "2", "nan", "0.25"], 0.25),
    ({"type": "integer"}, ["1.5", "4"], 4),
    ({"type": "string", "minLength": 1}, [" ", "Tea"], "Tea"),
    ({"type": "string"}, [""], ""),
    (RANKING, ["", "1,1", "1,4", "3, 1"], ["C", "A"]),
    (
        {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/Mark"}}, {"type": "null"}]},
        ["11", "7", "3"],
        [{"option": "A", "score": 7}, {"option": "B", "score": 3}],
    ),
    ({"type": "object"}, ["{", '{"a": 1}'], {"a": 1}),
]


@pytest.mark.parametrize(("field", "entered", "value"), FIELDS, ids=[json.dumps(FIELD[0])[:40] for FIELD in FIELDS])
def test_a_field_is_asked_for_until_what_is_entered_fits_it(
    field: object, entered: Sequence[str], value: object
) -> None:
    left = list(entered)
    schema = {"properties": {"field": field}, "$defs": {"Mark": {"type": "object", **MARK}}}
    filled = TerminalForm(schema, "en", lambda _: left.pop(0), lambda _: None).ask_fields()
    assert (filled, left) == ({"field": value}, [])


@pytest.mark.parametrize(("language", "word"), [("en", "Abstain"), ("es", "Abstención"), ("zh", "弃权")])
def test_who_abstains_says_so_in_place_of_the_decision_and_is_asked_for_reasons_alone(language: str, word: str) -> None:
    choice = {"anyOf": [{"enum": ["A"]}, {"type": "null"}]}
    left = [word, "Neither."]
    schema = {"properties": {"reason": {"type": "string"}, "choice": choice, "abstain": {"type": "boolean"}}}
    shown: list[str] = []
    filled = TerminalForm(schema, language, lambda _: left.pop(0), shown.append).ask_fields()
    assert shown[-1].casefold().startswith(f"  {word}. ".casefold())
    assert filled == {"reason": "Neither.", "choice": None, "abstain": True}


def test_a_run_names_all_whom_it_waits_for() -> None:
    assert str(WaitingForPeopleError(["Ann", "Yan", "Zoe"])) == "Waiting for Ann, Yan, and Zoe"


def test_no_empty_entry_is_a_vote() -> None:
    schema = {
        "properties": {"choice": {"anyOf": [{"enum": ["A", "B"]}, {"type": "null"}]}, "abstain": {"type": "boolean"}}
    }
    left, prompts = ["", "B"], list[str]()
    filled = TerminalForm(
        schema, "en", lambda prompt: prompts.append(prompt) or left.pop(0), lambda _: None
    ).ask_fields()
    assert (filled, left) == ({"choice": "B", "abstain": False}, [])
    assert "Enter" not in prompts[0]
    left = ["abstain", "A"]
    filled = TerminalForm(schema, "en", lambda _: left.pop(0), lambda _: None, {"A": "Abstain."}).ask_fields()
    assert (filled, left) == ({"choice": "A", "abstain": False}, []), "the text of an option is no abstention"


@pytest.mark.parametrize(("entered", "objection"), [(["no"], None), (["yes", "Too dear."], "Too dear.")])
def test_only_who_has_an_objection_is_asked_for_it(entered: list[str], objection: str | None) -> None:
    schema = {"properties": {"has_objection": {"type": "boolean"}, "objection": {"type": "string", "default": ""}}}
    left = list(entered)
    filled = TerminalForm(schema, "en", lambda _: left.pop(0), lambda _: None).ask_fields()
    assert (filled.get("objection"), left) == (objection, [])


@pytest.mark.parametrize(
    ("entered", "value"),
    [(["abstain"], None), (["7", "abstain", "3"], [{"option": "A", "score": 7}, {"option": "B", "score": 3}])],
)
def test_who_has_given_a_mark_abstains_no_more(entered: list[str], value: object) -> None:
    marks = {"anyOf": [{"type": "array", "items": {"type": "object", **MARK}}, {"type": "null"}]}
    schema = {"properties": {"scores": marks, "abstain": {"type": "boolean"}}}
    left = list(entered)
    filled = TerminalForm(schema, "en", lambda _: left.pop(0), lambda _: None).ask_fields()
    assert (filled, left) == ({"scores": value, "abstain": value is None}, [])


@pytest.mark.parametrize(
    ("entered", "choice", "weight"),
    [(["abstain"], None, None), (["A", "", "abstain", "5"], "A", 5), (["", "B", "none", "4"], "B", 4)],
)
def test_an_abstention_has_no_certainty_and_a_vote_has_one(entered: list[str], choice: Any, weight: Any) -> None:
    ballot = make_ballot_schema("choice", ["A", "B"], is_weighted=True, may_abstain=True)
    left = [*entered, "Because."]
    form = TerminalForm(ballot.model_json_schema(), "en", lambda _: left.pop(0), lambda _: None)
    answer = ballot.model_validate(form.ask_fields()).model_dump(include={"choice", "weight", "abstain"})
    assert (answer, left) == ({"choice": choice, "weight": weight, "abstain": choice is None}, [])
