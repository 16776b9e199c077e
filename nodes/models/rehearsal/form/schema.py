"""Filling any JSON schema with a valid instance whose values mean something."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..scene import Scene
from .listing import listed, ordered
from .meaning import decides, share, text, whole
from .numbers import decimal, integer

Json = Mapping[str, Any]
DEEP = 6
"""Levels after which a schema that contains itself is ended."""
FORMATS = {
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
PLAIN = ("a", "A", "1", "a1", "A1", "abc", "ABC", "2001-02-03", "12:30", "#aabbcc", "1.0", "10.0.0.1")
"""Tried for a string with a pattern."""


@dataclass(frozen=True)
class Form:
    """A schema to be filled in a situation."""

    scene: Scene
    root: Json

    def fill(self, node: Any, name: str = "", path: str = "") -> Any:
        """A valid instance of `node`; its property's name says what it means."""
        node = self.resolved(node)
        if "const" in node:
            return node["const"]
        if "enum" in node:
            return ordered(self.scene, name, node["enum"], path)[0]
        if options := node.get("anyOf") or node.get("oneOf"):
            return self._one_of(options, name, path)
        kind = node.get("type", "object" if "properties" in node else "array" if "items" in node else "string")
        if isinstance(kind, list):
            return self._one_of([{**node, "type": one} for one in kind], name, path)
        return getattr(self, f"_{kind}")(node, name, path)

    def seen_by(self, name: object) -> "Form":
        """The same form as one of the participants would fill it; unchanged for any other name."""
        if name not in self.scene.prompt.cast:
            return self
        return Form(replace(self.scene, prompt=replace(self.scene.prompt, me=str(name))), self.root)

    def resolved(self, node: Any) -> dict[str, Any]:
        """`node` with its references followed and its parts merged."""
        merged = dict(node) if isinstance(node, Mapping) else {}
        while "$ref" in merged:
            target: Any = self.root
            for step in str(merged.pop("$ref")).removeprefix("#").strip("/").split("/"):
                target = target[step.replace("~1", "/").replace("~0", "~")] if step else target
            merged = {**target, **merged}
        for part in merged.pop("allOf", []):
            merged = {**self.resolved(part), **merged}
        return merged

    def _one_of(self, options: Sequence[Any], name: str, path: str) -> Any:
        """The first option that says something; null where there is nothing to say, or deep down."""
        known = [self.resolved(option) for option in options]
        others = [option for option in known if option.get("type") != "null"]
        deep = path.count("/") > DEEP
        if len(others) == len(known):
            voting = [option for option in others if "abstain" not in str(option.get("title")).casefold()]
            flat = [option for option in voting if option.get("type") not in ("object", "array")]
            return self.fill(((flat if deep else []) or voting or others)[0], name, path)
        idle = "amount" in name.casefold() and whole(self.scene, name, path) is None
        value = None if deep or idle or not others else self.fill(others[0], name, path)
        return None if value == "" else value

    def _null(self, node: Json, name: str, path: str) -> None:
        return None

    def _boolean(self, node: Json, name: str, path: str) -> bool:
        return decides(self.scene, name, path)

    def _integer(self, node: Json, name: str, path: str) -> int:
        return integer(node, share(self.scene, name, path), whole(self.scene, name, path))

    def _number(self, node: Json, name: str, path: str) -> float:
        return decimal(node, share(self.scene, name, path))

    def _string(self, node: Json, name: str, path: str) -> str:
        if node.get("format") in FORMATS:
            return FORMATS[node["format"]]
        said = text(self.scene, name, path)
        if pattern := node.get("pattern"):
            return next((one for one in (said, *PLAIN) if re.search(pattern, one)), said)
        while len(said) < node.get("minLength", 0):
            said = f"{said} {said}" if said else "…"
        return said if len(said) <= (limit := node.get("maxLength", 100_000)) else _shortened(said, limit, node)

    def _array(self, node: Json, name: str, path: str) -> list[Any]:
        return listed(self, node, name, path)

    def _object(self, node: Json, name: str, path: str) -> dict[str, Any]:
        """All its properties; deep down only those it must have."""
        must, deep = node.get("required", []), path.count("/") > DEEP
        known = {key: one for key, one in node.get("properties", {}).items() if key in must or not deep}
        filled = {key: self.fill(one, key, f"{path}/{key}") for key, one in known.items()}
        if filled.get("close") is False and "reason" in filled:
            filled["reason"] = ""
        named = self.resolved(node.get("propertyNames")).get("enum", [])
        keys = [*named, *self.scene.prompt.cast, *(f"key {place}" for place in range(1, 100))]
        wanted = max(node.get("minProperties", 0), min(len(named), node.get("maxProperties", 100)))
        for key in [key for key in keys if key not in filled][: max(0, wanted - len(filled))]:
            filled[key] = self.fill(node.get("additionalProperties", {}), key, f"{path}/{key}")
        return filled


def _shortened(said: str, limit: int, node: Json) -> str:
    """At most `limit` characters, cut between words where that leaves enough."""
    cut = said[:limit]
    words = cut[: cut.rfind(" ")].rstrip(" ,;:") if " " in cut else cut
    return words if len(words) >= max(1, node.get("minLength", 0)) else cut
