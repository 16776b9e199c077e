"""Node in which one expert estimates, and sees the group's feedback and its own last estimate."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, Field, create_model

from ...models import NoAnswerError
from ...prompts import Templates, get_term
from ...state import (
    AnswerField,
    AnswerForm,
    AnswerFormat,
    BranchInput,
    FencedText,
    LookupState,
    Participant,
    Statement,
    StrictModel,
    StrippedText,
    TurnState,
    Update,
    build_answer_format,
    get_participant_by_name,
    parse_numbers,
)
from ...state.delphi import DelphiSettings, DelphiUpdate, EstimatesState, ExpertEstimate
from ...storage import get_timestamp
from ..answer_forms import list_labels, make_answer_form, make_text_field
from ..ask import (
    build_participant_call,
    build_prompt,
    make_check,
    record_calls,
    with_answer_draw,
    with_lookups,
    with_turn,
)
from ..positions.position_form import (
    FiniteNumber,
    build_schema_fields,
    format_position_question,
    make_position,
    make_position_fields,
)
from ..statement import ask_with_citations
from .feedback_text import format_estimate

ESTIMATE_FIELDS = "name persona round ask own language"


class EstimatorState(TurnState, LookupState, EstimatesState):
    """Channels of the branch in which one expert estimates."""

    who: BranchInput[str]
    seat: BranchInput[int]


def build_estimate_schema(answer_format: AnswerFormat) -> type[BaseModel]:
    """Build the schema of an estimate: a number with two quantiles, or an option, plus a reason."""
    fields: dict[str, Any] = build_schema_fields(answer_format, has_certainty=False)
    if answer_format.is_numeric:
        fields |= {"low": (FiniteNumber, ...), "high": (FiniteNumber, ...)}
    reason_field = Field(min_length=1, max_length=2000, description="reason")
    return create_model("EstimateForm", __base__=StrictModel, **fields, reason=(StrippedText, reason_field))


def make_estimate_form(answer_format: AnswerFormat, language: str) -> AnswerForm:
    """Make the text form of an estimate: three numbers in order, or an option, plus a reason."""
    if answer_format.is_numeric:
        unit, parts = answer_format.unit, ["low", "answer", "high"]

        def parse(text: str) -> dict[str, object]:
            values: dict[str, object] = dict(zip(parts, parse_numbers(text, len(parts), unit), strict=True))
            return values | ({"unit": unit} if unit else {})

        answer_field = AnswerField(
            "answer", list_labels("estimate", language), parse, ["40, 55, 70"], is_complete=False
        )
    else:
        (position_field,) = make_position_fields(answer_format, language, has_certainty=False)
        answer_field = replace(position_field, labels=list_labels("estimate", language))
    return make_answer_form(language, answer_field, make_text_field("reason", "reason", language, is_required=True))


def estimate(templates: Templates) -> Callable[..., object]:
    """Build the node in which one expert estimates. Each expert has a branch."""

    async def estimate(state: EstimatorState, settings: DelphiSettings) -> Update:
        """Ask one expert for an estimate and its reason.

        Reads the task, floor, round, turn, record, lookups, estimates, and who and seat; writes estimates, positions,
        history, calls, lookups, incidents, view_limits.
        """
        expert = get_participant_by_name(state["participants"], state["who"])
        answer_format, turn = build_answer_format(settings), state["turn"] + state["seat"]
        language = expert.language or settings.language
        prompt = build_prompt(state, templates, "estimate", _collect_fields(state, expert, settings, language))
        prompt = replace(prompt, options=answer_format.option_texts).with_limit(state["view_limits"].get(expert.name))
        call = with_answer_draw(with_turn(build_participant_call(state, expert, "estimate"), turn, state["round"]))
        call = with_lookups(call, expert, state["lookups"])
        check = make_check(
            get_term(language, "again", "unordered"),
            lambda reply: answer_format.is_numeric and not reply.low <= reply.answer <= reply.high,
        )
        try:
            call = replace(
                call,
                schema=build_estimate_schema(answer_format),
                answer_form=make_estimate_form(answer_format, language),
                is_hidden=True,
            )
            answer, reason = await ask_with_citations(
                prompt,
                call,
                check,
                lambda answer: str(answer.value.model_dump()["reason"]) if answer.value else "",
                expert.name,
            )
        except NoAnswerError as failure:
            return record_calls(expert.name, failure)
        values = answer.value.model_dump() if answer.value else {}
        fields = {"who": expert.name, "round": state["round"], "turn": state["turn"] + len(state["floor"])}
        position = make_position(answer.value, build_answer_format(settings), **fields, position=reason)
        record = ExpertEstimate(
            round=state["round"],
            who=expert.name,
            answer=position.answer,
            number=position.number,
            low=values.get("low"),
            high=values.get("high"),
            unit=position.unit,
            reason=reason.strip(),
        )
        statement = Statement(
            turn=state["turn"] + state["seat"],
            round=state["round"],
            speaker=expert.name,
            content=f"{format_estimate(record, settings)}\n\n{record.reason}",
            at=get_timestamp(),
            tokens=answer.tokens,
        )
        update: Update = DelphiUpdate(estimates=[record])
        return (update | Update(positions=[position], history=[statement])) | record_calls(expert.name, answer)

    return estimate


def _collect_fields(
    state: EstimatorState, expert: Participant, settings: DelphiSettings, language: str
) -> dict[str, object]:
    answer_format = build_answer_format(settings)
    keys = (["quantiles"] if answer_format.is_numeric else []) + ["why"]
    tasks = [
        str(format_position_question(answer_format, language, has_certainty=False)),
        *(get_term(language, "delphi", key) for key in keys),
    ]
    previous_lines = [
        get_term(language, "delphi", "own", estimate=format_estimate(entry, settings), why=entry.reason)
        for entry in [estimate for estimate in state["estimates"] if estimate.who == expert.name][-1:]
    ]
    return {
        "name": expert.name,
        "persona": expert.persona,
        "round": state["round"],
        "ask": FencedText("\n".join(tasks)),
        "own": "".join(previous_lines),
        "language": language,
    }
