"""Page of all settings: `python docs/make/reference.py` writes docs/reference.md from the schemas."""

import json
import re
from collections import Counter
from pathlib import Path

from moot.app.protocols.registry import PROTOCOLS
from moot.app.schema_fields import Schema, SchemaField, list_choices, list_schema_fields
from moot.state.count.rule_registry import VOTING_RULES

PAGE = Path(__file__).parents[1] / "reference.md"
HEAD = """# Settings

To change a setting, write `--set key=value`, for example `--set memory.statement_max_length=400`. You can
also use a YAML file with `--config`, or the graph's context in Python. `null` means none. Each table has the settings
of one protocol; those of [several](#several-protocols) or [all](#every-protocol) protocols follow at the end.
"""
FIXED = (
    "protocol",
    "schema_version",
    "tool_definitions",
    "packages",
    "recipients",
    "prices.looked_up",
    "prices.source",
)
"""Settings that no reader sets: constants, and what Moot fills in."""
BOUNDS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
IDLE = "Does nothing"
"""Start of the description of a setting that a protocol inherits and rejects."""
SHORT = "Short form"
"""Start of the description of a setting that another row has under its full key."""
VAST = 2**60
"""A bound from which on it is that of the numbers themselves."""
RULE_LINK = "a [counting rule](votes.md#counting-rules)"
SHOWN = 60
"""Characters of a default that are shown."""


def rows(fields: list[SchemaField], before: str = "") -> dict[str, str]:
    """Return a table row for each setting, by its dotted key. A group has only the rows of its fields.

    `before`: beginning of the keys.
    """
    table: dict[str, str] = {}
    for field in fields:
        key = before + field.name
        if key not in FIXED:
            meaning = " ".join(field.source.get("description", "").split()).replace("|", "\\|")
            parts = field.item.parts if "items" in field.source else field.parts
            if meaning.startswith(SHORT):
                continue
            if not parts or _values(field) != "group" or meaning.startswith(IDLE):
                default = _default(field.source)
                values = f"{default} ({_values(field)})" if default else _values(field)
                values = re.sub(r"(?<=`null` )(\(.+) or none\)$", r"\1)", values)
                values = re.sub(r"(?<!`null`) \((?:boolean|string|list)\)$", "", values)
                table[key] = f"| `{key}` | {values} | {meaning} |"
            table |= rows(parts, f"{key}.")
    return table


def _values(field: SchemaField) -> str:
    return " or ".join(dict.fromkeys(map(_value, field.alternatives)))


def _value(schema: Schema) -> str:
    if choices := list_choices(schema):
        if set(choices) >= set(VOTING_RULES):
            return " or ".join(
                [*(f"`{_literal(choice)}`" for choice in choices if choice not in VOTING_RULES), RULE_LINK]
            )
        return ", ".join(f"`{_literal(choice)}`" for choice in choices)
    kind = {"null": "none", "object": "group", "array": "list"}.get(schema.get("type", ""), schema.get("type", "any"))
    bounds = [f"{sign} {schema[bound]:,}" for bound, sign in BOUNDS.items() if abs(schema.get(bound, VAST)) < VAST]
    if [bound[0] for bound in bounds] == ["≥", "≤"]:
        bounds = ["–".join(bound[2:] for bound in bounds)]
    return ", ".join(bounds) if bounds else kind


def _literal(value: object) -> str:
    """Return a value as YAML. A text has quotation marks only if it is empty."""
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)


def _default(field: Schema) -> str:
    if "default" not in field or (isinstance(field["default"], dict) and "$ref" in field):
        return ""
    value = field["default"]
    literal = _literal(round(value, 4) if isinstance(value, float) else value)
    return f"`{literal}`" if len(literal) <= SHOWN else ""


def _table(found: dict[str, str]) -> list[str]:
    return ["| setting | default (values) | meaning |", "|---|---|---|", *found.values(), ""]


def _shared(tables: list[dict[str, str]]) -> dict[str, str]:
    """Return the rows of the settings that every table has.

    If a setting's rows differ, take the most frequent one.
    """
    everywhere = [key for key in tables[0] if all(key in table for table in tables)]
    return {key: Counter(table[key] for table in tables).most_common(1)[0][0] for key in everywhere}


def _repeated(tables: list[dict[str, str]]) -> dict[str, str]:
    """Return the rows of the settings that at least two tables have.

    If a setting's rows differ, take the most frequent one.
    """
    counts = Counter((key, row) for table in tables for key, row in table.items())
    repeated = [key for (key, _), count in counts.items() if count > 1]
    return {key: max((pair for pair in counts if pair[0] == key), key=lambda pair: counts[pair])[1] for key in repeated}


def _keys(keys: list[str]) -> str:
    """Return the keys as one text. Fields of a group become `group.…`."""
    groups = dict.fromkeys(f"{key.partition('.')[0]}.…" if "." in key else key for key in keys)
    return ", ".join(f"`{key}`" for key in groups if key.partition(".")[0] not in keys or "." not in key)


def page() -> str:
    """Return the text of the page."""
    tables = {}
    for name in PROTOCOLS:
        tables[name] = rows(list_schema_fields(PROTOCOLS[name].build_graph().context_schema.model_json_schema()))
    shared = _shared(list(tables.values()))
    own = {
        name: {key: row for key, row in table.items() if shared.get(key) != row and f"| {IDLE}" not in row}
        for name, table in tables.items()
    }
    repeated = _repeated(list(own.values()))
    usual = _shared([table for name, table in own.items() if name != "justice"])
    lines = [HEAD]
    for name, table in own.items():
        also = [key for key, row in table.items() if repeated.get(key) == row]
        lines += [f"## {name.capitalize()}", "", *_table({key: row for key, row in table.items() if key not in also})]
        also = [key for key in also if key not in usual]
        lines += [f"Also: {_keys(also)}.", ""] if also else []
    several = {key: row for key, row in repeated.items() if key not in usual}
    lines += ["## Several protocols", "", *_table(several), "## Every protocol except justice", "", *_table(usual)]
    lines += ["## Every protocol", "", *_table(shared)]
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
