"""Summing up a group: the common ground, every dissent with its holder, and what is open."""

import re

from .closing import MOVED, dispute, moved, of_sides, told
from .scene import Scene
from .views import CONTENT, objection

SUMMARY_LENGTH = 6_000
"""Characters of a running summary."""


def synthesis(scene: Scene) -> str:
    """The closing text: of a debate by its two sides, of a group by its members."""
    if not scene.prompt.heard:
        return scene.stock.line("answers", "greeting")
    sides = [name for name in scene.prompt.cast if scene.course.side(name)]
    blocks = of_sides(scene, sides) if len(sides) == 2 else of_group(scene)
    return "\n\n".join(scene.stock.gap.join(line for line in block if line) for block in blocks if any(block))


def of_group(scene: Scene) -> list[list[str]]:
    """The blocks of a group's synthesis."""
    latest = {one.speaker: one for one in scene.prompt.heard}
    comma = "、" if scene.prompt.language == "zh" else ", "
    values = {"names": comma.join(latest), "turns": str(len(scene.prompt.heard))}
    summary = scene.filling.fill(scene.stock.line("closing", "summary_group"), 0, **values)
    said = [told(scene, "said", one) for one in latest.values()]
    nearest = max(latest.values(), key=lambda one: scene.course.agreement(one.speaker))
    ground = told(scene, "common_group" if scene.course.united() else "common_thin", nearest)
    moves = [told(scene, "moved_group", one) for name, one in latest.items() if abs(moved(scene, name)) >= MOVED]
    return [[summary], said, [ground], dissents(scene), [dispute(scene), *moves]]


def dissents(scene: Scene) -> list[str]:
    """Each open objection: as the task reports it, else as its holder would put it."""
    lines = []
    for name in scene.prompt.cast:
        reported = re.search(rf"^\W*{re.escape(name)}\W*[:：]\s*(.+)$", scene.prompt.task, re.MULTILINE)
        apart = scene.course.agreement(name) < CONTENT
        if held := reported[1].strip() if reported else objection(scene, name) if apart else "":
            lines.append(scene.filling.fill(scene.stock.line("closing", "dissent"), 0, name=name, objection=held))
    return lines


def summary(scene: Scene) -> str:
    """Who said what, a line each, the newest within bounds, after what was summed up before."""
    lines = [told(scene, "said", one) for one in scene.prompt.heard] or [scene.stock.line("answers", "greeting")]
    while len(lines) > 1 and sum(map(len, lines)) > SUMMARY_LENGTH:
        lines = lines[1:]
    return "\n".join([scene.prompt.memory[-1_500:], *lines]).strip()
