"""A valid, readable instance of a JSON schema that follows from a seed alone."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

Json = dict[str, Any]
DEEP = 8  # levels after which a schema that contains itself is ended with null or an empty list
FORMATS = {
    "date": "2001-02-03",
    "date-time": "2001-02-03T04:05:06Z",
    "time": "04:05:06Z",
    "email": "ada@example.org",
    "uri": "https://example.org/",
    "uuid": "8c9e0f2a-5d5b-4c0e-9d37-2f1f6f0a7b11",
}


@dataclass(frozen=True)
class Filler:
    """Fills schemas that share `root`'s definitions.

    `seed`: ≤ 64 bytes, the same seed gives the same instance. `say`: a number → text for a string without an enum.
    """

    root: Json
    seed: bytes
    say: Callable[[int], str]

    def fill(self, node: Json, path: str = "") -> Any:
        """An instance of `node`: required properties only, enums picked by hash, numbers within their bounds.

        Raises ValueError for a string with a `pattern`: such a schema needs a reply of its own.
        """
        node = self._resolved(node if isinstance(node, dict) else {})
        if "const" in node:
            return node["const"]
        if "enum" in node:
            return node["enum"][self._draw(path) % len(node["enum"])]
        if options := node.get("anyOf") or node.get("oneOf"):
            return self.fill(self._option(options, path), path)
        kind = node.get("type", "object" if "properties" in node else "string")
        if isinstance(kind, list):
            return self.fill(self._option([{**node, "type": one} for one in kind], path), path)
        return getattr(self, f"_{kind}")(node, path)

    def _resolved(self, node: Json) -> Json:
        while "$ref" in node:
            target = self.root
            for step in node["$ref"].removeprefix("#").strip("/").split("/"):
                target = target[step] if step else target
            node = {**target, **{key: value for key, value in node.items() if key != "$ref"}}
        for part in node.get("allOf", []):
            node = {**self._resolved(part), **node}
        return node

    def _draw(self, path: str) -> int:
        return int.from_bytes(blake2b(path.encode(), key=self.seed, digest_size=8).digest())

    def _option(self, options: list[Json], path: str) -> Json:
        nulls = [option for option in options if option.get("type") == "null"]
        others = [option for option in options if option not in nulls]
        choice = nulls if nulls and (path.count("/") > DEEP or not others) else others
        return choice[self._draw(path) % len(choice)]

    def _null(self, node: Json, path: str) -> None:
        return None

    def _boolean(self, node: Json, path: str) -> bool:
        return self._draw(path) % 2 == 0

    def _integer(self, node: Json, path: str) -> int:
        step = int(node.get("multipleOf", 1))
        low, high = _bounds(node, step)
        low, high = math.ceil(low / step), math.floor(high / step)
        return (low + self._draw(path) % (high - low + 1)) * step

    def _number(self, node: Json, path: str) -> float:
        if "multipleOf" in node:
            steps = {key: node[key] / node["multipleOf"] for key in BOUNDS if key in node}
            return float(self._integer({"type": "integer", **steps}, path) * node["multipleOf"])
        low, high = _bounds(node, 0)
        return round(low + (high - low) * (1 + self._draw(path) % 99) / 100, 6)

    def _string(self, node: Json, path: str) -> str:
        if "pattern" in node:
            raise ValueError(f"schema pattern {node['pattern']!r} at {path or '/'}: give the server a reply for it")
        text = FORMATS.get(node.get("format", "")) or self.say(self._draw(path))
        while len(text) < node.get("minLength", 0):
            text += " " + text
        return text[: node.get("maxLength")]

    def _array(self, node: Json, path: str) -> list[Any]:
        if path.count("/") > DEEP and not node.get("minItems"):
            return []
        items = [self.fill(one, f"{path}/{i}") for i, one in enumerate(node.get("prefixItems", []))]
        wanted = min(max(node.get("minItems", 0), 1), node.get("maxItems", 1_000))
        for salt in range(len(items), 100 * wanted):
            if len(items) >= wanted or not node.get("items", True):
                break
            fill = self.fill(node.get("items", {}), f"{path}/{salt}")
            if fill not in items or not (node.get("uniqueItems") or "enum" in node.get("items", {})):
                items.append(fill)
        return items

    def _object(self, node: Json, path: str) -> Json:
        known = node.get("properties", {})
        filled = {key: self.fill(known.get(key, {}), f"{path}/{key}") for key in node.get("required", [])}
        # What a yes announces comes with it, as `objection` with `has_objection`.
        announced = [key for key in known if filled.get(f"has_{key}") is True and key not in filled]
        filled |= {key: self.fill(known[key], f"{path}/{key}") for key in announced}
        for i in range(node.get("minProperties", 0) - len(filled)):
            filled[f"key {i + 1}"] = self.fill(node.get("additionalProperties", {}), f"{path}/{i}")
        return filled


BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")


def _bounds(node: Json, step: float) -> tuple[float, float]:
    """Lowest and highest value; ten apart where the schema leaves an end open, an exclusive end moved by `step`."""
    low = node.get("minimum", node["exclusiveMinimum"] + step if "exclusiveMinimum" in node else None)
    high = node.get("maximum", node["exclusiveMaximum"] - step if "exclusiveMaximum" in node else None)
    if low is None:
        low = 0 if high is None or high >= 0 else high - 10
    return low, low + 10 if high is None else high


def without_enums(node: Any) -> Any:
    """The same schema with every closed list of values replaced by one value that is not in it."""
    if isinstance(node, list):
        return [without_enums(child) for child in node]
    if not isinstance(node, dict):
        return node
    closed = {"enum", "const"} & node.keys()
    kept = {key: without_enums(value) for key, value in node.items() if key not in closed}
    return {**kept, "const": "none of these"} if closed else kept
