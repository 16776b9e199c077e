"""Valid, meaningful instances of any JSON schema.

Lists are rankings, approvals, points, or plain lists. No value is listed twice.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .. import answers
from ..group_summary import collect_dissents
from ..scene import Scene
from .choice import order_values, score_option
from .field_values import compute_share, decide_yes_no, find_integer, write_text
from .numbers import fit_decimal, fit_integer, is_within_bounds

SchemaNode = Mapping[str, Any]
DEPTH_LIMIT = 6
"""Maximum depth of an instance of a schema that contains itself."""
FORMAT_EXAMPLES = {
    "date": "2001-02-03",
    "date-time": "2001-02-03T04:05:06Z",
    "time": "04:05:06Z",
    "duration": "P1D",
    "email": "ada@example.org",
    "uri": "https://example.org/",
    "uuid": "8c9e0f2a-5d5b-4c0e-9d37-2f1f6f0a7b11",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "binary": "eA==",
}
PATTERN_CANDIDATES = ("a", "A", "1", "a1", "A1", "abc", "ABC", "2001-02-03", "12:30", "#aabbcc", "1.0", "10.0.0.1")
"""Candidates for a string with a pattern."""
DEFAULT_POINTS = 10
"""Points that a list called `points` distributes if its schema names no maximum."""


@dataclass(frozen=True)
class SchemaFiller:
    """Filler of a schema for one scene."""

    scene: Scene
    root: SchemaNode

    def fill_node(self, node: Any, name: str = "", path: str = "") -> Any:
        """Build a valid instance of `node`; the name of its property decides on its content."""
        node = self.resolve_node(node)
        if "const" in node:
            return node["const"]
        if "enum" in node:
            return order_values(self.scene, name, node["enum"], path)[0]
        if options := node.get("anyOf") or node.get("oneOf"):
            return self._fill_one_of(options, name, path)
        node_type = node.get("type", "object" if "properties" in node else "array" if "items" in node else "string")
        if isinstance(node_type, list):
            return self._fill_one_of([{**node, "type": type_name} for type_name in node_type], name, path)
        return getattr(self, f"_{node_type}")(node, name, path)

    def with_speaker(self, name: object) -> "SchemaFiller":
        """Return the filler with this participant as the speaker; unchanged for any other name."""
        if name not in self.scene.prompt.participants:
            return self
        return SchemaFiller(replace(self.scene, prompt=replace(self.scene.prompt, speaker=str(name))), self.root)

    def resolve_node(self, node: Any) -> dict[str, Any]:
        """Follow the references of `node` and merge its parts."""
        merged_node = dict(node) if isinstance(node, Mapping) else {}
        while "$ref" in merged_node:
            target: Any = self.root
            for step in str(merged_node.pop("$ref")).removeprefix("#").strip("/").split("/"):
                target = target[step.replace("~1", "/").replace("~0", "~")] if step else target
            merged_node = {**target, **merged_node}
        for part in merged_node.pop("allOf", []):
            merged_node = {**self.resolve_node(part), **merged_node}
        return merged_node

    def _fill_one_of(self, options: Sequence[Any], name: str, path: str) -> Any:
        """Fill the first option that is not null or an abstention.

        `None` if null is an option and there is no content, or the depth limit is exceeded.
        """
        option_nodes = [self.resolve_node(option) for option in options]
        value_nodes = [option for option in option_nodes if option.get("type") != "null"]
        is_deep = path.count("/") > DEPTH_LIMIT
        if len(value_nodes) == len(option_nodes):
            vote_nodes = [option for option in value_nodes if "abstain" not in str(option.get("title")).casefold()]
            scalar_nodes = [option for option in vote_nodes if option.get("type") not in ("object", "array")]
            return self.fill_node(((scalar_nodes if is_deep else []) or vote_nodes or value_nodes)[0], name, path)
        is_unused = "amount" in name.casefold() and find_integer(self.scene, name, path) is None
        value = None if is_deep or is_unused or not value_nodes else self.fill_node(value_nodes[0], name, path)
        return None if value == "" else value

    def _null(self, node: SchemaNode, name: str, path: str) -> None:
        return None

    def _boolean(self, node: SchemaNode, name: str, path: str) -> bool:
        return decide_yes_no(self.scene, name, path)

    def _integer(self, node: SchemaNode, name: str, path: str) -> int:
        return fit_integer(node, compute_share(self.scene, name, path), find_integer(self.scene, name, path))

    def _number(self, node: SchemaNode, name: str, path: str) -> float:
        purpose = self.scene.prompt.purpose
        unit = str(self.root.get("properties", {}).get("unit", {}).get("const", ""))
        if name in ("low", "answer", "high") and purpose == "estimate":
            return answers.estimate_quantile(self.scene, name, unit)
        if name == "answer" and purpose in answers.ANSWER_PURPOSES:
            return answers.compute_number(self.scene, unit)
        return fit_decimal(node, compute_share(self.scene, name, path))

    def _string(self, node: SchemaNode, name: str, path: str) -> str:
        if node.get("format") in FORMAT_EXAMPLES:
            return FORMAT_EXAMPLES[node["format"]]
        content = write_text(self.scene, name, path)
        if pattern := node.get("pattern"):
            return next(
                (candidate for candidate in (content, *PATTERN_CANDIDATES) if re.search(pattern, candidate)), content
            )
        while len(content) < node.get("minLength", 0):
            content = f"{content} {content}" if content else "…"
        return (
            content
            if len(content) <= (limit := node.get("maxLength", 100_000))
            else _shorten_text(content, limit, node)
        )

    def _array(self, node: SchemaNode, name: str, path: str) -> list[Any]:
        return _fill_list(self, node, name, path)

    def _object(self, node: SchemaNode, name: str, path: str) -> dict[str, Any]:
        """Fill all properties; beyond the depth limit only the required ones."""
        required_keys, is_deep = node.get("required", []), path.count("/") > DEPTH_LIMIT
        properties = {
            key: child for key, child in node.get("properties", {}).items() if key in required_keys or not is_deep
        }
        values = {key: self.fill_node(child, key, f"{path}/{key}") for key, child in properties.items()}
        if values.get("close") is False and "reason" in values:
            values["reason"] = ""
        key_names = self.resolve_node(node.get("propertyNames")).get("enum", [])
        keys = [*key_names, *self.scene.prompt.participants, *(f"key {index}" for index in range(1, 100))]
        wanted_count = max(node.get("minProperties", 0), min(len(key_names), node.get("maxProperties", 100)))
        for key in [key for key in keys if key not in values][: max(0, wanted_count - len(values))]:
            values[key] = self.fill_node(node.get("additionalProperties", {}), key, f"{path}/{key}")
        return values


def _shorten_text(content: str, limit: int, node: SchemaNode) -> str:
    """Shorten a text to `limit` characters, between words if enough text remains."""
    cut_text = content[:limit]
    whole_words = cut_text[: cut_text.rfind(" ")].rstrip(" ,;:") if " " in cut_text else cut_text
    return whole_words if len(whole_words) >= max(1, node.get("minLength", 0)) else cut_text


def _fill_list(filler: SchemaFiller, node: SchemaNode, name: str, path: str) -> list[Any]:
    """Build a valid list. A closed list is in the speaker's order; an open list has the required items, or else 2."""
    prefix_values = [
        filler.fill_node(child, name, f"{path}/{index}") for index, child in enumerate(node.get("prefixItems", []))
    ]
    item_node = filler.resolve_node(node.get("items", {}))
    low, high = node.get("minItems", 0), node.get("maxItems", 50)
    if not node.get("items") or len(prefix_values) >= high:
        return prefix_values
    if "enum" in item_node:
        values = order_values(filler.scene, name, item_node["enum"], path)
        return [*prefix_values, *values[: min(high, max(low, _count_chosen_values(name, len(values))))]]
    if _get_option_key(filler, item_node):
        return _fill_marks(filler, item_node, name, path)[:high]
    return [*prefix_values, *_fill_items(filler, node, name, path)]


def _count_chosen_values(name: str, count: int) -> int:
    """Return the number of chosen values: all of a ranking, else the better half."""
    return (count + 1) // 2 if "approv" in name.casefold() or "select" in name.casefold() else count


def _get_option_key(filler: SchemaFiller, item_node: SchemaNode) -> str:
    """Return the property of an item that names an option of a closed list, or an empty text."""
    properties = item_node.get("properties", {})
    return next((key for key, child in properties.items() if len(filler.resolve_node(child).get("enum", [])) > 1), "")


def _fill_marks(filler: SchemaFiller, item_node: SchemaNode, name: str, path: str) -> list[Any]:
    """Build one item for each option with the speaker's marks.

    A list of points distributes exactly the total.
    """
    key = _get_option_key(filler, item_node)
    options = order_values(filler.scene, name, filler.resolve_node(item_node["properties"][key])["enum"], path)
    if re.search("dissent|objection", name):
        options = [option for option in options if str(option) in collect_dissents(filler.scene)]
    entries = [
        filler.with_speaker(option).fill_node(item_node, name, f"{path}/{option}") | {key: option} for option in options
    ]
    score_key = next(
        (
            property_name
            for property_name in item_node["properties"]
            if property_name in ("score", "points", "mark", "rating")
        ),
        "",
    )
    if not score_key:
        return entries
    max_score = filler.resolve_node(item_node["properties"][score_key]).get("maximum", DEFAULT_POINTS)
    leanings = [score_option(filler.scene, str(option)) for option in options]
    marks = (
        _distribute_points(leanings, DEFAULT_POINTS)
        if name == "points"
        else [round(max_score * min(1.0, value / 2)) for value in leanings]
    )
    return [entry | {score_key: mark} for entry, mark in zip(entries, marks, strict=True)]


def _distribute_points(leanings: list[float], total: int) -> list[int]:
    """Split `total` in proportion to the leanings; the first option gets the remainder from rounding."""
    shares = [int(total * value / (sum(leanings) or 1)) for value in leanings]
    shares[0] += total - sum(shares)
    return shares


def _fill_items(filler: SchemaFiller, node: SchemaNode, name: str, path: str) -> list[Any]:
    item_node, start = filler.resolve_node(node["items"]), len(node.get("prefixItems", []))
    low, high = node.get("minItems", 0), node.get("maxItems", 50)
    wanted_count = min(high, max(low, 2 if path.count("/") < 3 else 0)) - start
    values: list[Any] = []
    for index in range(start, start + wanted_count):
        value = filler.fill_node(item_node, name, f"{path}/{index}")
        if value in values and len(values) + start >= low:
            break
        values.append(_vary_value(filler, item_node, value, values) if value in values else value)
    return values


def _vary_value(filler: SchemaFiller, item_node: SchemaNode, value: Any, values: list[Any]) -> Any:
    """Return a value like `value` that is not in `values`, or `value` itself if there is none."""
    item_type = item_node.get("type")
    if item_type == "string" and not item_node.keys() & {"pattern", "format", "const"}:
        limit = item_node.get("maxLength", 100_000)
        numbered_texts = (f"{value[: max(0, limit - 3)]} {index}"[-limit:] for index in range(2, 100))
        return next((candidate for candidate in numbered_texts if candidate not in values), value)
    if item_type in ("integer", "number") and "const" not in item_node:
        step = item_node.get("multipleOf", 1 if isinstance(value, int) else 0.01)
        neighbours = (value + sign * index * step for index in range(1, 100) for sign in (1, -1))
        return next(
            (
                candidate
                for candidate in neighbours
                if candidate not in values and is_within_bounds(item_node, candidate)
            ),
            value,
        )
    return value
