"""Form for declaring a position, and the resulting record."""

from functools import cache
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, Field, create_model
from pydantic_core import PydanticCustomError

from ...prompts import get_term
from ...state import (
    POSITION_SIDES,
    AnswerField,
    AnswerFormat,
    FencedText,
    Position,
    StrictModel,
    append_unit,
    format_number,
    index_options,
    neutralize_line,
    parse_number,
    parse_word,
    quote_lines,
)
from ..answer_forms import list_labels, make_word_field

FiniteNumber = Annotated[float, Field(allow_inf_nan=False)]


def _check_certainty(certainty: object) -> object:
    """Return `certainty` unchanged. A certainty is a percentage.

    Raises `PydanticCustomError` for a share between 0 and 1, such as 1.0.
    """
    if isinstance(certainty, float) and 0 < certainty <= 1:
        raise PydanticCustomError(
            "share", "{given} looks like a share of 1; write a number from 0 to 100", {"given": certainty}
        )
    return certainty


Certainty = Annotated[float, Field(ge=0, le=100, description="certainty"), BeforeValidator(_check_certainty)]
Stance = Literal["hold", "partly", "concede"]


def build_position_schema(
    question: AnswerFormat, *, has_certainty: bool = True, has_stance: bool = False
) -> type[BaseModel]:
    """Build the form of an answer to `question`, with a certainty and a stance if required."""
    return _build_schema(tuple(question.signs), question.is_numeric, question.unit, has_certainty, has_stance)


def build_schema_fields(
    question: AnswerFormat, *, has_certainty: bool = True, has_stance: bool = False
) -> dict[str, Any]:
    """Return the fields of a position by name, for a pydantic model with additional fields."""
    answer_type = FiniteNumber if question.is_numeric else Literal.__getitem__(tuple(question.signs))
    fields: dict[str, Any] = {"answer": (answer_type, ...)}
    if question.unit:
        fields["unit"] = (Literal.__getitem__((question.unit,)), ...)
    if has_certainty:
        fields["certainty"] = (Certainty, ...)
    if has_stance:
        fields["stance"] = (Stance, ...)
    return fields


@cache
def _build_schema(
    signs: tuple[str, ...], numeric: bool, unit: str, has_certainty: bool, has_stance: bool
) -> type[BaseModel]:
    fields = build_schema_fields(
        AnswerFormat(signs, is_numeric=numeric, unit=unit), has_certainty=has_certainty, has_stance=has_stance
    )
    return create_model("PositionForm", __base__=StrictModel, **fields)


def make_position_fields(
    question: AnswerFormat, language: str, *, has_certainty: bool = True, has_stance: bool = False
) -> list[AnswerField]:
    """Return the labelled lines in which a text reply states a position."""
    fields = [_make_answer_field(question, language)]
    if has_certainty:
        certainty_field = AnswerField(
            "certainty",
            list_labels("certainty", language),
            lambda text: parse_number(text, "%"),
            ["0", "100"],
            is_complete=False,
        )
        fields.append(certainty_field)
    if has_stance:
        fields.append(make_word_field("stance", "stance", language, {word: word for word in get_args(Stance)}))
    return fields


def _make_answer_field(question: AnswerFormat, language: str) -> AnswerField:
    if question.is_numeric:
        unit = {"unit": question.unit} if question.unit else {}
        return AnswerField(
            "answer",
            list_labels("answer", language),
            lambda text: {"answer": parse_number(text, question.unit), **unit},
            [append_unit("…", question.unit)],
        )
    if question.signs == POSITION_SIDES:
        return make_word_field("answer", "answer", language, {side: side for side in POSITION_SIDES})
    signs = index_options(question.option_texts or question.signs)
    return AnswerField(
        "answer", list_labels("answer", language), lambda text: parse_word(text, signs), list(question.signs)
    )


def format_position_question(
    question: AnswerFormat, language: str, *, has_certainty: bool = True, stance_key: str = ""
) -> FencedText:
    """Format the question about a position, with one line for each part.

    `stance_key`: key of the phrase that asks for a stance, or empty.
    """
    key = "number" if question.is_numeric else "option" if question.option_texts else "side"
    unit = neutralize_line(question.unit) or get_term(language, "positions", "no_unit")
    lines = [get_term(language, "positions", key, unit=unit)]
    lines += [str(quote_lines(question.option_texts.items()))] if question.option_texts else []
    lines += [get_term(language, "positions", "certainty")] if has_certainty else []
    lines += [get_term(language, "positions", stance_key)] if stance_key else []
    return FencedText("\n".join(lines))


def make_position(value: BaseModel | None, question: AnswerFormat | None, **position_fields: Any) -> Position:
    """Make the record of a position from a completed form.

    `question`: `None` if the form does not ask the run's question. `position_fields`: fields of `Position` that the
    form does not contain, such as `who` and `turn`.
    """
    reply = value.model_dump() if value else {}
    fields = {
        key: field_value.strip() if isinstance(field_value, str) else field_value
        for key, field_value in reply.items()
        if key in Position.model_fields
    }
    if question:
        number = float(reply["answer"]) if question.is_numeric else None
        answer = reply["answer"] if number is None else format_number(number)
        fields |= {"answer": answer, "number": number, "unit": question.unit}
    return Position.model_validate(fields | position_fields)
