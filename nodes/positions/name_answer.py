"""The neutral model of a debate names what it answers."""

from collections.abc import Callable
from dataclasses import replace

from ...prompts import Catalogue
from ...state.positions import SYNTHESIZER, PositionRules, question_of
from ...state.positions.channels import Naming
from ...state.writes import Update
from ..asking import asking_role, at
from ..asking.ask import ask
from ..asking.brief import brief
from ..asking.cost import cost
from ..models.failures import Unavailable
from .form import asked, declared, form, plainly

FIELDS = "ask language"
"""What the template may ask for."""


def name_answer(words: Catalogue) -> Callable[..., object]:
    """The step in which the synthesizer names the answer that a debate comes to."""

    async def name_answer(state: Naming, rules: PositionRules) -> Update:
        """Ask the synthesizer for the option or the number that the debate speaks for.

        Reads what was given, round, turn, record; writes positions, calls, incidents.
        """
        question = question_of(rules)
        asking = at(asking_role(state, SYNTHESIZER, "answer"), state["turn"], state["round"])
        asking = replace(asking, schema=form(question, certain=False), hidden=True, temperature=0.0, reserve=None)
        asking = replace(asking, max_tokens=rules.max_tokens_per_turn, plainly=plainly(question, certain=False))
        values = {"ask": asked(question, rules.language, certain=False)}
        told = replace(brief(state, words, "name_answer", values), history=state["history"])
        try:
            answer = await ask(told, asking)
        except Unavailable as lost:
            return cost(SYNTHESIZER, lost.followed_by("no answer"))
        place = {"who": SYNTHESIZER, "when": "after", "round": state["round"], "turn": state["turn"]}
        return Update(positions=[declared(answer.value, question, **place)]) | cost(SYNTHESIZER, answer)

    return name_answer
