"""Filling the lists of a schema: rankings, approvals, points, and plain lists, nothing named twice."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .....state.draw import stream
from .....state.justice import CERTAINTIES, PRINCIPLES
from .. import justice as principles
from ..group_summary import held_dissents
from ..scene import Scene
from ..verdict import verdict
from .meaning import decides, next_speaker
from .numbers import allowed

if TYPE_CHECKING:
    from .schema import Form

_YES = re.compile(
    r"yes|agree|accept|approve|consent|support|for|pro|in favou?r|true|start|1|"
    r"sí|si|a favor|acepto|apoyo|同意|支持|赞成|是",
    re.IGNORECASE,
)
_NO = re.compile(
    r"no|disagree|reject|refuse|oppose|against|con|false|wait|not now|0|"
    r"rechazo|en contra|me opongo|不同意|反对|否|不",
    re.IGNORECASE,
)


def ordered(scene: Scene, name: str, values: Sequence[object], path: str) -> list[object]:
    """The values of a closed list, the preferred first."""
    words = {str(value) for value in values}
    if "continue" in words:
        return _led_by(values, verdict(scene).reason)
    if words <= set(CERTAINTIES):
        return _led_by(values, CERTAINTIES[principles.certainty(scene)])
    if words <= set(PRINCIPLES) or (words == set("1234") and principles.concerns_justice(scene)):
        return sorted(values, key=lambda one: principles.ranking(scene).index(_number(str(one))))
    if words <= {*scene.prompt.cast, ""} and "moved" in name.casefold():
        return _led_by(values, scene.course.moved_by(scene.prompt.me))
    if words <= {*scene.prompt.cast, ""} and re.search(r"next|yield|speak", name.casefold()):
        return _led_by(values, next_speaker(scene))
    if all(_YES.fullmatch(word) or _NO.fullmatch(word) for word in words):
        yes = decides(scene, name, path)
        return sorted(values, key=lambda one: bool(_YES.fullmatch(str(one))) != yes)
    return sorted(values, key=lambda one: -liking(scene, str(one)))


def liking(scene: Scene, option: str) -> float:
    """How much the speaker likes an option, above 0: a leaning of its own, and what the others spoke for lately."""
    own, words = stream(scene.seed, "option", scene.prompt.me, option).random(), option.casefold()
    offered = [one.casefold() for one in scene.motion.options]
    if scene.side and words in offered and (offered[0] == words) == (scene.opinion >= 0.5):
        own += 3
    latest = {one.speaker: one.text.casefold() for one in scene.prompt.heard}
    return own + 0.8 * sum(words in said for said in latest.values()) / max(1, len(latest))


def _led_by(values: Sequence[object], first: str) -> list[object]:
    return sorted(values, key=lambda one: str(one) != first)


def _number(word: str) -> int:
    return int(word) if word.isdigit() else [str(one) for one in PRINCIPLES].index(word) + 1


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
