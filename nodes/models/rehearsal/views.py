"""What a participant declares outside its statements: a position, an objection, a reason; the same words each time."""

import re

from ....state.draw import stream
from .filling import Filling, sentence
from .opinion import CONTENT
from .scene import Scene
from .speech import agenda
from .stock import Argument

_BOUND = re.compile(r"(\d[\d,.]*)\s*(?:characters|caracteres|个?字符)")


def attitude_of(scene: Scene, name: str) -> str:
    """`for`, `against` or `joint`: how `name` stands now."""
    opinion, side = scene.course.now.get(name, 0.5), scene.course.side(name)
    if side:
        return "joint" if scene.settled else "for" if side == "pro" else "against"
    return "joint" if 0.4 <= opinion <= 0.6 else "for" if opinion > 0.5 else "against"


def chosen(scene: Scene, attitude: str, *purpose: str) -> Argument:
    """The argument that stays with a purpose and attitude all through a run."""
    pool = scene.stock.arguments[attitude]
    return pool[stream(scene.seed, *purpose, attitude).randrange(len(pool))]


def plainly(scene: Scene, section: str, key: str, argument: Argument, **given: str) -> str:
    """A phrase about an argument, as one sentence that does not change from turn to turn."""
    steady = Filling(scene.stock, scene.motion, scene.seed, 0, scene.filling.names)
    claim, ground, _ = steady.clauses(argument)
    dim = scene.stock.line("names", argument.dimension)
    return sentence(steady.fill(scene.stock.line(section, key), 0, claim=claim, ground=ground, dim=dim, **given))


def position(scene: Scene, name: str) -> str:
    """Where `name` stands, in a sentence; in a group that has found together, the common position."""
    if len(scene.prompt.people) > 1 and scene.course.united() and not scene.course.side(name):
        return plainly(scene, "answers", "position_agreed", chosen(scene, "joint", "common"))
    attitude = attitude_of(scene, name)
    return plainly(scene, "answers", f"position_{attitude}", chosen(scene, _backing(attitude), "position", name))


def _backing(attitude: str) -> str:
    """A yes names its condition, a no its reason."""
    return "against" if attitude == "against" else "joint"


def objection(scene: Scene, name: str) -> str:
    """What `name` still holds against the view of the others; empty where it has come near enough."""
    if scene.course.agreement(name) >= CONTENT and not scene.course.side(name):
        return ""
    others = [opinion for other, opinion in scene.course.now.items() if other != name] or [0.5]
    careful = scene.course.now.get(name, 0.5) < sum(others) / len(others)
    attitude = "against" if careful else "for"
    return plainly(scene, "answers", f"objection_{attitude}", chosen(scene, attitude, "objection", name))


def reason(scene: Scene, path: str = "") -> str:
    """Why the speaker decides as it does; `path` tells several reasons apart."""
    attitude = attitude_of(scene, scene.prompt.me)
    return plainly(scene, "answers", "reason", chosen(scene, attitude, "reason", scene.prompt.me, path))


def thinking(scene: Scene) -> str:
    """What goes through the speaker's mind before it speaks."""
    percent = str(round(100 * scene.opinion))
    argument = agenda(scene, attitude_of(scene, scene.prompt.me))[0]
    return plainly(scene, "answers", "thinking", argument, percent=percent)


def lesson(scene: Scene) -> str:
    """What the speaker takes from what has happened."""
    return plainly(scene, "answers", "memory", agenda(scene, attitude_of(scene, scene.prompt.me))[0])


def remembered(scene: Scene, news: str) -> str:
    """The memory with `news`, within the characters the task allows; older lines go first where it grows long."""
    kept = scene.prompt.memory.splitlines()[-20:]
    named = _BOUND.search(scene.prompt.task)
    bound = int(re.sub(r"\D", "", named[1])) if named else 4_000
    return "\n".join(kept if news in kept else [*kept, news])[-bound:]
