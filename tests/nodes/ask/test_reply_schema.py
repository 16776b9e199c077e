"""What is wrong with a filled-in form is told in the language of the prompt."""

import re
from typing import Any, Literal

import pytest
from langchain_core.messages import AIMessage
from moot.nodes.answer_forms import make_answer_form
from moot.nodes.ask.attempt import SHARED_TEMPLATES
from moot.nodes.ask.reply_schema import FAULT_PHRASES, ReplySchema, UnusableReplyError, parse_reply
from moot.nodes.voting.ballot_form import make_ballot_fields
from moot.prompts import LANGUAGES, load_phrases
from moot.state.ballot import BallotFormat, make_ballot_schema
from pydantic import BaseModel, ConfigDict, Field


class Form(BaseModel):
    """Every kind of field a form has."""

    model_config = ConfigDict(extra="forbid")

    reason: Literal["go_on", "stop"] = "stop"
    quote: str = Field(default="ab", min_length=2, max_length=3)
    turn: int = Field(default=0, ge=0, lt=9)
    share: float = Field(default=1, gt=0, le=1)
    agrees: bool = True
    items: list[int] = Field(default=[1], min_length=1, max_length=2)


WRONG = [
    '{"reason": "maybe"}',
    '{"quote": 3}',
    '{"quote": "a"}',
    '{"quote": "abcd"}',
    '{"turn": "many"}',
    '{"turn": 1.5}',
    '{"turn": -1}',
    '{"turn": 9}',
    '{"share": "half"}',
    '{"share": 0}',
    '{"share": 2}',
    '{"agrees": "perhaps"}',
    '{"items": 1}',
    '{"items": []}',
    '{"items": [1, 2, 3]}',
    '{"other": 1}',
    "no form at all",
    "[1]",
    '{"turn": 1, "turn": 2}',
    '{"turn": 1} {"turn": 2}',
]
BALLOTS: list[tuple[BallotFormat, str]] = [
    ("choice", '{"choice": null}'),
    ("choice", '{"choice": "A", "abstain": true}'),
    ("ranking", '{"ranking": ["A", "A"]}'),
    ("ranking", "Ranking: A > A"),
    ("approvals", '{"approvals": ["B", "B"]}'),
    ("points", '{"points": [{"option": "A", "score": 3}]}'),
    ("points", "Scores: A=3, B=8"),
    ("scores", '{"scores": [{"option": "A", "score": 3}, {"option": "A", "score": 4}]}'),
    ("scores", "Scores: A=11"),
]
UNREAD: list[tuple[BallotFormat, str]] = [
    ("choice", "Perhaps A, perhaps B."),
    ("choice", "A\nB"),
    ("choice", "Vote: A\nVote: B"),
    ("ranking", "1. A\n3. B"),
    ("scores", "A is best"),
    ("scores", "Scores: A is best"),
    ("approvals", "- A\nwell\n- B"),
    ("choice", '{"choice": "A"} is what I want'),
    ("choice", 'Vote: A\n```json\n{"choice": "A"}\n```'),
]
ENGLISH = re.compile(r"input|should|valid|field|required|extra|character|least|greater|less|object|write|value", re.I)


def find_fault(reply: str, reply_schema: ReplySchema, *, is_read: bool | None = None) -> str:
    with pytest.raises(UnusableReplyError) as error:
        parse_reply(AIMessage(reply), reply_schema)
    assert is_read in (None, error.value.is_read)
    return error.value.fault


@pytest.mark.parametrize("reply", WRONG)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_fault_is_told_in_the_language_of_the_prompt(reply: str, language: str) -> None:
    flaw = find_fault(reply, ReplySchema(Form, SHARED_TEMPLATES, language=language))
    assert flaw
    assert language == "en" or not ENGLISH.search(flaw), flaw


def ballot_schema(kind: BallotFormat, language: str = "en") -> ReplySchema:
    schema = make_ballot_schema(kind, ["A", "B"], may_abstain=True)
    form = make_answer_form(language, *make_ballot_fields(kind, ["A", "B"], language, may_abstain=True), act="vote")
    return ReplySchema(schema, SHARED_TEMPLATES, form, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_wrong_with_a_vote_is_told_in_the_language_of_the_prompt(language: str) -> None:
    faults = [find_fault(reply, ballot_schema(kind, language), is_read=True) for kind, reply in BALLOTS]
    faults += [find_fault(reply, ballot_schema(kind, language), is_read=False) for kind, reply in UNREAD]
    assert len(set(faults)) > 8
    assert [fault for fault in faults if not fault or (language != "en" and ENGLISH.search(fault))] == []


@pytest.mark.parametrize(
    ("reply", "read_as"),
    [
        ('{"choice": "B"}', "schema"),
        ('I weighed both.\n\n```json\n{"choice": "B"}\n```\nThat is all.', "schema"),
        ("A is good.\nVote: B", "line"),
        ("Voto: B\nRazón: es mejor.", "line"),
        ("B.", "bare"),
    ],
)
def test_json_alone_the_last_line_and_the_bare_answer_are_read(reply: str, read_as: str) -> None:
    value, form = parse_reply(AIMessage(reply), ballot_schema("choice"))
    assert (value.model_dump()["choice"], form) == ("B", read_as)


CUT_OFF = [
    {"finish_reason": "length"},
    {"finish_reason": "MAX_TOKENS"},
    {"stop_reason": "max_tokens"},
    {"done_reason": "length"},
    {"finish_reason": "error"},
    {"stop_reason": "aborted"},
    {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
]


@pytest.mark.parametrize("metadata", CUT_OFF)
@pytest.mark.parametrize("reply", ["Vote: B", "B", "Vote: B\nReason: it is", '```json\n{"choice": "B"}\n```'])
def test_of_a_reply_that_was_cut_off_only_a_whole_object_is_read(reply: str, metadata: dict[str, Any]) -> None:
    with pytest.raises(UnusableReplyError, match="cut off"):
        parse_reply(AIMessage(reply, response_metadata=metadata), ballot_schema("choice"))
    value, _ = parse_reply(AIMessage('{"choice": "B"}', response_metadata=metadata), ballot_schema("choice"))
    assert value.model_dump()["choice"] == "B"


def test_bounds_and_choices_are_named() -> None:
    told = {reply: find_fault(reply, ReplySchema(Form, SHARED_TEMPLATES, language="es")) for reply in WRONG}
    assert told['{"reason": "maybe"}'] == "reason: escriba una de estas opciones: 'go_on', 'stop'"
    assert told['{"turn": -1}'] == "turn: escriba al menos 0"
    assert told['{"quote": "abcd"}'] == "quote: escriba como máximo 3 caracteres"


def test_every_phrase_of_a_fault_is_there() -> None:
    assert set(FAULT_PHRASES.values()) < set(load_phrases("terms").list_keys("faults"))
