"""One participant says what it holds now: one short question on the shared record, unseen by the others."""

from collections.abc import Callable
from dataclasses import replace

from ...prompts import Catalogue
from ...state.positions import Position, PositionRules, question_of
from ...state.positions.channels import Asking
from ...state.statement import Participant
from ...state.writes import Update
from ..asking import Brief, asking_participant, at
from ..asking.ask import ask
from ..asking.brief import brief
from ..asking.cost import cost
from ..models.failures import Unavailable
from ..statement import shown
from .form import asked, declared, form, plainly

FIELDS = "name persona ask language"
"""What the template may ask for."""
UNDECLARED = "no position"
"""The consequence of an incident that left a participant without a position on record."""


def take_position(words: Catalogue) -> Callable[..., object]:
    """The step in which one participant declares its position; a branch per participant."""

    async def take_position(state: Asking, rules: PositionRules) -> Update:
        """Ask one participant what it holds and how sure it is; after a round also whether it holds its case.

        Reads what was given, round, turn, record, memory, summary, view_limits, and who is asked when; writes
        positions, calls, incidents, view_limits, memory.
        """
        one = next(each for each in state["participants"] if each.name == state["who"])
        question, stance = question_of(rules), asks_stance(rules, state["when"])
        asking = at(asking_participant(state, one, "declaration"), state["turn"], state["round"])
        asking = replace(asking, schema=form(question, stance=stance), plainly=plainly(question, stance=stance))
        asking = replace(asking, hidden=True, temperature=0.0)
        try:
            answer = await ask(_told(state, words, one, rules), asking)
        except Unavailable as lost:
            return cost(one.name, lost.followed_by(UNDECLARED))
        place = {"who": one.name, "when": state["when"], "round": state["round"], "turn": state["turn"]}
        said: list[Position] = [declared(answer.value, question, **place)]
        return Update(positions=said) | cost(one.name, answer)

    return take_position


def asks_stance(rules: PositionRules, when: str) -> bool:
    """Whether a position comes with a stance: where each round is asked about, once something has been said."""
    return rules.concedes and rules.positions == "rounds" and when != "before"


def _told(state: Asking, words: Catalogue, one: Participant, rules: PositionRules) -> Brief:
    """The record as this participant is shown it, and the question what it now holds."""
    language = one.language or rules.language
    stance = "stance" if asks_stance(rules, state["when"]) else ""
    values = {
        "name": one.name,
        "persona": one.persona,
        "ask": asked(question_of(rules), language, stance=stance),
        "language": language,
    }
    return shown(state, brief(state, words, "position", values), one)
