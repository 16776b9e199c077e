"""What the fields of a schema ask for, by their names: a quotation, a turn, a position, a share, a yes or no."""

import re
from collections.abc import Callable
from zlib import crc32

from .....state.draw import stream
from .. import justice as principles
from .. import standing
from ..debate_summary import dispute
from ..group_summary import common_ground, held_dissents, movement, synthesis
from ..opinion import CONTENT
from ..quoting import quotable
from ..scene import Scene
from ..speech import speak
from ..verdict import verdict
from ..views import objection, position, reason, thinking

Text = Callable[[Scene, str], str]

_TEXTS: list[tuple[str, Text]] = [
    (r"quot|excerpt|passage|evidence|words|cite", lambda scene, path: evidence(scene, path)[0]),
    (r"common|shared", lambda scene, path: common_ground(scene, "said")),
    (r"movement|shift", lambda scene, path: movement(scene)),
    (r"question|unsettled|open", lambda scene, path: open_question(scene)),
    (r"objection|reservation|dissent|concern", lambda scene, path: objection(scene, scene.prompt.me)),
    (r"next|yield|addressee|invite|recipient", lambda scene, path: next_speaker(scene)),
    (r"speaker|author|who\b|name|participant|voter", lambda scene, path: scene.who or scene.prompt.me),
    (r"position|stance|view|opinion|proposal", lambda scene, path: position(scene, scene.prompt.me)),
    (r"statement|content|message|text|reply|response|argument|contribution", lambda scene, path: speak(scene)),
    (r"synthesis|conclusion|summary", lambda scene, path: synthesis(scene)),
    (r"topic|motion|query|title", lambda scene, path: scene.topic),
    (r"thought|thinking|private", lambda scene, path: thinking(scene)),
    (r"lang", lambda scene, path: scene.prompt.language),
]
_SHARES: list[tuple[str, Callable[[Scene], float]]] = [
    (r"agree|consensus|common|align", lambda scene: scene.course.agreement(scene.prompt.me)),
    (r"confiden|certain|sure|convict|strength|weight", lambda scene: scene.course.conviction(scene.prompt.me)),
    (r"opinion|support|stance|position|approv|favou?r|score|rating", lambda scene: scene.opinion),
]
_NEVER = re.compile(r"abstain|declin|refus|reject|oppos|object|withdraw|clos|stop|default|invalid|leave|cut_off|error")


def text(scene: Scene, name: str, path: str) -> str:
    """What a text field asks for; a reason where its name says nothing."""
    words = name.casefold()
    if "dissent" in path and "reason" in words:
        return held_dissents(scene).get(scene.prompt.me) or objection(scene, scene.prompt.me) or reason(scene, path)
    make = next((make for pattern, make in _TEXTS if re.search(pattern, words)), reason)
    return make(scene, path)


def share(scene: Scene, name: str, path: str) -> float:
    """What a number stands for, as a share of its range, 0…1; drawn where its name says nothing."""
    words = name.casefold()
    if scene.prompt.purpose == "judgement" and "confiden" in words:
        return verdict(scene).confidence
    if name == "certainty" and scene.prompt.purpose in standing.PURPOSES:
        return standing.certainty(scene)
    make = next((make for pattern, make in _SHARES if re.search(pattern, words)), None)
    return make(scene) if make else stream(scene.seed, "number", scene.prompt.me, path).random()


def whole(scene: Scene, name: str, path: str) -> int | None:
    """A whole number with a meaning of its own: a turn, a principle, its amount; none for any other."""
    words = name.casefold()
    if "turn" in words:
        return evidence(scene, path)[1]
    if principles.concerns_justice(scene) and re.search(r"principle|ballot|choice|option|vote", words):
        return principles.held(scene)[0]
    return principles.held(scene)[1] if "amount" in words else None


def decides(scene: Scene, name: str, path: str) -> bool:
    """A yes or no: never for what would break off; by agreement in a group, by opinion for a side."""
    if _NEVER.search(name.casefold()):
        return False
    purpose = scene.prompt.purpose
    if purpose in ("initiation", "confirmation") and principles.concerns_justice(scene):
        return principles.wants_vote(scene) if purpose == "initiation" else principles.lets_vote(scene)
    if scene.side:
        return scene.opinion >= 0.5
    if len(scene.prompt.people) > 1 and scene.prompt.heard:
        return scene.course.agreement(scene.prompt.me) >= (CONTENT if purpose == "initiation" else 0.65)
    return stream(scene.seed, "yes", scene.prompt.me, path).random() < 0.5


def evidence(scene: Scene, path: str) -> tuple[str, int]:
    """Words somebody really said and their turn; the same for the fields of one object."""
    heard = scene.prompt.heard
    if scene.prompt.purpose == "judgement":
        found = verdict(scene)
        return found.quote, found.turn
    if not heard:
        return "", 0
    one = heard[-1 - crc32(path.rpartition("/")[0].encode()) % min(len(heard), 4)]
    return (quotable(one.text) or [one.text.strip()[:80]])[0], one.turn


def open_question(scene: Scene) -> str:
    """What was left open; before anybody has spoken, the topic itself."""
    return dispute(scene) or scene.topic


def next_speaker(scene: Scene) -> str:
    """The one of the others who has been silent longest."""
    latest = {one.speaker: one.turn for one in scene.prompt.heard}
    return min(scene.prompt.others, key=lambda name: latest.get(name, 0), default="")
