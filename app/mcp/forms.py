"""A form as a client shows one: flat, with texts, numbers and choices; and what was entered, as the form it stands for.

A list becomes a field for each of its places, a list of marks a field for each option, anything deeper a text in JSON.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ..people.fields import ABSTAIN, options_of, resolved

Schema = Mapping[str, Any]
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
    shown, required = {}, list[str]()
    for name, form in schema["properties"].items():
        found, may_be_none = resolved(form, schema)
        for key, field, needed in _fields(schema, name, found):
            shown[key] = {**field, "title": field.get("title", key)}
            required += [key] if needed and not may_be_none else []
    return {"type": "object", "properties": shown, "required": required}


def _fields(schema: Schema, name: str, form: Schema) -> Iterator[tuple[str, dict[str, Any], bool]]:
    """The fields that stand for one of the form, and whether each has to be filled in."""
    kind, options = form.get("type"), options_of(form)
    item = resolved(form.get("items", {}), schema)[0]
    marks = item.get("properties", {})
    if len(options) == 1:
        return
    if options:
        yield name, {"type": "string", "enum": [one for one in options if one != ""]}, "" not in options
    elif kind in ("boolean", "number", "integer", "string"):
        needed = kind == "boolean" or kind != "string" or bool(form.get("minLength"))
        yield name, {key: form[key] for key in PLAIN if key in form}, needed
    elif choices := options_of(item):
        for place in range(1, len(choices) + 1):
            yield f"{name}_{place}", {"type": "string", "enum": choices}, place <= form.get("minItems", 0)
    elif set(marks) == {"option", "score"}:
        for one in options_of(marks["option"]):
            yield f"{name}_{one}", {key: marks["score"][key] for key in BOUNDED if key in marks["score"]}, True
    else:
        yield name, {"type": "string", "title": f"{name} (JSON)"}, True


def entered(schema: Schema | None, content: Content) -> Any:
    """The answer that was entered in the form shown; what does not fit is left for whoever asked to say."""
    if schema is None:
        return str(content.get(TEXT, ""))
    given = {name: _value(schema, name, form, content) for name, form in schema["properties"].items()}
    if given.get(ABSTAIN):
        empty = [name for name, form in schema["properties"].items() if resolved(form, schema)[1]]
        given |= dict.fromkeys(empty)
    return given


def _value(schema: Schema, name: str, form: Schema, content: Content) -> Any:
    found, may_be_none = resolved(form, schema)
    item = resolved(found.get("items", {}), schema)[0]
    options, kind = options_of(found), found.get("type")
    if len(options) == 1:
        return options[0]
    if options or kind in ("boolean", "number", "integer", "string"):
        return content.get(name, None if may_be_none or kind != "string" else "")
    if choices := options_of(item):
        found_at = [content.get(f"{name}_{place}") for place in range(1, len(choices) + 1)]
        return [one for one in found_at if one]
    if set(item.get("properties", {})) == {"option", "score"}:
        marks = {one: content.get(f"{name}_{one}") for one in options_of(item["properties"]["option"])}
        return [{"option": one, "score": score} for one, score in marks.items() if score is not None]
    return _read(content.get(name, ""))


def _read(text: Any) -> Any:
    """A text in JSON; as it is where it is none."""
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return text
