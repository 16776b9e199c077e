"""Each participant says where it stands: one small schema-bound question, all at the same time."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from ...prompts import Catalogue, listed
from ...state.deliberation import Turn
from ...state.fence import Fenced
from ...state.positions import Position, PositionRules, Question, question_of
from ...state.requirements import Sent
from ...state.statement import Participant, names
from ...state.writes import Update
from ..asking import asking_participant, at
from ..asking.ask import Answer, ask
from ..asking.brief import Brief, brief
from ..asking.cost import cost
from ..models.failures import Unavailable
from ..positions.form import asked, fields_of
from ..positions.form import declared as as_declared

FIELDS = "name others persona round language ask"
"""What the template may ask for."""


class Declaration(BaseModel):
    """What a participant declares."""

    model_config = ConfigDict(extra="forbid")

    position: str = Field(min_length=1, max_length=2000, description="position")
    agreement: float = Field(ge=0, le=1, description="agreement")
    objection: str = Field(max_length=2000, description="own_objection")
    moved_by: str = Field(description="moved_by")


@cache
def declaration(*others: str) -> type[Declaration]:
    """The declaration of a participant among `others`: it can name nobody else."""
    named: Any = Literal.__getitem__(("", *others))
    info = Declaration.model_fields["moved_by"]
    return create_model("Declaration", __base__=Declaration, moved_by=(named, Field(description=info.description)))


def with_answer(question: Question, *others: str) -> type[Declaration]:
    """The same declaration, with the answer to the run's `question` and how certain it is."""
    return create_model("Declaration", __base__=declaration(*others), **fields_of(question))


class Declaring(Turn):
    """A branch for one participant."""

    who: Sent[str]


def declare(words: Catalogue) -> Callable[..., object]:
    """The step in which one participant declares its position; a branch per participant."""

    async def declare(state: Declaring, rules: PositionRules) -> Update:
        """Ask one participant where it stands; where positions are asked for after each round, both in one question.

        Reads what was given, round, turn, record, view_limits, and who is asked; writes positions, calls, incidents,
        view_limits.
        """
        one = next(each for each in state["participants"] if each.name == state["who"])
        others = [each for each in names(state["participants"]) if each != one.name]
        question = question_of(rules) if rules.positions == "rounds" else None
        schema = with_answer(question, *others) if question else declaration(*others)
        asking = at(asking_participant(state, one, "position"), state["turn"], state["round"])
        asking = replace(asking, schema=schema, hidden=True, temperature=0.0)
        try:
            answer = await ask(_told(state, words, one, others, question), asking)
        except Unavailable as lost:
            return cost(one.name, lost.followed_by("no position"))
        place = {"who": one.name, "round": state["round"], "turn": state["turn"]}
        said: Update = Update(positions=[declared(answer, question, **place)])
        return said | cost(one.name, answer)

    return declare


def _told(state: Declaring, words: Catalogue, one: Participant, others: list[str], question: Question | None) -> Brief:
    """The whole record, and the question where this participant stands."""
    language = one.language or state["rules"].language
    values = {
        "name": one.name,
        "others": listed(language, others),
        "persona": one.persona,
        "round": state["round"],
        "ask": Fenced(f"{asked(question, language)}\n") if question else "",
        "language": language,
    }
    told = replace(brief(state, words, "declare", values), history=state["history"])
    return told.within(state["view_limits"].get(one.name))


def declared(answer: Answer, question: Question | None, **place: Any) -> Position:
    """The declaration as it enters the record."""
    value = answer.value
    assert isinstance(value, Declaration)
    if question:
        return as_declared(value, question, **place)
    told = {key: one.strip() if isinstance(one, str) else one for key, one in value.model_dump().items()}
    return Position.model_validate({**told, **place})
