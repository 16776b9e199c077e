"""Form in which a position is declared, and its entry in the record."""

from collections.abc import Callable
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic_core import PydanticCustomError

from ...prompts import get_term
from ...state.ballot import UnclearAnswerError, first_fault
from ...state.fence import FencedText, neutralize_line, quote_lines
from ...state.positions import AnswerFormat, Position, format_number
from ...state.positions.parser import parse_position

FiniteNumber = Annotated[float, Field(allow_inf_nan=False)]


def _check_certainty(certainty: float) -> float:
    """Return a certainty unchanged. Raises `PydanticCustomError` between 0 and 1: that is a share, not a percentage."""
    if 0 < certainty < 1:
        raise PydanticCustomError("share", "{given} is a share of 1; write it from 0 to 100", {"given": certainty})
    return certainty


Certainty = Annotated[float, Field(ge=0, le=100, description="certainty"), AfterValidator(_check_certainty)]
Stance = Literal["hold", "partly", "concede"]


class BasePositionForm(BaseModel):
    """Base of every form of a position; the other fields depend on the question."""

    model_config = ConfigDict(extra="forbid")


def build_position_form(
    question: AnswerFormat, *, has_certainty: bool = True, has_stance: bool = False
) -> type[BaseModel]:
    """Build the form of an answer to `question`. `has_certainty`, `has_stance`: further fields of the form."""
    return _build_form(tuple(question.signs), question.is_numeric, question.unit, has_certainty, has_stance)


def build_position_fields(
    question: AnswerFormat, *, has_certainty: bool = True, has_stance: bool = False
) -> dict[str, Any]:
    """Build the fields of a position, for a form with further fields."""
    return _build_fields(tuple(question.signs), question.is_numeric, question.unit, has_certainty, has_stance)


@cache
def _build_form(
    signs: tuple[str, ...], numeric: bool, unit: str, has_certainty: bool, has_stance: bool
) -> type[BaseModel]:
    return create_model(
        "PositionForm", __base__=BasePositionForm, **_build_fields(signs, numeric, unit, has_certainty, has_stance)
    )


def _build_fields(
    signs: tuple[str, ...], numeric: bool, unit: str, has_certainty: bool, has_stance: bool
) -> dict[str, Any]:
    fields: dict[str, Any] = {"answer": (FiniteNumber if numeric else Literal.__getitem__(signs), ...)}
    if unit:
        fields["unit"] = (Literal.__getitem__((unit,)), ...)
    if has_certainty:
        fields["certainty"] = (Certainty, ...)
    if has_stance:
        fields["stance"] = (Stance, ...)
    return fields


def make_plain_parser(
    question: AnswerFormat, *, has_certainty: bool = True, has_stance: bool = False
) -> Callable[[str], BaseModel]:
    """Make the parser of a plain position. It raises `UnclearAnswerError` for any other text."""
    schema = build_position_form(question, has_certainty=has_certainty, has_stance=has_stance)

    def parse_plain(text: str) -> BaseModel:
        try:
            return schema.model_validate(
                parse_position(text, question, needs_certainty=has_certainty, needs_stance=has_stance)
            )
        except ValidationError as error:
            fault = error.errors(include_url=False, include_input=False)[0]
            raise UnclearAnswerError(first_fault(error), flaw=fault) from error

    return parse_plain


def format_position_question(
    question: AnswerFormat, language: str, *, has_certainty: bool = True, stance_key: str = ""
) -> FencedText:
    """Format the question for a position, one line for each part.

    `stance_key`: key of the phrase that asks for a stance, or empty.
    """
    key = "number" if question.is_numeric else "option" if question.texts else "side"
    unit = neutralize_line(question.unit) or get_term(language, "positions", "no_unit")
    lines = [get_term(language, "positions", key, unit=unit)]
    lines += [str(quote_lines(question.texts.items()))] if question.texts else []
    lines += [get_term(language, "positions", "certainty")] if has_certainty else []
    lines += [get_term(language, "positions", stance_key)] if stance_key else []
    return FencedText("\n".join(lines))


def make_position(value: BaseModel | None, question: AnswerFormat, **position_fields: Any) -> Position:
    """Make the position of a completed form as it enters the record."""
    reply = value.model_dump() if value else {}
    answer = reply.pop("answer")
    number = float(answer) if question.is_numeric else None
    fields = {key: reply[key] for key in reply.keys() & Position.model_fields.keys()}
    stripped_fields = {
        key: field_value.strip() if isinstance(field_value, str) else field_value for key, field_value in fields.items()
    }
    answer_fields = {
        "answer": answer if number is None else format_number(number),
        "number": number,
        "unit": question.unit,
    }
    return Position.model_validate(stripped_fields | answer_fields | position_fields)
