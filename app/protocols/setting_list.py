"""Settings of a protocol, read from the schema of its settings class."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ...state import Settings
from ..schema_fields import SchemaField, list_schema_fields

RECORD_FIELDS = ("protocol", "schema_version", "packages", "recipients")
"""Fields of the settings that describe the run itself. Users cannot choose their values."""


def list_settings(settings_class: type[Settings]) -> list[SchemaField]:
    """List the settings that have an effect in a protocol, by dotted name, for `--set` and config files."""
    fields = list_schema_fields(settings_class.model_json_schema())
    excluded_names = {*RECORD_FIELDS, *settings_class.unused_settings, *settings_class.setting_aliases}
    settings = _list_single_settings("", fields, settings_class().model_dump(mode="json"))
    return [setting for setting in settings if not {setting.name, setting.name.partition(".")[0]} & excluded_names]


def _list_single_settings(
    prefix: str, fields: list[SchemaField], defaults: Mapping[str, Any] | None
) -> Iterator[SchemaField]:
    """Yield the fields with their defaults. The fields of a group take its place."""
    for field in fields:
        if defaults is not None and field.name not in defaults:
            continue  # derived from other settings
        default = defaults[field.name] if defaults is not None else None
        if (parts := field.parts) and isinstance(default, Mapping | None):
            yield from _list_single_settings(f"{prefix}{field.name}.", parts, default or None)
        else:
            yield replace(field, name=prefix + field.name, default=default)
