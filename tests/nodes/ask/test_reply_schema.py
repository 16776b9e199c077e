"""What is wrong with a filled-in form is told in the language of the prompt."""

import re
from functools import partial
from typing import Literal

import pytest
from langchain_core.messages import AIMessage
from moot.nodes.ask.attempt import SHARED_TEMPLATES
from moot.nodes.ask.reply_schema import FAULT_PHRASES, ReplySchema, parse_reply
from moot.prompts import LANGUAGES, load_phrases
from moot.state.ballot.answer_parser import parse_consent
from moot.state.ballot.parser import read_answer
from moot.state.ballot.schema import BallotFormat, make_ballot_schema
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
    ("approvals", '{"approvals": ["B", "B"]}'),
    ("points", '{"points": [{"option": "A", "score": 3}]}'),
    ("scores", '{"scores": [{"option": "A", "score": 3}, {"option": "A", "score": 4}]}'),
    ("choice", "Perhaps A, perhaps B."),
    ("choice", "A\nB"),
    ("ranking", "1. A\n3. B"),
    ("scores", "A is best"),
    ("approvals", "- A\nwell\n- B"),
    ("approvals", "- A\n- C"),
]
CONSENTS = ["1 and 0", "7", "I doubt that 1 is right.", "maybe", "1 because 0"]
ENGLISH = re.compile(r"input|should|valid|field|required|extra|character|least|greater|less|object|write|value", re.I)


@pytest.mark.parametrize("reply", WRONG)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_fault_is_told_in_the_language_of_the_prompt(reply: str, language: str) -> None:
    value, flaw = parse_reply(AIMessage(reply), ReplySchema(Form, SHARED_TEMPLATES, language=language))
    assert value is None
    assert flaw
    assert language == "en" or not ENGLISH.search(flaw), flaw


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_wrong_with_a_vote_is_told_in_the_language_of_the_prompt(language: str) -> None:
    told = []
    for kind, reply in BALLOTS:
        schema = make_ballot_schema(kind, ["A", "B"], may_abstain=True)
        plainly = partial(read_answer, kind=kind, options=["A", "B"])
        told.append(parse_reply(AIMessage(reply), ReplySchema(schema, SHARED_TEMPLATES, plainly, language))[1])
    for reply in CONSENTS:
        told.append(parse_reply(AIMessage(reply), ReplySchema(Form, SHARED_TEMPLATES, consenting, language))[1])
    assert len(set(told)) > 12
    assert [one for one in told if not one or (language != "en" and ENGLISH.search(one))] == []
    assert [one for one in told if re.search(r"[.;；。] *$", one)] == [], "each says what was unclear"


def consenting(text: str) -> Form:
    return Form(agrees=parse_consent(text))


def test_bounds_and_choices_are_named() -> None:
    told = {
        reply: parse_reply(AIMessage(reply), ReplySchema(Form, SHARED_TEMPLATES, language="es"))[1] for reply in WRONG
    }
    assert told['{"reason": "maybe"}'] == "reason: escriba una de estas opciones: 'go_on', 'stop'"
    assert told['{"turn": -1}'] == "turn: escriba al menos 0"
    assert told['{"quote": "abcd"}'] == "quote: escriba como máximo 3 caracteres"


def test_every_phrase_of_a_fault_is_there() -> None:
    assert set(FAULT_PHRASES.values()) < set(load_phrases("terms").list_keys("faults"))
