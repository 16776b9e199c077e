"""Choosing within a closed list: the speaker's order of its values, and how much it likes each."""

import re
from collections.abc import Sequence

from .....state.draw import stream
from .....state.justice import CERTAINTIES, PRINCIPLES
from .. import justice as principles
from .. import standing
from ..scene import Scene
from ..verdict import verdict
from .meaning import decides, next_speaker

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
    if words == {"for", "against", "undecided"}:
        return _led_by(values, standing.side(scene))
    if words == {"guilty", "not guilty"}:
        return _led_by(values, "guilty" if scene.opinion >= 0.5 else "not guilty")
    if words == {"hold", "partly", "concede"}:
        return _led_by(values, standing.stance(scene))
    if name == "answer" and scene.prompt.purpose in (*standing.PURPOSES, "statement"):
        return standing.preferred(scene, values)
    if words <= set(CERTAINTIES):
        return _led_by(values, CERTAINTIES[principles.certainty(scene)])
    if words <= set(PRINCIPLES) or (words == set("1234") and principles.concerns_justice(scene)):
        return sorted(values, key=lambda one: principles.ranking(scene).index(_number(str(one))))
    if words <= {*scene.prompt.people, ""} and "moved" in name.casefold():
        return _led_by(values, scene.course.moved_by(scene.prompt.me))
    if words <= {*scene.prompt.people, ""} and re.search(r"next|yield|speak", name.casefold()):
        return _led_by(values, next_speaker(scene))
    if all(_YES.fullmatch(word) or _NO.fullmatch(word) for word in words):
        yes = decides(scene, name, path)
        return sorted(values, key=lambda one: bool(_YES.fullmatch(str(one))) != yes)
    if scene.prompt.purpose == "ballot" and scene.prompt.private:
        return standing.preferred(scene, values)
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
