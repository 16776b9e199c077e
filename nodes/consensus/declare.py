"""Node in which each participant declares its position in reply to one schema-bound question.

All are asked at the same time.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from ...models.failures import NoAnswerError
from ...prompts import Templates, join_words
from ...state.channel_requirements import BranchInput
from ...state.deliberation import TurnState
from ...state.fence import FencedText
from ...state.positions import AnswerFormat, Position, PositionSettings, build_answer_format
from ...state.schemas import Update
from ...state.statement import Participant, list_names
from ..ask import build_participant_call, with_turn
from ..ask.ask_with_retries import Answer, ask
from ..ask.call_records import record_calls
from ..ask.prompt import Prompt, build_prompt
from ..positions.form import build_position_fields, format_position_question, make_position

DECLARATION_FIELDS = "name others persona round language ask"
"""Fields that the template may use."""


class Declaration(BaseModel):
    """Declaration of a participant."""

    model_config = ConfigDict(extra="forbid")

    position: str = Field(min_length=1, max_length=2000, description="position")
    agreement: float = Field(ge=0, le=1, description="agreement")
    objection: str = Field(max_length=2000, description="own_objection")
    moved_by: str = Field(description="moved_by")


@cache
def build_declaration_schema(*other_names: str) -> type[Declaration]:
    """Build the schema of a declaration, in which the participant can name only `other_names`."""
    names_type: Any = Literal.__getitem__(("", *other_names))
    info = Declaration.model_fields["moved_by"]
    return create_model("Declaration", __base__=Declaration, moved_by=(names_type, Field(description=info.description)))


def build_answer_schema(question: AnswerFormat, *other_names: str) -> type[Declaration]:
    """Build the declaration with two more fields: the answer to the run's `question`, and its certainty."""
    return create_model(
        "Declaration", __base__=build_declaration_schema(*other_names), **build_position_fields(question)
    )


class DeclarationState(TurnState):
    """State of the branch of one participant."""

    who: BranchInput[str]


def declare(templates: Templates) -> Callable[..., object]:
    """Build the node in which one participant declares its position; one branch per participant."""

    async def declare(state: DeclarationState, settings: PositionSettings) -> Update:
        """Ask one participant for its position, and for its answer if each round asks for one.

        Reads what was given, round, turn, record, view_limits, and who is asked; writes positions, calls,
        incidents, view_limits.
        """
        participant = next(member for member in state["participants"] if member.name == state["who"])
        other_names = [name for name in list_names(state["participants"]) if name != participant.name]
        question = build_answer_format(settings) if settings.positions == "rounds" else None
        schema = build_answer_schema(question, *other_names) if question else build_declaration_schema(*other_names)
        call = with_turn(build_participant_call(state, participant, "position"), state["turn"], state["round"])
        call = replace(call, schema=schema, hidden=True, temperature=0.0)
        try:
            answer = await ask(_build_declaration_prompt(state, templates, participant, other_names, question), call)
        except NoAnswerError as failure:
            return record_calls(participant.name, failure.with_consequence("no position"))
        position_fields = {"who": participant.name, "round": state["round"], "turn": state["turn"]}
        update: Update = Update(positions=[make_declared_position(answer, question, **position_fields)])
        return update | record_calls(participant.name, answer)

    return declare


def _build_declaration_prompt(
    state: DeclarationState,
    templates: Templates,
    participant: Participant,
    other_names: list[str],
    question: AnswerFormat | None,
) -> Prompt:
    """Build the prompt: the whole record, and the question for this participant's position."""
    language = participant.language or state["settings"].language
    values = {
        "name": participant.name,
        "others": join_words(language, other_names),
        "persona": participant.persona,
        "round": state["round"],
        "ask": FencedText(f"{format_position_question(question, language)}\n") if question else "",
        "language": language,
    }
    prompt = replace(build_prompt(state, templates, "declare", values), history=state["history"])
    return prompt.with_limit(state["view_limits"].get(participant.name))


def make_declared_position(answer: Answer, question: AnswerFormat | None, **position_fields: Any) -> Position:
    """Make the position as it enters the record."""
    reply = answer.value
    assert isinstance(reply, Declaration)
    if question:
        return make_position(reply, question, **position_fields)
    fields = {key: value.strip() if isinstance(value, str) else value for key, value in reply.model_dump().items()}
    return Position.model_validate({**fields, **position_fields})
