"""Each member answers the question, at the same time as the others and without knowing theirs."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from langgraph.types import Send
from pydantic import BaseModel, create_model

from ...prompts import Catalogue
from ...state.council import CouncilRules
from ...state.council.channels import Seated
from ...state.deliberation import Floor
from ...state.fence import Fenced
from ...state.positions import Position, Question, question_of
from ...state.statement import Participant
from ...state.writes import Update
from ..asking import Answer, Brief, asking_participant, at, length_in_words
from ..asking.ask import ask
from ..asking.brief import brief
from ..asking.cost import cost
from ..models.failures import Unavailable
from ..positions.form import asked, declared, fields_of
from ..statement import Worded, raw_kept, sound, stated

FIELDS = "name persona ask words language"
"""What the template may ask for."""


def to_members(state: Floor) -> list[Send]:
    """From the opened floor to everyone on it, at the same time."""
    return [Send("answer", {"who": name, "seat": seat}) for seat, name in enumerate(state["floor"], start=1)]


@cache
def form(*signs: str, numeric: bool, unit: str) -> type[Worded]:
    """The form of an answer that comes with an option, or with a number, and how certain its author is of that."""
    return create_model("AnswerForm", __base__=Worded, **fields_of(Question(signs, numeric=numeric, unit=unit)))


def answer(words: Catalogue) -> Callable[..., object]:
    """The step in which one member answers; a branch per member."""

    async def answer(state: Seated, rules: CouncilRules) -> Update:
        """Ask one member for its answer; where the run has options or asks for a number, for that in the same question.

        Reads what was given, floor, round, turn, record, view_limits, and who is asked from which seat; writes history,
        positions, calls, incidents, view_limits.
        """
        one = next(each for each in state["participants"] if each.name == state["who"])
        question = None if rules.answer == "none" else question_of(rules)
        told = _told(state, words, one, question)
        asking = at(asking_participant(state, one), state["turn"] + state["seat"], state["round"])
        if question:
            schema = form(*question.signs, numeric=question.numeric, unit=question.unit)
            asking = replace(asking, schema=schema)
        try:
            given = raw_kept(await ask(told, asking, sound(told, one, rules)), one.name)
        except Unavailable as lost:
            return cost(one.name, lost)
        said = Update(history=[stated(given, one, asking.turn, asking.round)])
        return said | _position(state, given, question) | cost(one.name, given)

    return answer


def _told(state: Seated, words: Catalogue, one: Participant, question: Question | None) -> Brief:
    """The question and the material; nothing of the other members."""
    language = one.language or state["rules"].language
    values = {
        "name": one.name,
        "persona": one.persona,
        "ask": Fenced(f"\n{asked(question, language)}") if question else "",
        "words": length_in_words(state["rules"].max_tokens_per_turn, language),
        "language": language,
    }
    return brief(state, words, "answer", values).within(state["view_limits"].get(one.name))


def _position(state: Seated, given: Answer, question: Question | None) -> Update:
    """The option or the number of an answer, on record as its author's position."""
    if question is None:
        return Update()
    place: dict[str, Any] = {"who": state["who"], "when": "after", "round": state["round"]}
    said: Position = declared(_answered(given.value), question, **place, turn=state["turn"] + len(state["floor"]))
    return Update(positions=[said])


def _answered(value: BaseModel | None) -> BaseModel:
    assert isinstance(value, Worded)
    return value
