"""Parser for plain YAML in a form, a plan or a file, with bounds on size and nesting."""

import re
from collections import Counter
from typing import Any

import yaml

from .errors import InputError

MAX_FORM_SIZE = 64_000
"""Largest size of a form, in bytes."""
MAX_NESTING = 20
"""Maximum depth of nested mappings and lists, and maximum number of parts of a dotted key."""
MAX_NUMBER_LENGTH = 40
LONE_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a character, which an escape can write and no file can hold."""

_TAG = "tag:yaml.org,2002:"
_PLAIN_VALUES = {
    "null": ("~nN\0", re.compile(r"~|null|Null|NULL|")),
    "bool": ("tTfF", re.compile(r"true|True|TRUE|false|False|FALSE")),
    "int": ("-+0123456789", re.compile(r"[-+]?(?:0b[01]+|0x[0-9a-fA-F]+|0[0-7]*|[1-9][0-9_]*)")),
    "float": (
        "-+.0123456789",
        re.compile(
            r"[-+]?(?:[0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*)(?:[eE][-+][0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
        ),
    ),
}


class PlainLoader(yaml.SafeLoader):
    """YAML loader that rejects tags, aliases, merge keys and repeated keys.

    Aliases could expand a small file enormously. Only `true` and `false` are booleans, as in YAML 1.2: the `off` of
    `vote: off` stays text. Dates and times stay text too.
    """

    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("Moot reads no YAML aliases; write the value itself")
        event = self.peek_event()  # type: ignore[no-untyped-call, unused-ignore]
        if getattr(event, "tag", None) is not None:
            raise yaml.YAMLError("Moot reads no YAML tags; leave them out")
        self.depth += 1
        if self.depth > MAX_NESTING and isinstance(event, yaml.CollectionStartEvent):
            raise yaml.YAMLError(f"nested too deeply; write at most {MAX_NESTING} levels")
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def compose_scalar_node(self, anchor: Any) -> yaml.ScalarNode:
        node = super().compose_scalar_node(anchor)
        if node.tag in (f"{_TAG}int", f"{_TAG}float") and len(node.value) > MAX_NUMBER_LENGTH:
            raise yaml.YAMLError(f"a number is too long; write at most {MAX_NUMBER_LENGTH} characters")
        if LONE_SURROGATE.search(node.value):
            raise yaml.YAMLError(f"{node.value[:100]!r} holds half a character, such as \\ud800; leave it out")
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        if not all(isinstance(key, yaml.ScalarNode) for key, _ in node.value):
            raise yaml.YAMLError("a key must be a single word or text")
        for key, count in Counter(key.value for key, _ in node.value).items():
            if count > 1:
                raise yaml.YAMLError(f"the key {key[:100]!r} is there twice; keep one")
            check_dotted_key(key)
        return super().construct_mapping(node, deep)


PlainLoader.yaml_implicit_resolvers = {}
for _name, (_initials, _pattern) in _PLAIN_VALUES.items():
    PlainLoader.add_implicit_resolver(f"{_TAG}{_name}", re.compile(rf"(?:{_pattern.pattern})\Z"), list(_initials))
PlainLoader.add_implicit_resolver(f"{_TAG}null", re.compile(r"\Z"), [""])


def parse_yaml(text: str, key: str, limit: int = MAX_FORM_SIZE, shown: str = "") -> Any:
    """Parse plain YAML of at most `limit` bytes.

    `shown`: words that an error quotes instead of the text, if not empty. Raises `InputError`, which names `key`.
    """
    if len(text) > limit or len(text.encode("utf-8", "replace")) > limit:
        raise InputError(key, shown or f"{len(text):,} characters", f"give at most {limit:,} bytes")
    try:
        return yaml.load(text, PlainLoader)
    except (yaml.YAMLError, ValueError) as error:
        position = getattr(error, "problem_mark", None)
        message = getattr(error, "problem", None) or str(error) or type(error).__name__
        reason = f"line {position.line + 1}: {message}" if position else message
        raise InputError(key, shown or text, f"not plain YAML: {reason}") from None


def check_dotted_key(key: str) -> None:
    """Check that a dotted key has at most `MAX_NESTING` parts. Raises `ValueError`."""
    if key.count(".") >= MAX_NESTING:
        raise ValueError(f"the key {key[:100]!r} is nested too deeply; write at most {MAX_NESTING} levels")
