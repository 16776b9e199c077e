"""Node in which one member answers without seeing the other members' answers."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from pydantic import create_model

from ...models import NoAnswerError
from ...prompts import Templates
from ...state import AnswerFormat, FencedText, Update, build_answer_format, get_participant_by_name
from ...state.council import CouncilSettings, SeatedMemberState
from ..ask import build_participant_call, build_prompt, estimate_words, record_calls, with_lookups, with_turn
from ..positions.position_form import build_schema_fields, format_position_question, make_position
from ..statement import StatementReply, ask_for_cited_statement

ANSWER_FIELDS = "name persona ask words language"


@cache
def build_answer_schema(*signs: str, numeric: bool, unit: str) -> type[StatementReply]:
    """Build the schema of a member's reply: a statement, an answer and a certainty.

    `signs`: the possible answers. `numeric`: whether the answer is a number instead, in `unit`.
    """
    return create_model(
        "AnswerForm",
        __base__=StatementReply,
        **build_schema_fields(AnswerFormat(signs, is_numeric=numeric, unit=unit)),
    )


def answer(templates: Templates) -> Callable[..., object]:
    """Build the node in which one member answers. Each member has a branch."""

    async def answer(state: SeatedMemberState, settings: CouncilSettings) -> Update:
        """Ask one member for its answer, and for an option or a number if the settings require one.

        Reads the task, floor, round, turn, record, lookups, view_limits, and who and seat; writes history, positions,
        calls, lookups, incidents, view_limits.
        """
        member = get_participant_by_name(state["participants"], state["who"])
        answer_format = None if settings.answer == "none" else build_answer_format(settings)
        language = member.language or state["settings"].language
        values = {
            "name": member.name,
            "persona": member.persona,
            "ask": FencedText(f"\n{format_position_question(answer_format, language)}") if answer_format else "",
            "words": estimate_words(state["settings"].max_tokens_per_turn, language),
            "language": language,
        }
        prompt = build_prompt(state, templates, "answer", values).with_limit(state["view_limits"].get(member.name))
        prompt = replace(prompt, options=answer_format.option_texts if answer_format else {})
        call = with_turn(build_participant_call(state, member), state["turn"] + state["seat"], state["round"])
        call = with_lookups(call, member, state["lookups"])
        if answer_format:
            schema = build_answer_schema(
                *answer_format.signs, numeric=answer_format.is_numeric, unit=answer_format.unit
            )
            call = replace(call, schema=schema)
        try:
            answer, statement = await ask_for_cited_statement(prompt, call, member, settings)
        except NoAnswerError as failure:
            return record_calls(member.name, failure)
        update = Update(history=[statement]) | record_calls(member.name, answer)
        if answer_format:
            fields: dict[str, Any] = {"who": member.name, "when": "after", "round": state["round"]}
            update["positions"] = [
                make_position(answer.value, answer_format, **fields, turn=state["turn"] + len(state["floor"]))
            ]
        return update

    return answer
