"""A form as a page shows it, and what was filled in there; its fields are those of a form at a terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from ....prompts import phrases
from ...people.fields import ABSTAIN, Field, Misfit, fields_of, filled
from ..words import saying

Posted = Mapping[str, Sequence[str]]
"""What a page sent, by the name of its field."""

MANY = 12
"""Options beyond which they are a list to choose from, and no longer side by side."""
UNORDERED = "approvals"
"""The field whose several options stand in no order."""


class Misfits(ValueError):
    """What does not fit, by the name of its field, in words."""

    def __init__(self, faults: Mapping[str, str]) -> None:
        super().__init__(" ".join(faults.values()))
        self.faults = faults


def fields(schema: Mapping[str, Any]) -> list[Field]:
    """The fields of a form as a page asks for them: the reason at the end."""
    return sorted(fields_of(schema), key=lambda one: one.name == "reason")


def label(name: str, language: str) -> str:
    """What a field is called."""
    known = name in phrases("web").keys("field")
    return saying(language)(f"field.{name}") if known else name.replace("_", " ")


def widget(field: Field) -> str:
    """How a field is filled in."""
    if field.name == ABSTAIN:
        return "tick"
    if field.kind == "several":
        return "boxes" if field.name == UNORDERED else "places"
    return "list" if field.kind == "choice" and len(field.options) > MANY else str(field.kind)


def value_of(schema: Mapping[str, Any], given: Posted, language: str) -> dict[str, Any]:
    """What was filled in, by field. Raises `Misfits`."""
    faults: dict[str, str] = {}
    found = filled(fields_of(schema), lambda field: _value(field, "", given, language, faults))
    if faults:
        raise Misfits(faults)
    return found


def _value(field: Field, before: str, given: Posted, language: str, faults: dict[str, str]) -> Any:
    name = before + field.name
    if field.kind == "group":
        return filled(field.parts, lambda part: _value(part, f"{name}.", given, language, faults))
    try:
        if field.kind == "marks":
            marks = [field.read(_first(given, f"{name}.{place}"), language) for place in _places(field)]
            return [{"option": one, "score": mark} for one, mark in zip(field.options, marks, strict=True)]
        return field.read(_entered(field, name, given, language), language)
    except Misfit as misfit:
        faults[name] = saying(language)("seat.choose") if field.kind in ("yes_no", "choice") else str(misfit)


def _entered(field: Field, name: str, given: Posted, language: str) -> str:
    """What would have been typed at a terminal."""
    match widget(field):
        case "tick":
            return _first(given, name) or "2"
        case "boxes":
            return ",".join(given.get(name, []))
        case "places":
            found = [(_first(given, f"{name}.{place}"), place) for place in _places(field)]
            ranked = sorted((int(rank), place) for rank, place in found if rank.isdecimal())
            if len({rank for rank, _ in ranked}) < len(ranked) or len(ranked) < field.least:
                raise Misfit(saying(language)("seat.places", count=field.least))
            return ",".join(str(place) for _, place in ranked)
    return _first(given, name)


def _places(field: Field) -> range:
    return range(1, len(field.options) + 1)


def _first(given: Posted, name: str) -> str:
    return next(iter(given.get(name, [])), "").replace("\r\n", "\n")
