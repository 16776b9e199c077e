"""Filling the lists of a schema: rankings, approvals, points, and plain lists, nothing named twice."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .gathering import held_dissents
from .liking import liking, ordered
from .numbers import allowed

if TYPE_CHECKING:
    from .schema import Form

Json = Mapping[str, Any]
POINTS = 10
"""Points a list called `points` gives away, where its schema names no other highest mark."""


def listed(form: "Form", node: Json, name: str, path: str) -> list[Any]:
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


def _marked(form: "Form", item: Json) -> str:
    """The property of an item that names an option of a closed list, if it has one."""
    known = item.get("properties", {})
    return next((key for key, one in known.items() if len(form.resolved(one).get("enum", [])) > 1), "")


def _marks(form: "Form", item: Json, name: str, path: str) -> list[Any]:
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


def _items(form: "Form", node: Json, name: str, path: str) -> list[Any]:
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


def _another(form: "Form", item: Json, one: Any, found: list[Any]) -> Any:
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
