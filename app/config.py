"""Settings from a YAML file: plain data only, every key known, no key twice."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from ..state.refused import Refused

LIMIT = 1_000_000
"""Bytes of a config file."""

TEXT_LIMIT = 10_000_000
"""Bytes of a text file given as material."""

CAPS = {"max_calls": "budget.calls", "max_total_tokens": "budget.tokens", "max_cost": "budget.cost"}
"""What the caps on what a run may cost are called on the command line."""

SPELLINGS = {
    **CAPS,
    "synthesizer": "models.synthesizer",
    "memory_management": "memory",
    "memory_guidance_style": "memory.guidance_style",
    "memory_compression_threshold": "memory.compression_threshold",
    "memory_compression_target": "memory.compression_target",
    "include_internal_reasoning": "memory.include_internal_reasoning",
}
"""Knobs that have another name on the command line and in a config file."""

TRUTH, DATE = "tag:yaml.org,2002:bool", "tag:yaml.org,2002:timestamp"


class PlainLoader(yaml.SafeLoader):
    """YAML without tags that make objects, without aliases (they can blow a small file up), without repeated keys.

    `true` and `false` alone are truth values, as in YAML 1.2: `vote: off` names a setting. No setting is a date.
    """

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not understood; write the value out")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [key.value for key, _ in node.value]
        if twice := [key for key in keys if keys.count(key) > 1]:
            raise yaml.YAMLError(f"the key {twice[0]!r} stands twice")
        return super().construct_mapping(node, deep)


PlainLoader.yaml_implicit_resolvers = {
    first: [(tag, form) for tag, form in known if first in "tTfF" or tag not in (TRUTH, DATE)]
    for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def read_config(path: Path) -> dict[str, Any]:
    """The mapping in a YAML file; raises `Refused` for anything else."""
    try:
        found = yaml.load(read_text(path, "config", LIMIT), PlainLoader)
    except (yaml.YAMLError, RecursionError) as fault:
        raise Refused("config", str(path), f"not plain YAML: {_said(fault)}") from None
    if found is None:
        return {}
    if not isinstance(found, dict) or not all(isinstance(key, str) for key in found):
        raise Refused("config", str(path), "write a mapping of keys to values")
    return found


def read_text(path: Path, key: str, limit: int = TEXT_LIMIT) -> str:
    """The UTF-8 text of a file of at most `limit` bytes; `key` names the setting in an error."""
    try:
        with path.open("rb") as file:
            content = file.read(limit + 1)
    except OSError as fault:
        raise Refused(key, str(path), f"cannot be read: {fault.strerror}") from None
    if len(content) > limit:
        raise Refused(key, str(path), f"give a file of at most {limit:,} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Refused(key, str(path), "give a text file in UTF-8") from None


def assignments(pairs: Sequence[str]) -> dict[str, Any]:
    """`key=value` pairs: words as they stand, other values read as YAML.

    In YAML numbers, true, null, [lists] and {mappings} are themselves; "Note: yes" would be a mapping as well.
    """
    settings: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise Refused("--set", pair, "write key=value, such as --set memory.memory_max_chars=5000")
        try:
            settings[key.strip()] = value if _holds_words(key.strip()) else yaml.load(value, PlainLoader)
        except yaml.YAMLError as fault:
            raise Refused(key, value, f"not plain YAML: {_said(fault)}") from None
    return settings


def _holds_words(key: str) -> bool:
    return key in ("topic", "material") or key.startswith(("statement.", "persona.", "personas.", "role."))


def merged(base: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    """`base` with the value put in at a dotted key; mappings on the way are made or extended, not replaced."""
    head, dot, rest = key.partition(".")
    if not dot and isinstance(value, dict) and isinstance(base.get(head), dict):
        for inner, one in value.items():
            base = merged(base, f"{head}.{inner}", one)
        return base
    inside = base.get(head)
    return base | {head: merged(inside if isinstance(inside, dict) else {}, rest, value) if dot else value}


def _said(fault: Exception) -> str:
    mark = getattr(fault, "problem_mark", None)
    said = getattr(fault, "problem", None) or str(fault) or type(fault).__name__
    return f"line {mark.line + 1}: {said}" if mark else said
