"""Fields of a form, derived from its JSON schema, and the parsers of their entries."""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..display.wording import translate_display_phrase
from ..schema_fields import Schema, SchemaField, list_choices, list_schema_fields

FieldKind = Literal["only", "yes_no", "choice", "several", "marks", "number", "text", "group", "json"]
ABSTAIN_FIELD = "abstain"
"""Name of the field of an abstention. It comes first; an abstention needs no optional fields."""


class InvalidEntryError(ValueError):
    """Error of an entry that does not fit its field. The message describes a valid entry."""


@dataclass(frozen=True)
class EntryField:
    """One field of a form.

    `options`: possible choices. `schema`: JSON schema of the entry; for `marks`, of one mark. `parts`: fields of a
    group.
    `kind`: a field `only` has one option and needs no entry. `several` takes options in order. `marks` takes a number
    for
    each option.
    """

    name: str
    kind: FieldKind
    schema: Schema
    options: Sequence[Any] = ()
    may_be_none: bool = False
    parts: Sequence["EntryField"] = ()

    @property
    def min_options(self) -> int:
        """Smallest number of options to choose."""
        return int(self.schema.get("minItems", 0))

    @property
    def choices(self) -> list[Any]:
        """Numbered options, without the empty option."""
        return [option for option in self.options if option != ""]

    @property
    def may_be_empty(self) -> bool:
        """Return whether the field may stay without a choice."""
        return self.may_be_none or "" in self.options

    def parse_entry(self, entry: str, language: str) -> Any:
        """Parse an entry. Options are entered by number, from 1. Raises `InvalidEntryError` in `language`."""
        return _PARSERS[self.kind](self, entry.strip(), language)


def list_fields(schema: Schema) -> list[EntryField]:
    """List the fields of a form in the order of its schema."""
    return [_make_field(field) for field in list_schema_fields(schema)]


def collect_values(fields: Sequence[EntryField], get_value: Callable[[EntryField], Any]) -> dict[str, Any]:
    """Collect the values of fields by name. After an abstention the optional fields are `None`."""
    values: dict[str, Any] = {}
    for entry_field in sorted(fields, key=lambda field: field.name != ABSTAIN_FIELD):
        values[entry_field.name] = (
            None if entry_field.may_be_none and values.get(ABSTAIN_FIELD) else get_value(entry_field)
        )
    return {entry_field.name: values[entry_field.name] for entry_field in fields}


def _make_field(field: SchemaField) -> EntryField:
    schema, choices = field.schema, field.choices
    kinds: dict[Any, FieldKind] = {"boolean": "yes_no", "number": "number", "integer": "number", "string": "text"}
    kind = kinds.get(schema.get("type"), "json")
    mark_schemas = field.item.schema.get("properties", {})
    if choices:
        kind = "only" if len(choices) == 1 else "choice"
    elif kind == "json" and field.item.choices:
        kind, choices = "several", field.item.choices
    elif kind == "json" and set(mark_schemas) == {"option", "score"}:
        kind, schema, choices = "marks", mark_schemas["score"], list_choices(mark_schemas["option"])
    elif kind == "json" and schema.get("properties"):
        parts = [_make_field(part) for part in field.parts]
        return EntryField(field.name, "group", schema, may_be_none=field.may_be_none, parts=parts)
    return EntryField(field.name, kind, schema, choices, field.may_be_none)


def _get_only_option(field: EntryField, entry: str, language: str) -> Any:
    return field.options[0]


def _parse_yes_no(field: EntryField, entry: str, language: str) -> bool:
    return _parse_option_index(entry, 2, language) == 0


def _parse_choice(field: EntryField, entry: str, language: str) -> Any:
    if not entry and field.may_be_empty:
        return "" if "" in field.options else None
    return field.choices[_parse_option_index(entry, len(field.choices), language)]


def _parse_option_index(entry: str, count: int, language: str) -> int:
    if entry.isdecimal() and 1 <= int(entry) <= count:
        return int(entry) - 1
    raise InvalidEntryError(translate_display_phrase(language, "seat.not_one", count=count))


def _parse_option_list(field: EntryField, entry: str, language: str) -> list[Any]:
    parts = [part.strip() for part in entry.replace("，", ",").split(",") if part.strip()]
    indexes = [int(part) - 1 if part.isdecimal() else -1 for part in parts]
    is_valid = all(0 <= index < len(field.options) for index in indexes) and len(set(indexes)) == len(indexes)
    if not is_valid or len(indexes) < field.min_options:
        raise InvalidEntryError(translate_display_phrase(language, "seat.not_several", count=len(field.options)))
    return [field.options[index] for index in indexes]


def _parse_bounded_number(field: EntryField, entry: str, language: str) -> float | int:
    try:
        value = int(entry) if field.schema["type"] == "integer" else float(entry)
    except ValueError:
        raise InvalidEntryError(translate_display_phrase(language, "seat.not_number")) from None
    is_in_bounds = field.schema.get("minimum", value) <= value <= field.schema.get("maximum", value)
    if not math.isfinite(value) or not is_in_bounds:
        raise InvalidEntryError(translate_display_phrase(language, "seat.not_number"))
    return value


def _parse_text(field: EntryField, entry: str, language: str) -> str:
    if field.schema.get("minLength") and not entry:
        raise InvalidEntryError(translate_display_phrase(language, "seat.not_blank"))
    return entry


def _parse_json(field: EntryField, entry: str, language: str) -> Any:
    try:
        return json.loads(entry)
    except json.JSONDecodeError as error:
        raise InvalidEntryError(translate_display_phrase(language, "seat.not_json", fault=error.msg)) from None


_PARSERS: dict[FieldKind, Callable[[EntryField, str, str], Any]] = {
    "only": _get_only_option,
    "yes_no": _parse_yes_no,
    "choice": _parse_choice,
    "several": _parse_option_list,
    "marks": _parse_bounded_number,
    "number": _parse_bounded_number,
    "text": _parse_text,
    "json": _parse_json,
}
"""Parser of each kind of field. A group is parsed part by part."""
