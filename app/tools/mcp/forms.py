"""Flat forms of a client, and the nested answers made from their entries.

A list becomes one field for each position. A list of marks becomes one field for each option. A nested form becomes its
own fields. Any other value becomes a text in JSON.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ...people.fields import EntryField, Schema, collect_values, list_fields

FormContent = Mapping[str, Any]

BOUND_KEYS = ("type", "minimum", "maximum")
FIELD_KEYS = (*BOUND_KEYS, "title", "description", "minLength", "maxLength")
"""Schema keys that a client gets for a field."""

TEXT_FIELD = "answer"
"""Name of the only field of a question that asks for a text."""


def flatten_schema(schema: Schema | None, title: str) -> dict[str, Any]:
    """Return the flat form of a schema. `None`: a form for a text, with `title` as its label."""
    if schema is None:
        properties: dict[str, Any] = {TEXT_FIELD: {"type": "string", "title": title, "minLength": 1}}
        return {"type": "object", "properties": properties, "required": [TEXT_FIELD]}
    flat_fields = [flat_field for field in list_fields(schema) for flat_field in _flatten_field(field, field.name)]
    properties = {
        key: {**field_schema, "title": field_schema.get("title", key)} for key, field_schema, _ in flat_fields
    }
    return {
        "type": "object",
        "properties": properties,
        "required": [key for key, _, is_required in flat_fields if is_required],
    }


def _flatten_field(field: EntryField, name: str) -> Iterator[tuple[str, dict[str, Any], bool]]:
    """Yield the flat fields of one field: name, schema, and whether the field is required."""
    is_required = not field.may_be_none
    match field.kind:
        case "only":
            return
        case "choice":
            yield name, {"type": "string", "enum": field.choices}, not field.may_be_empty
        case "yes_no" | "number" | "text":
            field_schema = {key: field.schema[key] for key in FIELD_KEYS if key in field.schema}
            yield name, field_schema, is_required and (field.kind != "text" or "minLength" in field_schema)
        case "several":
            for number in range(1, len(field.options) + 1):
                yield (
                    f"{name}_{number}",
                    {"type": "string", "enum": field.options},
                    is_required and number <= field.min_options,
                )
        case "marks":
            for option in field.options:
                yield (
                    f"{name}_{option}",
                    {key: field.schema[key] for key in BOUND_KEYS if key in field.schema},
                    is_required,
                )
        case "group":
            for part in field.parts:
                yield from _flatten_field(part, f"{name}_{part.name}")
        case "json":
            yield name, {"type": "string", "title": f"{name} (JSON)"}, is_required


def parse_content(schema: Schema | None, content: FormContent) -> Any:
    """Build the answer from a filled form. The sender of the question checks its entries."""
    if schema is None:
        return str(content.get(TEXT_FIELD, ""))
    return collect_values(list_fields(schema), lambda field: _parse_field(field, field.name, content))


def _parse_field(field: EntryField, name: str, content: FormContent) -> Any:
    match field.kind:
        case "only":
            return field.options[0]
        case "several":
            choices = [content.get(f"{name}_{number}") for number in range(1, len(field.options) + 1)]
            return [choice for choice in choices if choice]
        case "marks":
            scores = {option: content.get(f"{name}_{option}") for option in field.options}
            return [{"option": option, "score": score} for option, score in scores.items() if score is not None]
        case "group":
            return collect_values(field.parts, lambda part: _parse_field(part, f"{name}_{part.name}", content))
        case "json":
            text = content.get(name, "")
            try:
                return json.loads(text)
            except (TypeError, ValueError):
                return text
    return content.get(name, None if field.may_be_none or field.schema.get("type") != "string" else "")
