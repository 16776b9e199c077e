"""Node in which a participant answers one short question about its position, in private."""

from collections.abc import Callable
from dataclasses import replace

from ...models import NoAnswerError
from ...prompts import Templates
from ...state import DeclareState, PositionSettings, Update, build_answer_format, get_participant_by_name
from ..answer_forms import make_answer_form
from ..ask import ask, build_participant_call, build_prompt, record_calls, with_answer_draw, with_turn
from ..statement import limit_history
from .position_form import build_position_schema, format_position_question, make_position, make_position_fields

POSITION_FIELDS = "name persona ask language"


def take_position(templates: Templates) -> Callable[..., object]:
    """Build the node in which one participant declares its position. Each participant has a branch."""

    async def take_position(state: DeclareState, settings: PositionSettings) -> Update:
        """Ask one participant for its position and certainty, and after a round also for its stance.

        Reads the task, round, turn, record, memory, summary, view_limits, and who and when; writes positions, calls,
        incidents, view_limits, memory.
        """
        participant = get_participant_by_name(state["participants"], state["who"])
        question = build_answer_format(settings)
        stance = settings.concedes and settings.positions == "rounds" and state["when"] != "before"
        language = participant.language or settings.language
        call = replace(
            with_turn(build_participant_call(state, participant, "declaration"), state["turn"], state["round"]),
            schema=build_position_schema(question, has_stance=stance),
            answer_form=make_answer_form(language, *make_position_fields(question, language, has_stance=stance)),
            is_hidden=True,
        )
        values = {
            "name": participant.name,
            "persona": participant.persona,
            "ask": format_position_question(question, language, stance_key="stance" if stance else ""),
            "language": language,
        }
        prompt = replace(build_prompt(state, templates, "position", values), options=question.option_texts)
        prompt = limit_history(state, prompt, participant)
        try:
            answer = await ask(prompt, with_answer_draw(call))
        except NoAnswerError as failure:
            return record_calls(participant.name, failure.with_consequence("no position"))
        fields = {"who": participant.name, "when": state["when"], "round": state["round"], "turn": state["turn"]}
        position = make_position(answer.value, question, **fields)
        return Update(positions=[position]) | record_calls(participant.name, answer)

    return take_position
