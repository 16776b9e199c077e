"""Filling any JSON schema with a valid instance whose values mean something.

Lists are rankings, approvals, points, or plain ones; nothing is named twice.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .. import standing
from ..group_summary import held_dissents
from ..scene import Scene
from .choice import liking, ordered
from .meaning import decides, share, text, whole
from .numbers import allowed, decimal, integer

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
POINTS = 10
"""Points a list called `points` gives away, where its schema names no other highest mark."""


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
        if name not in self.scene.prompt.people:
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
        purpose = self.scene.prompt.purpose
        unit = str(self.root.get("properties", {}).get("unit", {}).get("const", ""))
        if name in ("low", "answer", "high") and purpose == "estimate":
            return standing.estimate(self.scene, name, unit)
        if name == "answer" and purpose in standing.PURPOSES:
            return standing.figure(self.scene, unit)
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
        return _listed(self, node, name, path)

    def _object(self, node: Json, name: str, path: str) -> dict[str, Any]:
        """All its properties; deep down only those it must have."""
        must, deep = node.get("required", []), path.count("/") > DEEP
        known = {key: one for key, one in node.get("properties", {}).items() if key in must or not deep}
        filled = {key: self.fill(one, key, f"{path}/{key}") for key, one in known.items()}
        if filled.get("close") is False and "reason" in filled:
            filled["reason"] = ""
        named = self.resolved(node.get("propertyNames")).get("enum", [])
        keys = [*named, *self.scene.prompt.people, *(f"key {place}" for place in range(1, 100))]
        wanted = max(node.get("minProperties", 0), min(len(named), node.get("maxProperties", 100)))
        for key in [key for key in keys if key not in filled][: max(0, wanted - len(filled))]:
            filled[key] = self.fill(node.get("additionalProperties", {}), key, f"{path}/{key}")
        return filled


def _shortened(said: str, limit: int, node: Json) -> str:
    """At most `limit` characters, cut between words where that leaves enough."""
    cut = said[:limit]
    words = cut[: cut.rfind(" ")].rstrip(" ,;:") if " " in cut else cut
    return words if len(words) >= max(1, node.get("minLength", 0)) else cut


def _listed(form: Form, node: Json, name: str, path: str) -> list[Any]:
    """A valid list: a closed list in the speaker's order, else as many items as asked for, two where that is open."""
    fixed = [form.fill(one, name, f"{path}/{place}") for place, one in enumerate(node.get("prefixItems", []))]
    item = form.resolved(node.get("items", {}))
    low, high = node.get("minItems", 0), node.get("maxItems", 50)
    if not node.get("items") or len(fixed) >= high:
        return fixed
    if "enum" in item:
        values = ordered(form.scene, name, item["enum"], path)
        return [*fixed, *values[: min(high, max(low, _how_many(name, len(values))))]]
    if _marked(form, item):
        return _marks(form, item, name, path)[:high]
    return [*fixed, *_items(form, node, name, path)]


def _how_many(name: str, count: int) -> int:
    """All of a ranking, the better half of anything else."""
    return (count + 1) // 2 if "approv" in name.casefold() or "select" in name.casefold() else count


def _marked(form: Form, item: Json) -> str:
    """The property of an item that names an option of a closed list, if it has one."""
    known = item.get("properties", {})
    return next((key for key, one in known.items() if len(form.resolved(one).get("enum", [])) > 1), "")


def _marks(form: Form, item: Json, name: str, path: str) -> list[Any]:
    """One item for each option, with the speaker's marks; a list of points gives away exactly what there is."""
    key = _marked(form, item)
    options = ordered(form.scene, name, form.resolved(item["properties"][key])["enum"], path)
    if re.search("dissent|objection", name):
        options = [one for one in options if str(one) in held_dissents(form.scene)]
    filled = [form.seen_by(option).fill(item, name, f"{path}/{option}") | {key: option} for option in options]
    score = next((other for other in item["properties"] if other in ("score", "points", "mark", "rating")), "")
    if not score:
        return filled
    top = form.resolved(item["properties"][score]).get("maximum", POINTS)
    liked = [liking(form.scene, str(option)) for option in options]
    marks = _given_away(liked, POINTS) if name == "points" else [round(top * min(1.0, one / 2)) for one in liked]
    return [one | {score: mark} for one, mark in zip(filled, marks, strict=True)]


def _given_away(liked: list[float], total: int) -> list[int]:
    """`total` split in proportion to liking; what rounding leaves goes to the favourite."""
    given = [int(total * one / (sum(liked) or 1)) for one in liked]
    given[0] += total - sum(given)
    return given


def _items(form: Form, node: Json, name: str, path: str) -> list[Any]:
    item, start = form.resolved(node["items"]), len(node.get("prefixItems", []))
    low, high = node.get("minItems", 0), node.get("maxItems", 50)
    wanted = min(high, max(low, 2 if path.count("/") < 3 else 0)) - start
    found: list[Any] = []
    for place in range(start, start + wanted):
        one = form.fill(item, name, f"{path}/{place}")
        if one in found and len(found) + start >= low:
            break
        found.append(_another(form, item, one, found) if one in found else one)
    return found


def _another(form: Form, item: Json, one: Any, found: list[Any]) -> Any:
    """A value like `one` that is not among those found; `one` itself where there is none to be had."""
    kind = item.get("type")
    if kind == "string" and not item.keys() & {"pattern", "format", "const"}:
        longest = item.get("maxLength", 100_000)
        marked = (f"{one[: max(0, longest - 3)]} {place}"[-longest:] for place in range(2, 100))
        return next((other for other in marked if other not in found), one)
    if kind in ("integer", "number") and "const" not in item:
        step = item.get("multipleOf", 1 if isinstance(one, int) else 0.01)
        near = (one + sign * place * step for place in range(1, 100) for sign in (1, -1))
        return next((other for other in near if other not in found and allowed(item, other)), one)
    return one
