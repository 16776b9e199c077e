"""Summing up a group: the common ground, every dissent with its holder, and what is open."""

import re

from .debate_summary import MOVED, dispute, moved, of_sides, points, told
from .opinion import CONTENT
from .scene import Scene
from .views import objection

LETTERS = 4
"""Letters that a summary allows itself for each word asked for; one ideograph for each in Chinese."""


def synthesis(scene: Scene) -> str:
    """The closing text: of a debate by its two sides, of a group by its members."""
    if not scene.prompt.heard:
        return scene.stock.line("answers", "greeting")
    sides = [name for name in scene.prompt.people if scene.course.side(name)]
    blocks = of_sides(scene, sides) if len(sides) == 2 else of_group(scene)
    return "\n\n".join(scene.stock.gap.join(line for line in block if line) for block in blocks if any(block))


def of_group(scene: Scene) -> list[list[str]]:
    """The blocks of a group's synthesis."""
    latest = {one.speaker: one for one in scene.prompt.heard}
    comma = "、" if scene.prompt.language == "zh" else ", "
    values = {"names": comma.join(latest), "turns": str(len(scene.prompt.heard))}
    summary = scene.filling.fill(scene.stock.line("closing", "summary_group"), 0, **values)
    said = [told(scene, "said", one) for one in latest.values()]
    return [[summary], said, [common_ground(scene)], dissents(scene), [dispute(scene), movement(scene)]]


def dissents(scene: Scene) -> list[str]:
    """A line for each open objection."""
    line = scene.stock.line("closing", "dissent")
    return [scene.filling.fill(line, 0, name=name, objection=held) for name, held in held_dissents(scene).items()]


def held_dissents(scene: Scene) -> dict[str, str]:
    """Each open objection by its holder: as the task reports them, else as the holders would put them."""
    lines = {name: rf"^\W*{re.escape(name)}\W*[:：]\s*(.+)$" for name in scene.prompt.people}
    found = {name: re.search(line, scene.prompt.task, re.MULTILINE) for name, line in lines.items()}
    if reported := {name: line[1].strip() for name, line in found.items() if line}:
        return reported
    apart = [name for name in scene.prompt.people if scene.course.agreement(name) < CONTENT]
    return {name: objection(scene, name) for name in apart if scene.course.path.get(name)}


def common_ground(scene: Scene, key: str = "") -> str:
    """What one of those nearest to all others said last for no side, else what the nearest said.

    In the phrase `key`; by default one that says how common it is.
    """
    latest = {one.speaker: one for one in scene.prompt.heard}
    if not latest:
        return scene.stock.line("answers", "greeting")
    phrase = key or ("common_group" if scene.course.united() else "common_thin")
    nearest = sorted(latest.values(), key=lambda one: -scene.course.agreement(one.speaker))
    for one in nearest:
        for clause in points(scene, one):
            if (source := scene.stock.source(clause)) and source.attitude == "joint":
                return told(scene, phrase, one, quote=clause)
    return told(scene, phrase, nearest[0])


def movement(scene: Scene) -> str:
    """Who changed its position by the end; that nobody did, where nobody did."""
    latest = {one.speaker: one for one in scene.prompt.heard}
    moves = [told(scene, "moved_group", one) for name, one in latest.items() if abs(moved(scene, name)) >= MOVED]
    return scene.stock.gap.join(moves) or scene.stock.line("closing", "no_concession")


def summary(scene: Scene) -> str:
    """Who said what, a line each, after what was summed up before; of both the newest that fit the words asked for."""
    news = [told(scene, "said", one) for one in scene.prompt.heard]
    lines = [*scene.prompt.summary.splitlines(), *news] or [scene.stock.line("answers", "greeting")]
    room = scene.prompt.words if scene.prompt.language == "zh" else LETTERS * scene.prompt.words
    while len(lines) > 1 and sum(map(len, lines)) > room:
        lines = lines[1:]
    return "\n".join(lines)
