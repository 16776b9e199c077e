"""Answer form on a page, with the same fields as the form at the terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...people import ABSTAIN_FIELD, EntryField, InvalidEntryError, OpenQuestion, collect_values, list_fields
from ..rendering import make_translator

PostedForm = Mapping[str, Sequence[str]]
"""Values that a page sent, by field name."""


class InvalidFormError(ValueError):
    """Error for a submitted form. It contains the faults in words, by field name."""

    def __init__(self, faults: Mapping[str, str]) -> None:
        super().__init__(" ".join(faults.values()))
        self.faults = faults


def get_widget(field: EntryField) -> str:
    """Return the kind of input for a field."""
    if field.name == ABSTAIN_FIELD:
        return "tick"
    if field.kind == "several":
        return "boxes" if field.name == "approvals" else "places"
    if field.ends:
        return "scale"
    return "list" if field.kind == "choice" and len(field.options) > 12 else str(field.kind)


def describe_answer(question: OpenQuestion, value: Any) -> list[str]:
    """Describe a sent answer in words, a line for each field with an entry."""
    if not isinstance(value, dict) or not question["schema"]:
        return [value] if isinstance(value, str) else []
    lines = []
    for field in list_fields(question["schema"], question["language"], question["options"]):
        entry = value.get(field.name)
        entries = entry if isinstance(entry, list) else list(entry.values()) if isinstance(entry, dict) else [entry]
        texts = [
            f"{field.get_option_text(part['option'])}: {part['score']}"
            if isinstance(part, dict)
            else field.get_option_text(part)
            for part in entries
            if part not in (None, "", True, False)
        ]
        lines += [f"{field.label} {', '.join(texts)}"] if texts else []
        lines += [field.label] if entry is True else []
    return lines


def parse_form(schema: Mapping[str, Any], posted_form: PostedForm, language: str) -> dict[str, Any]:
    """Parse a submitted form into values by field name. Raises `InvalidFormError`."""
    faults: dict[str, str] = {}
    values = collect_values(list_fields(schema), lambda field: _parse_field(field, "", posted_form, language, faults))
    if faults:
        raise InvalidFormError(faults)
    return values


def _parse_field(field: EntryField, prefix: str, posted_form: PostedForm, language: str, faults: dict[str, str]) -> Any:
    name = prefix + field.name
    if field.kind == "group":
        return collect_values(field.parts, lambda part: _parse_field(part, f"{name}.", posted_form, language, faults))
    try:
        if field.kind == "marks":
            entries = [get_first_value(posted_form, f"{name}.{number}") for number in range(1, len(field.options) + 1)]
            return [
                {"option": option, "score": field.parse_entry(entry, language)}
                for option, entry in zip(field.options, entries, strict=True)
            ]
        entry = _build_entry(field, name, posted_form, language)
        is_none = field.kind == "several" and not entry and not field.min_options
        return [] if is_none else field.parse_entry(entry, language)
    except InvalidEntryError as error:
        faults[name] = make_translator(language)("seat.choose") if field.kind in ("yes_no", "choice") else str(error)


def _build_entry(field: EntryField, name: str, posted_form: PostedForm, language: str) -> str:
    match get_widget(field):
        case "tick":
            return get_first_value(posted_form, name) or "2"
        case "boxes":
            return ",".join(_convert_to_entry(field, number) for number in posted_form.get(name, []))
        case "places":
            ranks = [
                (get_first_value(posted_form, f"{name}.{number}"), number)
                for number in range(1, len(field.options) + 1)
            ]
            ranked_numbers = sorted((int(rank), number) for rank, number in ranks if rank.isdecimal())
            if (
                len({rank for rank, _ in ranked_numbers}) < len(ranked_numbers)
                or len(ranked_numbers) < field.min_options
            ):
                raise InvalidEntryError(make_translator(language)("seat.places", count=field.min_options))
            return ",".join(_convert_to_entry(field, str(number)) for _, number in ranked_numbers)
    return _convert_to_entry(field, get_first_value(posted_form, name))


def _convert_to_entry(field: EntryField, position: str) -> str:
    """Return the entry for an option by its position on the page, from 1."""
    is_option = position.isdecimal() and 0 < int(position) <= len(field.choices)
    return position if field.has_positions or not is_option else str(field.choices[int(position) - 1])


def get_first_value(posted_form: PostedForm, name: str) -> str:
    """Return the first value of a field, or an empty text."""
    return next(iter(posted_form.get(name, [])), "").replace("\r\n", "\n")
