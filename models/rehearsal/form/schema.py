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
"""Levels after which a schema that contains itself is ended."""
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
        """Build a valid instance of `node`. The name of its property says what it means."""
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
        """Return the same filler for another participant; unchanged for any other name."""
        if name not in self.scene.prompt.participants:
            return self
        return SchemaFiller(replace(self.scene, prompt=replace(self.scene.prompt, speaker=str(name))), self.root)

    def resolve_node(self, node: Any) -> dict[str, Any]:
        """Follow the references of `node` and merge its parts."""
        merged = dict(node) if isinstance(node, Mapping) else {}
        while "$ref" in merged:
            target: Any = self.root
            for step in str(merged.pop("$ref")).removeprefix("#").strip("/").split("/"):
                target = target[step.replace("~1", "/").replace("~0", "~")] if step else target
            merged = {**target, **merged}
        for part in merged.pop("allOf", []):
            merged = {**self.resolve_node(part), **merged}
        return merged

    def _fill_one_of(self, options: Sequence[Any], name: str, path: str) -> Any:
        """Fill the first option with content; `None` if there is no content, or below the depth limit."""
        nodes = [self.resolve_node(option) for option in options]
        non_null = [option for option in nodes if option.get("type") != "null"]
        is_deep = path.count("/") > DEPTH_LIMIT
        if len(non_null) == len(nodes):
            without_abstention = [option for option in non_null if "abstain" not in str(option.get("title")).casefold()]
            scalars = [option for option in without_abstention if option.get("type") not in ("object", "array")]
            return self.fill_node(((scalars if is_deep else []) or without_abstention or non_null)[0], name, path)
        is_unused = "amount" in name.casefold() and find_integer(self.scene, name, path) is None
        value = None if is_deep or is_unused or not non_null else self.fill_node(non_null[0], name, path)
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
            return answers.compute_figure(self.scene, unit)
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
        """Fill all properties; below the depth limit only the required ones."""
        required, is_deep = node.get("required", []), path.count("/") > DEPTH_LIMIT
        properties = {key: child for key, child in node.get("properties", {}).items() if key in required or not is_deep}
        filled = {key: self.fill_node(child, key, f"{path}/{key}") for key, child in properties.items()}
        if filled.get("close") is False and "reason" in filled:
            filled["reason"] = ""
        key_names = self.resolve_node(node.get("propertyNames")).get("enum", [])
        keys = [*key_names, *self.scene.prompt.participants, *(f"key {index}" for index in range(1, 100))]
        wanted = max(node.get("minProperties", 0), min(len(key_names), node.get("maxProperties", 100)))
        for key in [key for key in keys if key not in filled][: max(0, wanted - len(filled))]:
            filled[key] = self.fill_node(node.get("additionalProperties", {}), key, f"{path}/{key}")
        return filled


def _shorten_text(content: str, limit: int, node: SchemaNode) -> str:
    """Shorten a text to `limit` characters, between words if enough text remains."""
    cut = content[:limit]
    words = cut[: cut.rfind(" ")].rstrip(" ,;:") if " " in cut else cut
    return words if len(words) >= max(1, node.get("minLength", 0)) else cut


def _fill_list(form: SchemaFiller, node: SchemaNode, name: str, path: str) -> list[Any]:
    """Build a valid list.

    A closed list is in the speaker's order. An open one has the required items, else 2.
    """
    prefix = [form.fill_node(child, name, f"{path}/{index}") for index, child in enumerate(node.get("prefixItems", []))]
    item = form.resolve_node(node.get("items", {}))
    low, high = node.get("minItems", 0), node.get("maxItems", 50)
    if not node.get("items") or len(prefix) >= high:
        return prefix
    if "enum" in item:
        values = order_values(form.scene, name, item["enum"], path)
        return [*prefix, *values[: min(high, max(low, _count_chosen(name, len(values))))]]
    if _find_option_key(form, item):
        return _fill_marks(form, item, name, path)[:high]
    return [*prefix, *_fill_items(form, node, name, path)]


def _count_chosen(name: str, count: int) -> int:
    """Return the number of chosen values: all of a ranking, else the better half."""
    return (count + 1) // 2 if "approv" in name.casefold() or "select" in name.casefold() else count


def _find_option_key(form: SchemaFiller, item: SchemaNode) -> str:
    """Return the property of an item that names an option of a closed list, or an empty text."""
    properties = item.get("properties", {})
    return next((key for key, child in properties.items() if len(form.resolve_node(child).get("enum", [])) > 1), "")


def _fill_marks(form: SchemaFiller, item: SchemaNode, name: str, path: str) -> list[Any]:
    """Build one item for each option with the speaker's marks.

    A list of points distributes exactly the total.
    """
    key = _find_option_key(form, item)
    options = order_values(form.scene, name, form.resolve_node(item["properties"][key])["enum"], path)
    if re.search("dissent|objection", name):
        options = [option for option in options if str(option) in collect_dissents(form.scene)]
    filled = [form.with_speaker(option).fill_node(item, name, f"{path}/{option}") | {key: option} for option in options]
    score = next(
        (
            property_name
            for property_name in item["properties"]
            if property_name in ("score", "points", "mark", "rating")
        ),
        "",
    )
    if not score:
        return filled
    top = form.resolve_node(item["properties"][score]).get("maximum", DEFAULT_POINTS)
    likings = [score_option(form.scene, str(option)) for option in options]
    marks = (
        _distribute_points(likings, DEFAULT_POINTS)
        if name == "points"
        else [round(top * min(1.0, value / 2)) for value in likings]
    )
    return [entry | {score: mark} for entry, mark in zip(filled, marks, strict=True)]


def _distribute_points(likings: list[float], total: int) -> list[int]:
    """Split `total` in proportion to the likings. The remainder from rounding goes to the favourite."""
    shares = [int(total * value / (sum(likings) or 1)) for value in likings]
    shares[0] += total - sum(shares)
    return shares


def _fill_items(form: SchemaFiller, node: SchemaNode, name: str, path: str) -> list[Any]:
    item, start = form.resolve_node(node["items"]), len(node.get("prefixItems", []))
    low, high = node.get("minItems", 0), node.get("maxItems", 50)
    wanted = min(high, max(low, 2 if path.count("/") < 3 else 0)) - start
    values: list[Any] = []
    for index in range(start, start + wanted):
        value = form.fill_node(item, name, f"{path}/{index}")
        if value in values and len(values) + start >= low:
            break
        values.append(_vary_value(form, item, value, values) if value in values else value)
    return values


def _vary_value(form: SchemaFiller, item: SchemaNode, value: Any, values: list[Any]) -> Any:
    """Return a value like `value` that is not in `values`, or `value` itself if there is none."""
    kind = item.get("type")
    if kind == "string" and not item.keys() & {"pattern", "format", "const"}:
        limit = item.get("maxLength", 100_000)
        numbered = (f"{value[: max(0, limit - 3)]} {index}"[-limit:] for index in range(2, 100))
        return next((candidate for candidate in numbered if candidate not in values), value)
    if kind in ("integer", "number") and "const" not in item:
        step = item.get("multipleOf", 1 if isinstance(value, int) else 0.01)
        neighbours = (value + sign * index * step for index in range(1, 100) for sign in (1, -1))
        return next(
            (candidate for candidate in neighbours if candidate not in values and is_within_bounds(item, candidate)),
            value,
        )
    return value
