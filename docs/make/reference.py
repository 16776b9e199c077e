"""The page of every knob, made from the schemas: `python docs/make/reference.py` writes docs/reference.md anew."""

import inspect
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import moot
from moot.app.protocols.protocol import PROTOCOLS
from moot.app.schema_fields import Schema, SchemaField, list_choices, list_schema_fields

PAGE = Path(__file__).parents[1] / "reference.md"
HEAD = """# Every knob

Made from the schemas by `make samples`; a test compares. A knob is set with `--set key=value` (a key within another
with a dot: `--set memory.statement_max_length=400`), in a YAML file given with `--config`, or as the graph's context
from Python. What most protocols share is listed once, at the end; a protocol's table holds its own knobs, and those
whose values or default differ there.
"""
FIXED = ("protocol", "schema_version")
BOUNDS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
IDLE = "Does nothing"
"""How the schema begins to describe a knob that a protocol inherits and refuses."""
VAST = 2**60
"""A bound from which on it is that of the numbers themselves."""
SHOWN = 60
"""Characters of a default that are shown."""


def rows(fields: list[SchemaField], before: str = "") -> dict[str, str]:
    """Return a table row for each knob, by its key; the fields of a group follow it."""
    table: dict[str, str] = {}
    for field in fields:
        key = before + field.name
        if before or key not in FIXED:
            meaning = " ".join(field.source.get("description", "").split()).replace("|", "\\|")
            table[key] = f"| `{key}` | {_values(field)} | {_default(field.source)} | {meaning} |"
            table |= rows(field.item.parts if "items" in field.source else field.parts, f"{key}.")
    return table


def _values(field: SchemaField) -> str:
    return " or ".join(dict.fromkeys(map(_value, field.alternatives)))


def _value(schema: Schema) -> str:
    if choices := list_choices(schema):
        return ", ".join(f"`{_literal(choice)}`" for choice in choices)
    kind = {"null": "none", "object": "group", "array": "list"}.get(schema.get("type", ""), schema.get("type", "any"))
    bounds = [f"{sign} {schema[bound]:,}" for bound, sign in BOUNDS.items() if abs(schema.get(bound, VAST)) < VAST]
    return " ".join([kind, ", ".join(bounds)]).strip()


def _literal(value: object) -> str:
    """A value as YAML has it; a text without quotation marks, unless it is empty."""
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)


def _default(field: Schema) -> str:
    if "default" not in field or (isinstance(field["default"], dict) and "$ref" in field):
        return ""
    value = field["default"]
    shown = _literal(round(value, 4) if isinstance(value, float) else value)
    return f"`{shown}`" if len(shown) <= SHOWN else ""


def _table(found: dict[str, str]) -> list[str]:
    return ["| knob | values | default | what it is |", "|---|---|---|---|", *found.values(), ""]


def _shared(tables: list[dict[str, str]]) -> dict[str, str]:
    """The knobs that every protocol has, each as most of them have it."""
    everywhere = [key for key in tables[0] if all(key in table for table in tables)]
    return {key: Counter(table[key] for table in tables).most_common(1)[0][0] for key in everywhere}


def _functions() -> list[str]:
    lines = ["## Names of `moot`", ""]
    for name in moot.__all__:
        if not name.startswith("_"):
            made = getattr(moot, name)
            told = inspect.cleandoc(made.__doc__ or "")
            called = [] if isinstance(made, type) else ["```text", f"{name}{_bare(made)}", "```", ""]
            lines += [f"### {name}", "", *called, told, ""]
    return lines


def _bare(made: Any) -> str:
    """A function's signature without its types; a function that is a default by its name alone."""
    given = inspect.signature(made)
    bare = [one.replace(annotation=inspect.Parameter.empty) for one in given.parameters.values()]
    told = str(given.replace(parameters=bare, return_annotation=inspect.Signature.empty))
    return re.sub(r"<function (\w+) at 0x[0-9a-f]+>", r"\1", told)


def page() -> str:
    """The page as it should be."""
    tables = {}
    for name in PROTOCOLS:
        tables[name] = rows(list_schema_fields(PROTOCOLS[name].build_graph().context_schema.model_json_schema()))
    shared = _shared(list(tables.values()))
    lines = [HEAD]
    for name, found in tables.items():
        own = {key: row for key, row in found.items() if shared.get(key) != row}
        idle = [key for key, row in own.items() if f"| {IDLE}" in row]
        lines += [f"## {name.capitalize()}", "", *_table({key: row for key, row in own.items() if key not in idle})]
        lines += [f"Refused here: {', '.join(f'`{key}`' for key in idle)}.", ""] if idle else []
    lines += ["## Every protocol", "", *_table(shared), *_functions()]
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
