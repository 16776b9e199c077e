"""Composing a statement: take up what was said, answer it, add something new."""

from ....state.draw import stream
from .answering import taken_up
from .filling import Filling, first_unsaid, sentence
from .persona import ranked
from .quoting import size
from .scene import Scene
from .stock import Argument, mark

SHORT = 20
"""A statement under so many words is one of somebody who has had enough."""

ROUNDS = 3
"""Rounds for which a company stays weary, where nobody ends it: then it begins anew."""


def temper(scene: Scene) -> tuple[str, int]:
    """How this company behaves once it is stuck (`repeat`, `quit`, `steady`), and from which statement on."""
    draw = stream(scene.seed, "temper", *sorted(scene.prompt.people))
    style = draw.choices(["repeat", "quit", "steady"], [0.36, 0.42, 0.22])[0]
    return style, len(scene.prompt.people) * draw.randint(2, 3) + draw.randint(0, 1)


def is_weary(scene: Scene) -> bool:
    """Whether the company is stuck, its patience is spent, and it has not been weary for long or just let it drop."""
    heard, seats = scene.prompt.heard, len(scene.prompt.people)
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


def speak(scene: Scene) -> str:
    """The next statement."""
    if scene.prompt.last is None:
        return first_words(scene)
    if scene.side and not scene.settled and is_won_over(scene):
        return concession(scene)
    if not scene.settled and not scene.united and is_weary(scene) and (tired := weary(scene)):
        return tired
    return answer(scene)


def is_won_over(scene: Scene) -> bool:
    """Whether a side no longer holds its own opinion, having spoken for it at least twice."""
    return scene.course.conviction(scene.prompt.me) < 0.5 and len(scene.prompt.own) > 1


def first_words(scene: Scene) -> str:
    """The first statement, with nothing to answer yet."""
    crowded = scene.prompt.seat >= len(scene.stock.lines("lines", "open_group"))
    key = f"open_{scene.attitude}" if scene.side else "open_named" if crowded else "open_group"
    parts = [scene.phrase("lines", key, [])]
    if not scene.side and not crowded:
        parts.append(scene.phrase("lines", f"lean_{scene.attitude}", parts))
    first, second, *_ = distinct(own_share(scene, agenda(scene, scene.attitude)))
    parts.append(argued(scene, first, "opening", parts))
    if room_for(scene, parts, 0):
        parts.append(argued(scene, second, "second", parts))
    return joined(scene, parts)


def answer(scene: Scene) -> str:
    """Answer the latest statement, and go on from there."""
    parts = taken_up(scene)
    for place, argument in enumerate(distinct(agenda(scene, scene.attitude))):
        if place and not room_for(scene, parts, 22):
            break
        parts.append(argued(scene, argument, "first" if place or not introduces(scene) else "role", parts))
    if not scene.partial and room_for(scene, parts, 6):
        parts.append(rounded_off(scene, parts))
    return joined(scene, parts)


def introduces(scene: Scene) -> bool:
    """Whether the speaker names its role: once, when it answers for the first time."""
    return not scene.prompt.own and bool(scene.filling.names["role"])


def agenda(scene: Scene, attitude: str) -> list[Argument]:
    """The arguments for an attitude in the order this speaker would bring them now."""
    return ranked(scene.seed, scene.prompt, scene.stock, attitude)


def own_share(scene: Scene, arguments: list[Argument]) -> list[Argument]:
    """What falls to the speaker's seat first: those who open unheard do not all say the same."""
    return sorted(arguments, key=lambda one: one.key % max(1, len(scene.prompt.people)) != scene.prompt.seat)


def distinct(arguments: list[Argument]) -> list[Argument]:
    """The first three arguments in different dimensions."""
    first = {one.dimension: one for one in reversed(arguments)}
    return [one for one in arguments if first[one.dimension] is one][:3]


def argued(scene: Scene, argument: Argument, join: str, parts: list[str]) -> str:
    """An argument as one sentence nobody has said, joined in a way not heard lately.

    Where not the whole record is shown, the joins are others, and the turn alone chooses among them.
    """
    claim, ground, wheel = scene.filling.clauses(argument)
    lines = scene.stock.lines("joins", "later" if scene.partial else join)
    start = wheel % len(lines)
    dim, own = scene.stock.line("names", argument.dimension), " ".join(parts)

    def worn(line: str) -> tuple[bool, bool, bool]:
        known = len(mark(line)) > 3
        return known and mark(line) in own, "{dim}" in line and dim in claim, known and mark(line) in scene.lately

    turned = [*lines[start:], *lines[:start]]
    fitting = [*(turned if scene.partial else sorted(turned, key=worn)), *scene.stock.lines("joins", "first")]
    made = (scene.filling.fill(line, argument.key, claim=claim, ground=ground, dim=dim) for line in fitting)
    return first_unsaid((sentence(one) for one in made), scene.said, parts)


def rounded_off(scene: Scene, parts: list[str]) -> str:
    """A question to the one addressed, or where the speaker stands after all."""
    if scene.united:
        return scene.phrase("lines", "settled", parts)
    if scene.draw.random() < 0.55 and scene.attitude != "joint":
        return scene.phrase("lines", "ask", parts)
    return scene.phrase("lines", f"stay_{scene.attitude}", parts)


def concession(scene: Scene) -> str:
    """Give up the own side, plainly, and say what decided it."""
    dimension = scene.dimension or agenda(scene, scene.attitude)[0].dimension
    parts = [scene.phrase("lines", f"concede_{scene.attitude}", [])]
    if scene.quote:
        parts.append(scene.phrase("lines", "concede_why", parts, dim=scene.stock.line("names", dimension)))
    parts.append(scene.phrase("lines", "concede_end", parts))
    return joined(scene, parts)


def room_for(scene: Scene, parts: list[str], more: int) -> bool:
    """Whether `more` words still fit: loosely what was asked for, between 30 and 110."""
    return size(" ".join(parts)) + more <= min(110, max(30, round(scene.prompt.words * 0.42)))


def joined(scene: Scene, parts: list[str]) -> str:
    """The sentences as one text; where all were said before, one that names the turn."""
    said = [part for part in parts if part]
    return scene.stock.gap.join(said or [scene.phrase("lines", "fallback", [], turn=str(scene.prompt.turn))])
