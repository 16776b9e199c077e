"""One expert gives its estimate, blind: it is shown what the group was told, and its own estimate of before."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from langgraph.types import Send
from pydantic import BaseModel, Field, create_model

from ...prompts import Catalogue, term
from ...state.deliberation import Floor, Turn
from ...state.delphi import DelphiRules, Estimate
from ...state.delphi.channels import DelphiUpdate, Estimating
from ...state.fence import Fenced
from ...state.positions import Question, question_of
from ...state.requirements import Sent
from ...state.statement import Participant, Statement
from ...state.writes import Update
from ..asking import asking_participant, at
from ..asking.ask import Answer, Check, ask
from ..asking.brief import brief
from ..asking.cost import cost
from ..clock import stamp
from ..models.failures import Unavailable
from ..positions.form import Declared, Figure, asked, declared, fields_of
from .told import in_words

FIELDS = "name persona round ask own language"
"""What the template may ask for."""


class Estimator(Turn, Estimating):
    """The branch of one expert."""

    who: Sent[str]
    seat: Sent[int]


def to_experts(state: Floor) -> list[Send]:
    """From a filled floor to every expert at the same time."""
    return [Send("estimate", {"who": name, "seat": seat}) for seat, name in enumerate(state["floor"], start=1)]


def form(question: Question) -> type[BaseModel]:
    """The form of an estimate: a number with its unit and two quantiles, or an option; and why."""
    fields: dict[str, Any] = fields_of(question, certain=False)
    if question.numeric:
        fields |= {"low": (Figure, ...), "high": (Figure, ...)}
    why = Field(min_length=1, max_length=2000, description="reason")
    return create_model("EstimateForm", __base__=Declared, **fields, reason=(str, why))


def ordered(language: str) -> Check:
    """The check that the quantiles of an estimate are in order."""

    def check(answer: Answer) -> str | None:
        given = answer.value.model_dump() if answer.value else {}
        if "low" not in given or given["low"] <= given["answer"] <= given["high"]:
            return None
        return term(language, "again", "unordered")

    return check


def estimate(words: Catalogue) -> Callable[..., object]:
    """The step in which one expert gives its estimate; a branch per expert."""

    async def estimate(state: Estimator, rules: DelphiRules) -> Update:
        """Ask one expert for its estimate and why.

        Reads what was given, floor, round, turn, record, estimates, and who is asked from which seat; writes
        estimates, positions, history, calls, incidents, view_limits.
        """
        one = next(each for each in state["participants"] if each.name == state["who"])
        question, turn = question_of(rules), state["turn"] + state["seat"]
        language = one.language or rules.language
        told = brief(state, words, "estimate", _values(state, one, rules, language))
        told = told.within(state["view_limits"].get(one.name))
        asking = at(asking_participant(state, one, "estimate"), turn, state["round"])
        try:
            answer = await ask(told, replace(asking, schema=form(question), hidden=True), ordered(language))
        except Unavailable as lost:
            return cost(one.name, lost)
        return _recorded(state, answer, rules, one.name) | cost(one.name, answer)

    return estimate


def _values(state: Estimator, one: Participant, rules: DelphiRules, language: str) -> dict[str, object]:
    question = question_of(rules)
    keys = (["quantiles"] if question.numeric else []) + ["why"]
    ask_for = [str(asked(question, language, certain=False)), *(term(language, "delphi", key) for key in keys)]
    own = [each for each in state["estimates"] if each.who == one.name][-1:]
    before = [term(language, "delphi", "own", estimate=in_words(each, rules), why=each.reason) for each in own]
    return {
        "name": one.name,
        "persona": one.persona,
        "round": state["round"],
        "ask": Fenced("\n".join(ask_for)),
        "own": "".join(before),
        "language": language,
    }


def _recorded(state: Estimator, answer: Answer, rules: DelphiRules, who: str) -> Update:
    """The estimate on record: as such, as a position, and as a statement that no prompt shows."""
    given = answer.value.model_dump() if answer.value else {}
    place = {"who": who, "round": state["round"], "turn": state["turn"] + len(state["floor"])}
    held = declared(answer.value, question_of(rules), **place, position=given["reason"])
    found = Estimate(
        round=state["round"],
        who=who,
        answer=held.answer,
        number=held.number,
        low=given.get("low"),
        high=given.get("high"),
        unit=held.unit,
        reason=given["reason"].strip(),
    )
    said = Statement(
        turn=state["turn"] + state["seat"],
        round=state["round"],
        speaker=who,
        content=f"{in_words(found, rules)}\n\n{found.reason}",
        at=stamp(),
        tokens=answer.tokens,
    )
    news: Update = DelphiUpdate(estimates=[found])
    return news | Update(positions=[held], history=[said])
