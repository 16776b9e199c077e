"""Settings of a protocol, read from the schema of its settings class."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ...state.settings import Settings

JsonSchema = Mapping[str, Any]

RECORD_FIELDS = ("protocol", "schema_version", "packages")
"""Settings fields that describe the run itself. Users cannot choose their values."""


class SettingEntry(NamedTuple):
    """Setting by its dotted name, for `--set` and config files. `bounds`: empty if unbounded."""

    name: str
    type: str
    bounds: str
    default: Any
    meaning: str


def list_settings(settings_class: type[Settings]) -> list[SettingEntry]:
    """List the settings that have an effect in a protocol with this settings class."""
    schema = settings_class.model_json_schema()
    entries = _walk_schema("", schema, settings_class().model_dump(mode="json"), schema.get("$defs", {}))
    excluded_names = {*RECORD_FIELDS, *settings_class.unused_settings, *settings_class.setting_aliases}
    return [entry for entry in entries if not {entry.name, entry.name.partition(".")[0]} & excluded_names]


def _walk_schema(
    prefix: str, schema: JsonSchema, defaults: JsonSchema, definitions: JsonSchema
) -> Iterator[SettingEntry]:
    for key, setting in schema["properties"].items():
        if key not in defaults:
            continue  # derived from other settings
        schema_part, default = _resolve_reference(setting, definitions), defaults[key]
        group = next(
            (
                alternative
                for alternative in _list_alternatives(schema_part, definitions)
                if "properties" in alternative
            ),
            None,
        )
        if group and isinstance(default, Mapping | None):
            yield from _walk_schema(
                f"{prefix}{key}.", group, default or dict.fromkeys(group["properties"]), definitions
            )
            continue
        bounds = ", ".join(
            dict.fromkeys(filter(None, map(_format_bounds, _list_alternatives(schema_part, definitions))))
        )
        meaning = setting.get("description") or schema_part.get("description", "")
        yield SettingEntry(f"{prefix}{key}", _describe_type(schema_part, definitions), bounds, default, meaning)


def _get_alternatives(schema: JsonSchema) -> list[JsonSchema]:
    return schema.get("anyOf") or schema.get("oneOf") or []


def _resolve_reference(schema_part: JsonSchema, definitions: JsonSchema) -> JsonSchema:
    """Return a schema with its reference replaced by the definition."""
    return (
        {**definitions[schema_part["$ref"].rpartition("/")[2]], **schema_part} if "$ref" in schema_part else schema_part
    )


def _list_alternatives(schema: JsonSchema, definitions: JsonSchema) -> list[JsonSchema]:
    """List the alternative schemas of a value, without references."""
    return [_resolve_reference(alternative, definitions) for alternative in _get_alternatives(schema) or [schema]]


def _describe_type(schema: JsonSchema, definitions: JsonSchema) -> str:
    return " or ".join(
        dict.fromkeys(_format_type(alternative, definitions) for alternative in _list_alternatives(schema, definitions))
    )


def _format_type(schema: JsonSchema, definitions: JsonSchema) -> str:
    """Return the type of a value as a word, or its permitted values joined by "|"."""
    if "const" in schema or "enum" in schema:
        return " | ".join(str(value) for value in schema.get("enum", [schema.get("const")]))
    json_type = str(schema.get("type", "any"))
    if json_type == "array":
        return f"list of {_describe_type(_resolve_reference(schema.get('items', {}), definitions), definitions)}"
    value_schema = schema.get("additionalProperties")
    if json_type == "object" and isinstance(value_schema, dict):
        return f"mapping to {_describe_type(_resolve_reference(value_schema, definitions), definitions)}"
    return {"null": "none", "string": "text", "object": "mapping", "boolean": "true | false"}.get(json_type, json_type)


def _format_bounds(schema: JsonSchema) -> str:
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    excludes_low, excludes_high = "exclusiveMinimum" in schema, "exclusiveMaximum" in schema
    if low is not None and high is not None and not (excludes_low or excludes_high):
        return f"{low:,}–{high:,}"
    parts = [f"{'above' if excludes_low else 'from'} {low:,}"] if low is not None else []
    parts += [f"{'below' if excludes_high else 'up to'} {high:,}"] if high is not None else []
    return " ".join(parts)
