"""Fields of a JSON schema, as options, settings, pages, tools and forms all read them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..state import Settings

Schema = Mapping[str, Any]

TYPE_WORDS = {"null": "none", "string": "text", "object": "mapping", "boolean": "true | false"}


@dataclass(frozen=True)
class SchemaField:
    """Field of a JSON schema.

    `name`: name, with a dot for a field of a group. `source`: schema of the field. `root`: schema with the definitions.
    """

    name: str
    source: Schema
    root: Schema
    default: Any = None

    @property
    def alternatives(self) -> list[Schema]:
        """Return the schemas of the possible values, including `None`, with references resolved."""
        schema = self._resolve_references(self.source)
        return [self._resolve_references(choice) for choice in schema.get("anyOf") or schema.get("oneOf") or [schema]]

    @property
    def schema(self) -> Schema:
        """Return the schema of the value if it is not `None`. Several alternatives give one combined schema."""
        value_schemas = [schema for schema in self.alternatives if schema.get("type") != "null"]
        return value_schemas[0] if len(value_schemas) == 1 else self._resolve_references(self.source)

    @property
    def may_be_none(self) -> bool:
        """Return whether the value may be `None`."""
        return any(schema.get("type") == "null" for schema in self.alternatives)

    @property
    def choices(self) -> list[Any]:
        """Return the permitted values of a field that has a fixed set of them."""
        return list_choices(self.schema)

    @property
    def item(self) -> "SchemaField":
        """Return the field that describes a list's items."""
        return SchemaField(self.name, self.schema.get("items", {}), self.root)

    @property
    def parts(self) -> list["SchemaField"]:
        """Return the fields of a group; empty for any other field."""
        groups = [schema["properties"] for schema in self.alternatives if "properties" in schema]
        return list_schema_fields({**self.root, "properties": groups[0]}) if groups else []

    @property
    def meaning(self) -> str:
        """Return the description of the field, or of its type."""
        return str(self.source.get("description") or self._resolve_references(self.source).get("description", ""))

    @property
    def type(self) -> str:
        """Return the type of the value in words, or its permitted values joined by "|"."""
        return " or ".join(dict.fromkeys(map(self._format_type, self.alternatives)))

    @property
    def bounds(self) -> str:
        """Return the bounds of the value in words; empty if it is unbounded."""
        return ", ".join(dict.fromkeys(filter(None, map(_format_bounds, self.alternatives))))

    def _resolve_references(self, schema: Schema) -> Schema:
        return {**self.root["$defs"][schema["$ref"].rpartition("/")[2]], **schema} if "$ref" in schema else schema

    def _format_type(self, schema: Schema) -> str:
        if choices := list_choices(schema):
            return " | ".join(map(str, choices))
        json_type, value_schema = str(schema.get("type", "any")), schema.get("additionalProperties")
        if json_type == "array":
            return f"list of {SchemaField('', schema.get('items', {}), self.root).type}"
        if json_type == "object" and isinstance(value_schema, dict):
            return f"mapping to {SchemaField('', value_schema, self.root).type}"
        return TYPE_WORDS.get(json_type, json_type)


def list_schema_fields(schema: Schema) -> list[SchemaField]:
    """Return the fields of a JSON schema, in its order."""
    return [SchemaField(name, field, schema, field.get("default")) for name, field in schema["properties"].items()]


def list_choices(schema: Schema) -> list[Any]:
    """List the permitted values of a schema with a fixed set of them."""
    return [schema["const"]] if "const" in schema else list(schema.get("enum", []))


def _format_bounds(schema: Schema) -> str:
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    if "minimum" in schema and "maximum" in schema:
        return f"{low:,}–{high:,}"
    parts = [f"{'from' if 'minimum' in schema else 'above'} {low:,}"] if low is not None else []
    parts += [f"{'up to' if 'maximum' in schema else 'below'} {high:,}"] if high is not None else []
    return " ".join(parts)


RECORD_FIELDS = ("protocol", "schema_version", "packages", "recipients")
"""Fields of the settings that describe the run itself. Users cannot choose their values."""


def list_settings(settings_class: type[Settings]) -> list[SchemaField]:
    """Return the settings that have an effect in a protocol, by dotted name, for `--set` and config files."""
    fields = list_schema_fields(settings_class.model_json_schema())
    excluded_names = {*RECORD_FIELDS, *settings_class.unused_settings, *settings_class.setting_aliases}
    settings = _list_single_settings("", fields, settings_class().model_dump(mode="json"))
    return [setting for setting in settings if not {setting.name, setting.name.partition(".")[0]} & excluded_names]


def _list_single_settings(
    prefix: str, fields: list[SchemaField], defaults: Mapping[str, Any] | None
) -> Iterator[SchemaField]:
    """Yield the fields with their defaults, where a group is replaced by its fields.

    `prefix`: beginning of the names. `defaults`: defaults by name; `None` takes those of the fields.
    """
    for field in fields:
        if defaults is not None and field.name not in defaults:
            continue  # derived from other settings
        default = defaults[field.name] if defaults is not None else None
        if (parts := field.parts) and isinstance(default, Mapping | None):
            yield from _list_single_settings(f"{prefix}{field.name}.", parts, default or None)
        else:
            yield replace(field, name=prefix + field.name, default=default)
