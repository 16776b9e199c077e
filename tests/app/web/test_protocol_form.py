"""The form of a protocol: which settings it offers, and what is made of what was filled in."""

import asyncio
from typing import Any

import pytest
from moot.app.protocols.protocol import get_protocol
from moot.app.protocols.registry import list_protocols
from moot.app.run.request import RunRequest
from moot.app.tools.mcp.arguments import TOOL_SETTINGS, build_arguments
from moot.app.web.protocol_form import build_protocol_form
from moot.app.web.room import Room
from moot.app.web.start_page import build_form_request
from moot.models.operator_limits import PATH_SETTINGS
from moot.state.errors import InputError

HERE: Any = type("Here", (Room,), {"beyond": False, "__init__": lambda self: None})()
"""A room on this machine."""


def made(name: str, given: dict[str, str]) -> RunRequest:
    """The request that a form makes."""
    return asyncio.run(build_form_request(HERE, get_protocol(name), given))


@pytest.mark.parametrize("name", list_protocols())
def test_no_form_names_a_file_of_this_machine(name: str) -> None:
    assert not {ask.name for ask in build_protocol_form(get_protocol(name)).fields} & {*PATH_SETTINGS, "sources"}


@pytest.mark.parametrize("name", ["debate", "consensus", "panel", "discussion"])
def test_a_rule_that_needs_a_file_is_offered_by_no_form_and_no_tool(name: str) -> None:
    choices = next(ask for ask in build_protocol_form(get_protocol(name)).fields if ask.name == "stop_rule").choices
    assert {"lexical", "declared"} & {*choices}
    assert "calibrated" not in choices
    if name in TOOL_SETTINGS:
        assert build_arguments(name)["stop_rule"]["enum"] == list(choices)


ANSWERS = {"option": "option", "{number: kg}": "kg"}


@pytest.mark.parametrize(("written", "meant"), ANSWERS.items())
@pytest.mark.parametrize("name", ["debate", "consensus", "council"])
def test_what_a_run_answers_can_be_written_in_its_form(name: str, written: str, meant: str) -> None:
    given = {"topic": "Which?", "answer": written} | ({"options": "{A: x, B: y}"} if meant == "option" else {})
    answer = made(name, given).settings.answer  # type: ignore[attr-defined]
    assert getattr(answer, "number", answer) == meant


SEATS: list[dict[str, str]] = [{"kind": "person"}, {"model": "rehearsal"}, {"persona": "a pilot"}]


@pytest.mark.parametrize("seat", SEATS, ids=str)
def test_a_seat_that_was_filled_in_without_a_name_is_refused_and_not_left_out(seat: dict[str, str]) -> None:
    given = {"topic": "Which?", "seat.1.name": "Ada", "seat.2.name": "Bo"}
    empty = {"seat.3.name": "", "seat.3.kind": "model"}
    asked = made("jury", given | empty)
    assert [one.name for one in asked.input["participants"]] == ["Ada", "Bo"]
    with pytest.raises(InputError, match=r"seat\.3\.name"):
        made("jury", given | empty | {f"seat.3.{key}": text for key, text in seat.items()})


QUESTIONS = {"Should we move?": "en", "¿Debemos mudarnos?": "es", "要搬家吗？": "zh"}


@pytest.mark.parametrize(("question", "language"), QUESTIONS.items())
def test_a_panel_from_the_form_speaks_the_language_of_its_question_unless_one_is_chosen(
    question: str, language: str
) -> None:
    assert made("panel", {"query": question}).settings.language == language
    chosen = made("panel", {"query": question, "language": "zh"})
    assert chosen.settings.language == "zh"
