"""The form in which a position is declared, and how it enters the record."""

from collections.abc import Callable
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic_core import PydanticCustomError

from ...prompts import term
from ...state.ballot import Unclear, first_fault
from ...state.fence import Fenced, one_line, said_lines
from ...state.positions import Position, Question
from ...state.positions.answer import shown
from ...state.positions.reading import read_position

Figure = Annotated[float, Field(allow_inf_nan=False)]


def _of_100(given: float) -> float:
    """A certainty as it is; raises `PydanticCustomError` for one between 0 and 1, which is a share, not of 100."""
    if 0 < given < 1:
        raise PydanticCustomError("share", "{given} is a share of 1; write it from 0 to 100", {"given": given})
    return given


Certainty = Annotated[float, Field(ge=0, le=100, description="certainty"), AfterValidator(_of_100)]
Stance = Literal["hold", "partly", "concede"]


class Declared(BaseModel):
    """What every form of a position has in common; its other fields are made for the question."""

    model_config = ConfigDict(extra="forbid")


def form(question: Question, *, certain: bool = True, stance: bool = False) -> type[BaseModel]:
    """The form of an answer to `question`; `certain`, `stance`: whether these are asked for as well."""
    return _form(tuple(question.signs), question.numeric, question.unit, certain, stance)


def fields_of(question: Question, *, certain: bool = True, stance: bool = False) -> dict[str, Any]:
    """The fields of that form, for one that asks for more."""
    return _fields(tuple(question.signs), question.numeric, question.unit, certain, stance)


@cache
def _form(signs: tuple[str, ...], numeric: bool, unit: str, certain: bool, stance: bool) -> type[BaseModel]:
    return create_model("PositionForm", __base__=Declared, **_fields(signs, numeric, unit, certain, stance))


def _fields(signs: tuple[str, ...], numeric: bool, unit: str, certain: bool, stance: bool) -> dict[str, Any]:
    fields: dict[str, Any] = {"answer": (Figure if numeric else Literal.__getitem__(signs), ...)}
    if unit:
        fields["unit"] = (Literal.__getitem__((unit,)), ...)
    if certain:
        fields["certainty"] = (Certainty, ...)
    if stance:
        fields["stance"] = (Stance, ...)
    return fields


def plainly(question: Question, *, certain: bool = True, stance: bool = False) -> Callable[[str], BaseModel]:
    """How a position in plain words is read. It raises `Unclear` for one that is none."""
    kind = form(question, certain=certain, stance=stance)

    def read(text: str) -> BaseModel:
        try:
            return kind.model_validate(read_position(text, question, certain=certain, stance=stance))
        except ValidationError as error:
            fault = error.errors(include_url=False, include_input=False)[0]
            raise Unclear(first_fault(error), flaw=fault) from error

    return read


def asked(question: Question, language: str, *, certain: bool = True, stance: str = "") -> Fenced:
    """What is asked for, a line each; `stance`: the phrase that asks for it, if one does."""
    about = "number" if question.numeric else "option" if question.texts else "side"
    unit = one_line(question.unit) or term(language, "positions", "no_unit")
    lines = [term(language, "positions", about, unit=unit)]
    lines += [str(said_lines(question.texts.items()))] if question.texts else []
    lines += [term(language, "positions", "certainty")] if certain else []
    lines += [term(language, "positions", stance)] if stance else []
    return Fenced("\n".join(lines))


def declared(value: BaseModel | None, question: Question, **place: Any) -> Position:
    """A filled-in form as it enters the record."""
    given = value.model_dump() if value else {}
    answer = given.pop("answer")
    number = float(answer) if question.numeric else None
    known = {key: given[key] for key in given.keys() & Position.model_fields.keys()}
    told = {key: one.strip() if isinstance(one, str) else one for key, one in known.items()}
    found = {"answer": answer if number is None else shown(number), "number": number, "unit": question.unit}
    return Position.model_validate(told | found | place)
