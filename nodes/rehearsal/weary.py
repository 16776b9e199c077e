"""When nobody moves any more: saying the same in other words, or having nothing left to say."""

from ...state.draw import stream
from .filling import Filling, first_unsaid, sentence
from .quoting import size
from .scene import Scene
from .stock import mark

SHORT = 20
"""A statement under so many words is one of somebody who has had enough."""

ROUNDS = 3
"""Rounds for which a company stays weary, where nobody ends it: then it begins anew."""


def temper(scene: Scene) -> tuple[str, int]:
    """How this company behaves once it is stuck (`repeat`, `quit`, `steady`), and from which statement on."""
    draw = stream(scene.seed, "temper", *sorted(scene.prompt.cast))
    style = draw.choices(["repeat", "quit", "steady"], [0.36, 0.42, 0.22])[0]
    return style, len(scene.prompt.cast) * draw.randint(2, 3) + draw.randint(0, 1)


def is_weary(scene: Scene) -> bool:
    """Whether the company is stuck, its patience is spent, and it has not been weary for long or just let it drop."""
    heard, seats = scene.prompt.heard, len(scene.prompt.cast)
    style, patience = temper(scene)
    dropped = len(heard) >= seats and all(size(one.text) < SHORT for one in heard[-seats:])
    due = patience < scene.prompt.turn <= patience + ROUNDS * seats
    return style != "steady" and due and scene.course.still >= 4 and not dropped


def weary(scene: Scene) -> str:
    """A statement of one who is stuck; empty where even that has been said in every way."""
    style, _ = temper(scene)
    return scene.phrase("lines", "tired", []) if style == "quit" else repetition(scene)


def repetition(scene: Scene) -> str:
    """The speaker's own earlier arguments, in another order and with another joint."""
    parts = [scene.phrase("lines", "stuck", [])]
    told = [(one.turn, argument) for one in scene.prompt.own for argument in scene.stock.argued_in(one.text)]
    kept = [pair for pair in told if pair[1].attitude == scene.attitude][:2]
    for turn, argument in kept:
        then = Filling(scene.stock, scene.motion, scene.seed, turn, scene.filling.names)
        claim, ground, wheel = then.clauses(argument)
        lines = scene.stock.lines("joins", "again")
        start = (scene.prompt.turn + wheel) % len(lines)
        turned = sorted([*lines[start:], *lines[:start]], key=lambda line: mark(line) in " ".join(parts))
        made = (then.fill(line, 0, claim=claim, ground=ground) for line in turned)
        parts.append(first_unsaid((sentence(one) for one in made), scene.said, parts))
    return scene.stock.gap.join(parts) if len(parts) > 1 and all(parts) else ""
