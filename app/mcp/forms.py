"""A form as a client shows one: flat, with texts, numbers and choices; and what was entered, as the form it stands for.

A list becomes a field for each of its places, a list of marks a field for each option, a form within it its own fields,
anything else a text in JSON.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ..people.fields import Field, Schema, fields_of, filled

Content = Mapping[str, Any]

BOUNDED = ("type", "minimum", "maximum")
PLAIN = (*BOUNDED, "title", "description", "minLength", "maxLength")
"""What a client is told of a field."""

TEXT = "answer"
"""The one field where a text is asked for."""


def flat(schema: Schema | None, title: str) -> dict[str, Any]:
    """The form that is shown. `schema`: none where a text is asked for; `title`: what that text is called."""
    if schema is None:
        shown: dict[str, Any] = {TEXT: {"type": "string", "title": title, "minLength": 1}}
        return {"type": "object", "properties": shown, "required": [TEXT]}
    told = [each for field in fields_of(schema) for each in _shown(field, field.name)]
    shown = {key: {**form, "title": form.get("title", key)} for key, form, _ in told}
    return {"type": "object", "properties": shown, "required": [key for key, _, needed in told if needed]}


def _shown(field: Field, name: str) -> Iterator[tuple[str, dict[str, Any], bool]]:
    """The fields that stand for one of the form, and whether each has to be filled in."""
    needed = not field.may_be_none
    match field.kind:
        case "only":
            return
        case "choice":
            yield name, {"type": "string", "enum": field.shown}, not field.may_be_empty
        case "yes_no" | "number" | "text":
            form = {key: field.form[key] for key in PLAIN if key in field.form}
            yield name, form, needed and (field.kind != "text" or "minLength" in form)
        case "several":
            for place in range(1, len(field.options) + 1):
                yield f"{name}_{place}", {"type": "string", "enum": field.options}, needed and place <= field.least
        case "marks":
            for one in field.options:
                yield f"{name}_{one}", {key: field.form[key] for key in BOUNDED if key in field.form}, needed
        case "group":
            for part in field.parts:
                yield from _shown(part, f"{name}_{part.name}")
        case "json":
            yield name, {"type": "string", "title": f"{name} (JSON)"}, needed


def entered(schema: Schema | None, content: Content) -> Any:
    """The answer that was entered in the form shown; what does not fit is left for whoever asked to say."""
    if schema is None:
        return str(content.get(TEXT, ""))
    return filled(fields_of(schema), lambda field: _value(field, field.name, content))


def _value(field: Field, name: str, content: Content) -> Any:
    match field.kind:
        case "only":
            return field.options[0]
        case "several":
            given = [content.get(f"{name}_{place}") for place in range(1, len(field.options) + 1)]
            return [one for one in given if one]
        case "marks":
            marks = {one: content.get(f"{name}_{one}") for one in field.options}
            return [{"option": one, "score": score} for one, score in marks.items() if score is not None]
        case "group":
            return filled(field.parts, lambda part: _value(part, f"{name}_{part.name}", content))
        case "json":
            return _read(content.get(name, ""))
    return content.get(name, None if field.may_be_none or field.form.get("type") != "string" else "")


def _read(text: Any) -> Any:
    """A text in JSON; as it is where it is none."""
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return text
