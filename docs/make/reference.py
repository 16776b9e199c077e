"""The page of every knob, made from the schemas: `python docs/make/reference.py` writes docs/reference.md anew."""

import inspect
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import moot
from moot.app.protocols.protocol import PROTOCOLS

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


def schema(name: str) -> dict[str, Any]:
    """The JSON schema of a protocol's rules."""
    found: dict[str, Any] = PROTOCOLS[name].build_graph().context_schema.model_json_schema()
    return found


def rows(held: dict[str, Any], defs: dict[str, Any], before: str = "") -> dict[str, str]:
    """A table row for each knob, by its key; the fields of a knob that is a group of its own follow it."""
    found: dict[str, str] = {}
    for key, field in held.items():
        if before or key not in FIXED:
            found[before + key] = _row(before + key, field, defs)
            found |= rows(_group(field, defs), defs, f"{before}{key}.")
    return found


def _group(field: dict[str, Any], defs: dict[str, Any]) -> dict[str, Any]:
    """The fields of a knob that is a group; of a list of groups, of one of its entries."""
    for one in (field, field.get("items", {}), *field.get("anyOf", [])):
        if isinstance(one, dict) and "$ref" in one:
            fields: dict[str, Any] = defs[one["$ref"].rpartition("/")[2]].get("properties", {})
            return fields
    return {}


def _row(key: str, field: dict[str, Any], defs: dict[str, Any]) -> str:
    said = " ".join(field.get("description", "").split()).replace("|", "\\|")
    return f"| `{key}` | {_values(field, defs)} | {_default(field)} | {said} |"


def _values(field: dict[str, Any], defs: dict[str, Any]) -> str:
    if "anyOf" in field:
        return " or ".join(dict.fromkeys(_values(one, defs) for one in field["anyOf"]))
    if "$ref" in field:
        return _values(defs[field["$ref"].rpartition("/")[2]], defs)
    if "enum" in field or "const" in field:
        return ", ".join(f"`{_literal(one)}`" for one in field.get("enum", [field.get("const")]))
    kind = {"null": "none", "object": "group", "array": "list"}.get(field.get("type", ""), field.get("type", "any"))
    bounds = [f"{sign} {field[bound]:,}" for bound, sign in BOUNDS.items() if abs(field.get(bound, VAST)) < VAST]
    return " ".join([kind, ", ".join(bounds)]).strip()


def _literal(value: object) -> str:
    """A value as YAML has it; a text without quotation marks, unless it is empty."""
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)


def _default(field: dict[str, Any]) -> str:
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
        made = schema(name)
        tables[name] = rows(made["properties"], made.get("$defs", {}))
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
