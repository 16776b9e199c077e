"""Keys of settings in the justice experiment, and the group that each key belongs to."""

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from pydantic import BaseModel

from ..errors import check_keys, flatten_settings
from .group_settings import (
    DEFAULT_PARTICIPANTS,
    CheckSettings,
    JusticeDiscussionSettings,
    JusticeMemorySettings,
    JusticeVoteSettings,
    LoggingSettings,
    WordingSettings,
)
from .income_settings import TableSettings

SETTING_GROUPS: Final[dict[str, type[BaseModel]]] = {
    "discussion": JusticeDiscussionSettings,
    "voting": JusticeVoteSettings,
    "memory": JusticeMemorySettings,
    "tables": TableSettings,
    "wording": WordingSettings,
    "checks": CheckSettings,
    "logging": LoggingSettings,
}
SETTING_HEADINGS: Final = {*SETTING_GROUPS, "memory_management", "phase2_settings"}
KEY_ALIASES: Final = {
    "memory_guidance_style": "guidance_style",
    "memory_compression_threshold": "compression_threshold",
    "memory_compression_target": "compression_target",
}
KeyPath = tuple[str, ...]

_GROUP_BY_KEY: Final = {key: group for group, model in SETTING_GROUPS.items() for key in model.model_fields}


def group_keys(values: Mapping[str, object], top_keys: Collection[str]) -> dict[str, object]:
    """Return settings in any accepted spelling, nested by the group that each key belongs to.

    `top_keys` stay at the top. Raises the validation error for unknown and contradictory keys.
    """
    plain_values = {
        key: value.model_dump() if key in SETTING_GROUPS and isinstance(value, BaseModel) else value
        for key, value in values.items()
    }
    flat_settings = flatten_settings(plain_values, SETTING_HEADINGS, KEY_ALIASES)
    check_keys(flat_settings, {*top_keys, *_GROUP_BY_KEY, *KEY_ALIASES, *SETTING_HEADINGS})
    grouped_settings: dict[str, object] = {
        key: value for key, value in flat_settings.items() if key not in _GROUP_BY_KEY
    }
    for group in SETTING_GROUPS:
        group_values = {key: value for key, value in flat_settings.items() if _GROUP_BY_KEY.get(key) == group}
        if group_values:
            grouped_settings[group] = group_values
    bound = flat_settings.get("memory_max_chars")
    participants = grouped_settings.get("participants", [participant.name for participant in DEFAULT_PARTICIPANTS])
    if bound is None or not isinstance(participants, list):
        return grouped_settings
    entries = [{"name": entry} if isinstance(entry, str) else entry for entry in participants]
    bounded_entries = [{"memory_max_chars": bound, **entry} if isinstance(entry, dict) else entry for entry in entries]
    return grouped_settings | {"participants": bounded_entries}


def drop_overridden_settings(values: Mapping[str, object], overrides: Mapping[str, object]) -> dict[str, object]:
    """Return `values` without the settings that also appear in `overrides`."""
    remaining_settings = _drop_paths(values, set(_list_paths(overrides)), ())
    return {key: {key: value} if is_short_form(key, value) else value for key, value in remaining_settings.items()}


def format_dotted_key(key: str, value: object) -> str:
    """Return the dotted name of a setting: its group, a dot and its key. Other keys stay the same."""
    path = _resolve_path((), key, value)
    group = _GROUP_BY_KEY.get(path[0]) if path else None
    return ".".join((group, *path)) if group and not (key in SETTING_GROUPS and isinstance(value, Mapping)) else key


def is_short_form(key: str, value: object) -> bool:
    """Return whether a setting has the name of its group and is written without the group.

    An example is `wording: neutral`, short for `wording: {wording: neutral}`.
    """
    return key in _GROUP_BY_KEY and key in SETTING_GROUPS and not isinstance(value, Mapping)


def _list_paths(values: Mapping[str, object], parent: KeyPath = ()) -> Iterator[KeyPath]:
    for key, value in values.items():
        path = _resolve_path(parent, key, value)
        yield from _list_paths(value, path) if isinstance(value, Mapping) else [path]


def _drop_paths(values: Mapping[str, object], dropped_paths: Collection[KeyPath], parent: KeyPath) -> dict[str, object]:
    paths = {key: _resolve_path(parent, key, value) for key, value in values.items()}
    return {
        key: _drop_paths(value, dropped_paths, paths[key]) if isinstance(value, Mapping) else value
        for key, value in values.items()
        if paths[key] not in dropped_paths
    }


def _resolve_path(parent: KeyPath, key: str, value: object) -> KeyPath:
    path = (*parent, *str(key).split("."))
    while path and path[0] in SETTING_HEADINGS and (len(path) > 1 or isinstance(value, Mapping)):
        path = path[1:]
    return (KEY_ALIASES.get(path[0], path[0]),) if len(path) == 1 else path
