"""Answer form of a page; its fields are those of a form at a terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from ....prompts import load_phrases
from ...people.fields import ABSTAIN_FIELD, EntryField, InvalidEntryError, collect_values, list_fields
from ..rendering import make_translator

PostedForm = Mapping[str, Sequence[str]]
"""Values that a page sent, by field name."""

LIST_THRESHOLD = 12
"""Largest number of options that stand side by side; more options become a list to choose from."""
UNORDERED_FIELD = "approvals"
"""Name of the field of several options that have no order."""


class InvalidFormError(ValueError):
    """Faults of a filled form, in words, by field name."""

    def __init__(self, faults: Mapping[str, str]) -> None:
        super().__init__(" ".join(faults.values()))
        self.faults = faults


def list_page_fields(schema: Mapping[str, Any]) -> list[EntryField]:
    """List the fields of a form in the order of a page: the reason comes last."""
    return sorted(list_fields(schema), key=lambda field: field.name == "reason")


def get_label(name: str, language: str) -> str:
    """Return the label of a field."""
    is_known = name in load_phrases("web").list_keys("field")
    return make_translator(language)(f"field.{name}") if is_known else name.replace("_", " ")


def get_widget(field: EntryField) -> str:
    """Return the kind of input that a field is filled in with."""
    if field.name == ABSTAIN_FIELD:
        return "tick"
    if field.kind == "several":
        return "boxes" if field.name == UNORDERED_FIELD else "places"
    return "list" if field.kind == "choice" and len(field.options) > LIST_THRESHOLD else str(field.kind)


def parse_form(schema: Mapping[str, Any], posted: PostedForm, language: str) -> dict[str, Any]:
    """Parse the values of a filled form by field. Raises `InvalidFormError`."""
    faults: dict[str, str] = {}
    values = collect_values(list_fields(schema), lambda field: _parse_field(field, "", posted, language, faults))
    if faults:
        raise InvalidFormError(faults)
    return values


def _parse_field(field: EntryField, prefix: str, posted: PostedForm, language: str, faults: dict[str, str]) -> Any:
    name = prefix + field.name
    if field.kind == "group":
        return collect_values(field.parts, lambda part: _parse_field(part, f"{name}.", posted, language, faults))
    try:
        if field.kind == "marks":
            marks = [
                field.parse_entry(_get_first(posted, f"{name}.{number}"), language)
                for number in _list_option_numbers(field)
            ]
            return [{"option": option, "score": mark} for option, mark in zip(field.options, marks, strict=True)]
        return field.parse_entry(_build_entry(field, name, posted, language), language)
    except InvalidEntryError as error:
        faults[name] = make_translator(language)("seat.choose") if field.kind in ("yes_no", "choice") else str(error)


def _build_entry(field: EntryField, name: str, posted: PostedForm, language: str) -> str:
    """Return the text that a person would type at a terminal."""
    match get_widget(field):
        case "tick":
            return _get_first(posted, name) or "2"
        case "boxes":
            return ",".join(posted.get(name, []))
        case "places":
            ranks = [(_get_first(posted, f"{name}.{number}"), number) for number in _list_option_numbers(field)]
            ranked = sorted((int(rank), number) for rank, number in ranks if rank.isdecimal())
            if len({rank for rank, _ in ranked}) < len(ranked) or len(ranked) < field.min_options:
                raise InvalidEntryError(make_translator(language)("seat.places", count=field.min_options))
            return ",".join(str(number) for _, number in ranked)
    return _get_first(posted, name)


def _list_option_numbers(field: EntryField) -> range:
    return range(1, len(field.options) + 1)


def _get_first(posted: PostedForm, name: str) -> str:
    return next(iter(posted.get(name, [])), "").replace("\r\n", "\n")
