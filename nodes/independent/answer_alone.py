"""One participant answers without hearing anybody who answers the same question."""

from collections.abc import Callable
from dataclasses import replace

from ...prompts import Catalogue, term
from ...state.draw import stream_seed
from ...state.fence import said
from ...state.independent import ASKED, AskedAlone, IndependentRules
from ...state.positions import Position, question_of
from ...state.positions.answer import with_unit
from ...state.statement import Participant
from ...state.writes import Update
from ..asking import Asking, Brief, asking_participant, at
from ..asking.ask import ask
from ..asking.brief import brief
from ..asking.cost import cost
from ..models.failures import Unavailable
from ..positions.form import asked, declared, form, plainly

FIELDS = "name persona ask language"
"""What the template of a first answer may ask for."""
AGAIN = f"{FIELDS} last"
"""What the template of a later answer may ask for."""
UNANSWERED = "no answer"
"""The consequence of an incident that left an answer unasked or ungiven."""


def answer_alone(words: Catalogue) -> Callable[..., object]:
    """The step in which one participant gives one answer; a branch for each."""

    async def answer_alone(state: AskedAlone, rules: IndependentRules) -> Update:
        """Ask one participant what it holds, with its own last answer at most before it.

        Reads what was given, record, positions, heard, and who is asked for which answer; writes positions, calls,
        incidents.
        """
        one = next(each for each in state["participants"] if each.name == state["who"])
        told = _told(state, words, one, rules)
        try:
            answer = await ask(told, _asking(state, one, rules))
        except Unavailable as lost:
            return Update(calls=lost.calls, incidents=lost.followed_by(UNANSWERED).incidents)
        place = {"who": one.name, "when": "round", "round": _round(state, rules), "turn": state["draw"]}
        return Update(positions=[declared(answer.value, question_of(rules), **place)]) | cost(one.name, answer)

    return answer_alone


def _asking(state: AskedAlone, one: Participant, rules: IndependentRules) -> Asking:
    """The question, with a seed of its own, so that samples differ; only they are drawn at the run's temperature."""
    question, draw = question_of(rules), state["draw"]
    asking = at(asking_participant(state, one, ASKED), draw, _round(state, rules))
    asking = replace(asking, schema=form(question), plainly=plainly(question), hidden=True, draw=draw)
    seed = stream_seed(rules.seed or 0, "call", rules.arm, one.name, ASKED, draw, draw) % 2**31
    return replace(asking, seed=seed, temperature=asking.temperature if rules.arm == "samples" else 0.0)


def _round(state: AskedAlone, rules: IndependentRules) -> int:
    """The number of the round; 0: there are none."""
    return state["draw"] if rules.arm in ("alone", "noise") else 0


def _told(state: AskedAlone, words: Catalogue, one: Participant, rules: IndependentRules) -> Brief:
    """The question; round by round also the own last answer, and what others said about something else."""
    language = one.language or rules.language
    values = {
        "name": one.name,
        "persona": one.persona,
        "ask": asked(question_of(rules), language),
        "language": language,
    }
    held = next((each for each in reversed(state["positions"]) if each.who == one.name), None)
    if rules.arm not in ("alone", "noise"):
        return brief(state, words, "answer", values)
    told = brief(state, words, "again", values | {"last": _last(held, language)})
    return replace(told, history=[each for each in state["heard"] if _is_shown(each.speaker, each.round, one, state)])


def _is_shown(speaker: str, round: int, one: Participant, state: AskedAlone) -> bool:
    return speaker != one.name and round <= state["draw"]


def _last(held: Position | None, language: str) -> object:
    if held is None:
        return term(language, "positions", "no_last")
    answer = said(with_unit(held.answer, held.unit))
    if held.certainty is None:
        return term(language, "positions", "last_alone", answer=answer)
    return term(language, "positions", "last", answer=answer, certainty=f"{held.certainty:g}")
