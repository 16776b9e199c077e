"""Summing up a debate: what was said, by whom, in which turn; where it moved, and what remained."""

import re

from .filling import sentence
from .prompt import Heard
from .quoting import quotable
from .scene import Scene

MOVED = 0.12
"""A shift of opinion worth mentioning."""


def points(scene: Scene, statement: Heard) -> list[str]:
    """What a statement holds, in its own words: claims, then their grounds, then anything else, then asides."""

    def place(clause: str) -> int:
        source = scene.stock.source(clause)
        return 2 + scene.stock.is_aside(clause) if source is None else int(source.mark not in clause)

    return sorted(quotable(statement.text), key=place)


def told(scene: Scene, key: str, statement: Heard, place: int = 0, **given: str) -> str:
    """A phrase about one statement, with its words and its turn."""
    held = points(scene, statement) or [" ".join(statement.text.split())[:80].rstrip()]
    known = {"name": statement.speaker, "quote": held[min(place, len(held) - 1)], "cite": f"[{statement.turn}]"}
    return sentence(scene.filling.fill(scene.stock.line("closing", key), 0, **known | given))


def of_sides(scene: Scene, sides: list[str]) -> list[list[str]]:
    """The blocks of a debate's synthesis: summary, strongest points, agreement and dispute, shifts, verdict."""
    by = {name: [one for one in scene.prompt.heard if one.speaker == name] for name in sides}
    spoken = [name for name in sides if by[name]]
    values = {"first": sides[0], "second": sides[1], "turns": str(len(scene.prompt.heard))}
    summary = scene.filling.fill(scene.stock.line("closing", "summary_debate"), 0, **values)
    first = [told(scene, key, by[name][0]) for key, name in zip(("began", "answered"), spoken, strict=False)]
    best = [line for name in spoken for line in strongest(scene, by[name])]
    return [[summary, *first], best, [common(scene), dispute(scene)], shifts(scene, by), [better(scene, sides)]]


def strongest(scene: Scene, own: list[Heard]) -> list[str]:
    """Two arguments of one speaker, from different statements where there are any."""
    rest = [one for one in own[1:] if not scene.gave_up(one)] or own[:1]
    lines = [told(scene, "strongest", rest[len(rest) // 2])]
    return [*lines, told(scene, "also", rest[-1], 1)] if len(rest) > 1 else lines


def common(scene: Scene) -> str:
    """A point that one side granted, or that there was none."""
    starts = [line.split("{")[0].strip() for line in scene.stock.lines("lines", "grant")]
    grants = [start for start in starts if len(start) > 3]
    for before, one in zip(scene.prompt.heard, scene.prompt.heard[1:], strict=False):
        if not any(start in one.text for start in grants):
            continue
        taken = next((clause for clause in points(scene, before) if clause in one.text), "")
        if taken and (source := scene.stock.source(taken)):
            return told(scene, "common_some", one, quote=taken, dim=scene.stock.line("names", source.dimension))
    last = scene.prompt.heard[-1]
    return told(scene, "common_none", last, dim=last_dimension(scene, last))


def dispute(scene: Scene) -> str:
    """What the last statement that did not give way left open."""
    standing = [one for one in scene.prompt.heard if not scene.gave_up(one)]
    return told(scene, "dispute", standing[-1], dim=last_dimension(scene, standing[-1])) if standing else ""


def last_dimension(scene: Scene, statement: Heard) -> str:
    """The dimension a statement ended on."""
    argued = scene.stock.argued_in(statement.text)
    found = argued[-1].dimension if argued else scene.stock.dimension_in(statement.text)
    return scene.stock.line("names", found or "effects")


def shifts(scene: Scene, by: dict[str, list[Heard]]) -> list[str]:
    """Who gave way, who moved, and when."""
    lines = [shift(scene, name, own) for name, own in by.items() if own]
    if any(scene.gave_up(one) for one in scene.prompt.heard):
        return lines
    return [*lines, scene.stock.line("closing", "no_concession")]


def shift(scene: Scene, name: str, own: list[Heard]) -> str:
    """One side's way through the debate."""
    if gave := next((one for one in own if scene.gave_up(one)), None):
        return told(scene, "conceded", gave, quote=surrender(scene, gave))
    if len(own) == 1:
        return ""
    key = "moved" if abs(moved(scene, name)) >= MOVED else "stayed"
    return told(scene, key, own[-1], since=f"[{own[0].turn}]")


def surrender(scene: Scene, statement: Heard) -> str:
    """The words in which a statement gives way."""
    marks = scene.stock.lines("marks", "conceded")
    parts = re.split(r"(?<=[.!。！])\s*", statement.text)
    return next((part.rstrip(".。!！") for part in parts if any(mark in part.casefold() for mark in marks)), "")


def moved(scene: Scene, name: str) -> float:
    """How far an opinion went, from where it started; above 0 towards `for`."""
    return scene.course.now[name] - scene.course.minds[name].start


def better(scene: Scene, sides: list[str]) -> str:
    """The side that moved the other more than it was moved itself, if there was one."""
    gave_up = {one.speaker for one in scene.prompt.heard if scene.gave_up(one)}
    went = {name: abs(moved(scene, name)) + (name in gave_up) for name in sides}
    low, high = sorted(sides, key=lambda name: went[name])
    if went[high] - went[low] < MOVED:
        return scene.stock.line("closing", "even")
    return scene.filling.fill(scene.stock.line("closing", "better"), 0, name=low)
