"""Declarations outside the statements: position, objection, reason. Each keeps its words throughout a run."""

import re

from ...state.random_streams import make_rng
from .filler import TemplateFiller, capitalize_sentences
from .opinion import CONTENT_AGREEMENT
from .scene import Scene
from .speech import list_arguments
from .stock import Argument

_CHARACTER_LIMIT = re.compile(r"(\d[\d,.]*)\s*(?:characters|caracteres|个?字符)")


def get_attitude(scene: Scene, name: str) -> str:
    """Return the attitude of `name` now: `for`, `against` or `joint`."""
    opinion, side = scene.course.opinions.get(name, 0.5), scene.course.get_side(name)
    if side:
        return "joint" if scene.is_settled else "for" if side == "pro" else "against"
    return "joint" if 0.4 <= opinion <= 0.6 else "for" if opinion > 0.5 else "against"


def choose_argument(scene: Scene, attitude: str, *purpose: str) -> Argument:
    """Choose an argument by purpose and attitude; the choice stays the same throughout a run."""
    arguments = scene.stock.arguments[attitude]
    return arguments[make_rng(scene.seed, *purpose, attitude).randrange(len(arguments))]


def fill_stable_sentence(scene: Scene, section: str, key: str, argument: Argument, **values: str) -> str:
    """Fill a phrase about an argument as one sentence that does not change from turn to turn."""
    filler = TemplateFiller(scene.stock, scene.motion, scene.seed, 0, scene.filler.names)
    claim, ground, _ = filler.fill_argument(argument)
    dimension_name = scene.stock.get_phrase("names", argument.dimension)
    return capitalize_sentences(
        filler.fill_template(
            scene.stock.get_phrase(section, key), 0, claim=claim, ground=ground, dim=dimension_name, **values
        )
    )


def describe_position(scene: Scene, name: str) -> str:
    """Describe the position of `name` in a sentence; the common position in a group that agrees."""
    if len(scene.prompt.participants) > 1 and scene.course.is_united() and not scene.course.get_side(name):
        return fill_stable_sentence(scene, "answers", "position_agreed", choose_argument(scene, "joint", "common"))
    attitude = get_attitude(scene, name)
    return fill_stable_sentence(
        scene,
        "answers",
        f"position_{attitude}",
        choose_argument(scene, _choose_backing_attitude(attitude), "position", name),
    )


def _choose_backing_attitude(attitude: str) -> str:
    """Choose the attitude of the supporting argument: joint for a yes, which names its condition; else against."""
    return "against" if attitude == "against" else "joint"


def describe_objection(scene: Scene, name: str) -> str:
    """Describe the objection of `name` to the view of the others; empty for a member that is near enough to them."""
    if scene.course.compute_agreement(name) >= CONTENT_AGREEMENT and not scene.course.get_side(name):
        return ""
    other_opinions = [opinion for member, opinion in scene.course.opinions.items() if member != name] or [0.5]
    is_careful = scene.course.opinions.get(name, 0.5) < sum(other_opinions) / len(other_opinions)
    attitude = "against" if is_careful else "for"
    return fill_stable_sentence(
        scene, "answers", f"objection_{attitude}", choose_argument(scene, attitude, "objection", name)
    )


def describe_reason(scene: Scene, path: str = "") -> str:
    """Describe the reason for the speaker's decision. `path` distinguishes several reasons."""
    attitude = get_attitude(scene, scene.prompt.speaker)
    return fill_stable_sentence(
        scene, "answers", "reason", choose_argument(scene, attitude, "reason", scene.prompt.speaker, path)
    )


def describe_thoughts(scene: Scene) -> str:
    """Describe the speaker's thoughts before a statement."""
    percent = str(round(100 * scene.opinion))
    argument = list_arguments(scene, get_attitude(scene, scene.prompt.speaker))[0]
    return fill_stable_sentence(scene, "answers", "thinking", argument, percent=percent)


def describe_lesson(scene: Scene) -> str:
    """Describe the speaker's lesson from the events."""
    return fill_stable_sentence(
        scene, "answers", "memory", list_arguments(scene, get_attitude(scene, scene.prompt.speaker))[0]
    )


def update_memory(scene: Scene, addition: str) -> str:
    """Add a line to the memory, and cut the oldest text to the number of characters that the task allows."""
    lines = scene.prompt.memory.splitlines()[-20:]
    match = _CHARACTER_LIMIT.search(scene.prompt.task)
    limit = int(re.sub(r"\D", "", match[1])) if match else 4_000
    return "\n".join(lines if addition in lines else [*lines, addition])[-limit:]
