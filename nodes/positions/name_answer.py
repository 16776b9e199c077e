"""Node in which the synthesizer states the answer of a debate."""

from collections.abc import Callable
from dataclasses import replace

from ...models import NoAnswerError
from ...prompts import Templates
from ...state import SYNTHESIZER, PositionSettings, TurnState, Update, build_answer_format
from ..answer_forms import make_answer_form
from ..ask import ask, build_prompt, build_role_call, record_calls, with_answer_draw, with_turn
from .position_form import build_position_schema, format_position_question, make_position, make_position_fields

NAME_ANSWER_FIELDS = "ask language"


def name_answer(templates: Templates) -> Callable[..., object]:
    """Build the node in which the synthesizer states the answer of a debate."""

    async def name_answer(state: TurnState, settings: PositionSettings) -> Update:
        """Ask the synthesizer for the option or the number that the debate supports.

        Reads the task, round, turn, record; writes positions, calls, incidents.
        """
        question, language = build_answer_format(settings), settings.language
        call = replace(
            with_turn(build_role_call(state, SYNTHESIZER, "answer"), state["turn"], state["round"]),
            schema=build_position_schema(question, has_certainty=False),
            answer_form=make_answer_form(language, *make_position_fields(question, language, has_certainty=False)),
            max_tokens=settings.max_tokens_per_turn,
            is_hidden=True,
            temperature=settings.temperature,
            reserve=None,
        )
        values = {"ask": format_position_question(question, language, has_certainty=False)}
        prompt = replace(build_prompt(state, templates, "name_answer", values), history=state["history"])
        try:
            answer = await ask(prompt, with_answer_draw(call))
        except NoAnswerError as failure:
            return record_calls(SYNTHESIZER, failure.with_consequence("no answer"))
        position_fields = {"who": SYNTHESIZER, "when": "after", "round": state["round"], "turn": state["turn"]}
        return Update(positions=[make_position(answer.value, question, **position_fields)]) | record_calls(
            SYNTHESIZER, answer
        )

    return name_answer
