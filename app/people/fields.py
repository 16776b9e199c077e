"""The fields of a form, as its schema asks for them, and how what is entered is read: checked, and nothing guessed."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..display.wording import say

Schema = Mapping[str, Any]
Kind = Literal["only", "yes_no", "choice", "several", "marks", "number", "text", "group", "json"]
ABSTAIN = "abstain"
"""The field that makes the fields that may be empty superfluous; it is asked for first."""


class Misfit(ValueError):
    """What was entered does not fit its field; the message says what would."""


@dataclass(frozen=True)
class Field:
    """One field. `options`: what can be chosen; `form`: the schema of what is entered, of marks that of one mark.

    `may_be_none`: whether nothing need be given; `parts`: the fields of a group. `kind`: `only` has one option, which
    nobody is asked for; of `several` options the order counts; `marks` are a number for each option.
    """

    name: str
    kind: Kind
    form: Schema
    options: Sequence[Any] = ()
    may_be_none: bool = False
    parts: Sequence["Field"] = ()

    @property
    def least(self) -> int:
        """How many of several options are needed."""
        return int(self.form.get("minItems", 0))

    @property
    def shown(self) -> list[Any]:
        """The options that are numbered off; that none is chosen is not one of them."""
        return [one for one in self.options if one != ""]

    @property
    def may_be_empty(self) -> bool:
        """Whether none of the options need be chosen."""
        return self.may_be_none or "" in self.options

    def read(self, entered: str, language: str) -> Any:
        """What was entered: of options their numbers, from 1. Raises `Misfit`, in `language`."""
        return _READ[self.kind](self, entered.strip(), language)


def fields_of(schema: Schema) -> list[Field]:
    """The fields of a form, in the order of its schema."""
    return [_field(name, *_resolved(form, schema), schema) for name, form in schema["properties"].items()]


def filled(fields: Sequence[Field], value_of: Callable[[Field], Any]) -> dict[str, Any]:
    """The values of fields, by name; who abstains is not asked for what may be none."""
    given: dict[str, Any] = {}
    for one in sorted(fields, key=lambda field: field.name != ABSTAIN):
        given[one.name] = None if one.may_be_none and given.get(ABSTAIN) else value_of(one)
    return {one.name: given[one.name] for one in fields}


def _resolved(form: Schema, schema: Schema) -> tuple[Schema, bool]:
    """A field's form with what it refers to in its place, and whether it may be none."""
    if "$ref" in form:
        form = {**schema["$defs"][form["$ref"].rpartition("/")[2]], **form}
    choices = form.get("anyOf", [])
    some = [one for one in choices if one.get("type") != "null"]
    if len(some) == 1:
        return _resolved(some[0], schema)[0], len(some) < len(choices)
    return form, len(some) < len(choices)


def _field(name: str, form: Schema, may_be_none: bool, schema: Schema) -> Field:
    if options := _options(form):
        return Field(name, "only" if len(options) == 1 else "choice", form, options, may_be_none)
    kinds: dict[Any, Kind] = {"boolean": "yes_no", "number": "number", "integer": "number", "string": "text"}
    if kind := kinds.get(form.get("type")):
        return Field(name, kind, form, may_be_none=may_be_none)
    item = _resolved(form.get("items", {}), schema)[0]
    if options := _options(item):
        return Field(name, "several", form, options, may_be_none)
    marks = item.get("properties", {})
    if set(marks) == {"option", "score"}:
        return Field(name, "marks", marks["score"], _options(marks["option"]), may_be_none)
    if form.get("properties"):
        parts = fields_of({"properties": form["properties"], "$defs": schema.get("$defs", {})})
        return Field(name, "group", form, may_be_none=may_be_none, parts=parts)
    return Field(name, "json", form, may_be_none=may_be_none)


def _options(form: Schema) -> list[Any]:
    """What can be chosen, where it is one of a few."""
    return [form["const"]] if "const" in form else list(form.get("enum", []))


def _only(field: Field, entered: str, language: str) -> Any:
    return field.options[0]


def _yes_no(field: Field, entered: str, language: str) -> bool:
    return _place(entered, 2, language) == 0


def _choice(field: Field, entered: str, language: str) -> Any:
    if not entered and field.may_be_empty:
        return "" if "" in field.options else None
    return field.shown[_place(entered, len(field.shown), language)]


def _place(entered: str, count: int, language: str) -> int:
    if entered.isdecimal() and 1 <= int(entered) <= count:
        return int(entered) - 1
    raise Misfit(say(language, "seat.not_one", count=count))


def _several(field: Field, entered: str, language: str) -> list[Any]:
    parts = [one.strip() for one in entered.replace("，", ",").split(",") if one.strip()]
    places = [int(one) - 1 if one.isdecimal() else -1 for one in parts]
    fits = all(0 <= place < len(field.options) for place in places) and len(set(places)) == len(places)
    if not fits or len(places) < field.least:
        raise Misfit(say(language, "seat.not_several", count=len(field.options)))
    return [field.options[place] for place in places]


def _number(field: Field, entered: str, language: str) -> float | int:
    try:
        value = int(entered) if field.form["type"] == "integer" else float(entered)
    except ValueError:
        raise Misfit(say(language, "seat.not_number")) from None
    within = field.form.get("minimum", value) <= value <= field.form.get("maximum", value)
    if not math.isfinite(value) or not within:
        raise Misfit(say(language, "seat.not_number"))
    return value


def _text(field: Field, entered: str, language: str) -> str:
    if field.form.get("minLength") and not entered:
        raise Misfit(say(language, "seat.not_blank"))
    return entered


def _json(field: Field, entered: str, language: str) -> Any:
    try:
        return json.loads(entered)
    except json.JSONDecodeError as fault:
        raise Misfit(say(language, "seat.not_json", fault=fault.msg)) from None


_READ: dict[Kind, Callable[[Field, str, str], Any]] = {
    "only": _only,
    "yes_no": _yes_no,
    "choice": _choice,
    "several": _several,
    "marks": _number,
    "number": _number,
    "text": _text,
    "json": _json,
}
"""How what is entered is read; a group is entered part by part."""
