"""Settings from a YAML file, which may contain only plain data, known keys, and each key once."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from ...state.errors import InputError

TEXT_SIZE_LIMIT = 10_000_000
"""Size limit of a text file used as material, in bytes."""

CAP_SETTINGS = {"max_calls": "budget.calls", "max_total_tokens": "budget.tokens", "max_cost": "budget.cost"}
"""Settings that cap the cost of a run, by their names on the command line."""

SETTING_ALIASES = {
    **CAP_SETTINGS,
    "synthesizer": "models.synthesizer",
    "memory_management": "memory",
    "memory_guidance_style": "memory.guidance_style",
    "memory_compression_threshold": "memory.compression_threshold",
    "memory_compression_target": "memory.compression_target",
    "include_internal_reasoning": "memory.include_internal_reasoning",
}
"""Settings by their other names on the command line and in config files."""

BOOL_TAG, DATE_TAG = "tag:yaml.org,2002:bool", "tag:yaml.org,2002:timestamp"


class PlainLoader(yaml.SafeLoader):
    """YAML loader without object tags, aliases and repeated keys. Aliases could make a small file huge.

    Only `true` and `false` are booleans, as in YAML 1.2, so that `vote: off` names a setting. Dates stay text.
    """

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not understood; write the value out")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [key.value for key, _ in node.value]
        if duplicates := [key for key in keys if keys.count(key) > 1]:
            raise yaml.YAMLError(f"the key {duplicates[0]!r} stands twice")
        return super().construct_mapping(node, deep)


PlainLoader.yaml_implicit_resolvers = {
    initial: [(tag, pattern) for tag, pattern in resolvers if initial in "tTfF" or tag not in (BOOL_TAG, DATE_TAG)]
    for initial, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def read_config(path: Path) -> dict[str, Any]:
    """Read the mapping in a YAML file. Raises `InputError` for anything else."""
    try:
        document = yaml.load(read_text(path, "config", 1_000_000), PlainLoader)
    except (yaml.YAMLError, RecursionError) as error:
        raise InputError("config", str(path), f"not plain YAML: {_describe_yaml_error(error)}") from None
    if document is None:
        return {}
    if not isinstance(document, dict) or not all(isinstance(key, str) for key in document):
        raise InputError("config", str(path), "write a mapping of keys to values")
    return document


def read_text(path: Path, key: str, limit: int = TEXT_SIZE_LIMIT) -> str:
    """Read a UTF-8 text file of at most `limit` bytes. `key` names the setting in an error."""
    try:
        with path.open("rb") as file:
            content = file.read(limit + 1)
    except OSError as error:
        raise InputError(key, str(path), f"cannot be read: {error.strerror}") from None
    if len(content) > limit:
        raise InputError(key, str(path), f"give a file of at most {limit:,} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(key, str(path), "give a text file in UTF-8") from None


def write_text(path: Path, text: str, key: str = "-o", makes_folder: bool = False) -> None:
    """Write a UTF-8 text file. `key` names the option in an error."""
    try:
        if makes_folder:
            path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    except OSError as error:
        raise InputError(key, str(path), f"cannot be written: {error.strerror}") from None


def parse_assignments(assignments: Sequence[str]) -> dict[str, Any]:
    """Parse `key=value` assignments. Values of text settings stay as written. Other values are YAML.

    YAML recognizes numbers, true, null, [lists] and {mappings}. It would turn "Note: yes" into a mapping.
    """
    settings: dict[str, Any] = {}
    for assignment in assignments:
        key, equals, value = assignment.partition("=")
        if not equals or not key.strip():
            raise InputError("--set", assignment, "write key=value, such as --set memory.memory_max_chars=5000")
        name = key.strip()
        is_text = name in ("topic", "material") or name.startswith(("statement.", "persona.", "personas.", "role."))
        try:
            settings[name] = value if is_text else yaml.load(value, PlainLoader)
        except yaml.YAMLError as error:
            raise InputError(key, value, f"not plain YAML: {_describe_yaml_error(error)}") from None
    return settings


def merge_value(base: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    """Set a value at a dotted key and return the new mapping. Create missing mappings along the key."""
    first_key, dot, remaining_key = key.partition(".")
    if not dot and isinstance(value, dict) and isinstance(base.get(first_key), dict):
        for inner_key, inner_value in value.items():
            base = merge_value(base, f"{first_key}.{inner_key}", inner_value)
        return base
    nested_value = base.get(first_key)
    return base | {
        first_key: merge_value(nested_value if isinstance(nested_value, dict) else {}, remaining_key, value)
        if dot
        else value
    }


def _describe_yaml_error(error: Exception) -> str:
    position = getattr(error, "problem_mark", None)
    message = getattr(error, "problem", None) or str(error) or type(error).__name__
    return f"line {position.line + 1}: {message}" if position else message
