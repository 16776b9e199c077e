"""Answering: the words of the others, taken up, and what the speaker makes of them."""

from .filling import sentence
from .quoting import quotable
from .scene import Scene

UNEASY = 0.62
"""Conviction below which a speaker grants a point before countering."""
NEAR = 0.25
"""Opinions in a group nearer than this build on each other."""


def taken_up(scene: Scene) -> list[str]:
    """A quotation of the latest statement, and one sentence in answer to it.

    Where the record is partial, both are one sentence that names the turn, so that no sentence can come back.
    """
    reply = response(scene)
    if scene.partial and scene.quote and scene.prompt.last and reply:
        turn, answer = str(scene.prompt.last.turn), lowered(reply)
        return [scene.phrase("lines", "take_up_turn", [], turn=turn, answer=answer) or reply]
    if not scene.quote:
        return [scene.phrase("lines", "take_up_term", []), reply]
    return [with_two(scene) or scene.phrase("lines", "take_up", []), reply]


def with_two(scene: Scene) -> str:
    """The quotation beside one from the speaker before, now and then, where the two differ."""
    said = quotable(scene.prompt.before.text) if scene.prompt.before and not scene.united else []
    earlier = [one for one in said if scene.stock.source(one)] or [one for one in said if not scene.stock.is_aside(one)]
    if not scene.prompt.before or not earlier or earlier[0] == scene.quote or scene.draw.random() > 0.35:
        return ""
    return scene.phrase("lines", "take_up_two", [], other=scene.prompt.before.speaker, earlier=earlier[0])


def response(scene: Scene) -> str:
    """One sentence on what was quoted: a rebuttal, a point granted, agreement, or doubt."""
    if scene.settled:
        gave_up = scene.prompt.last is not None and scene.gave_up(scene.prompt.last)
        return scene.phrase("lines", "thank" if gave_up else "build", [])
    if scene.side:
        uneasy = bool(scene.prompt.own) and scene.course.conviction(scene.prompt.me) < UNEASY
        return granted(scene) if uneasy and scene.dimension and scene.draw.random() < 0.7 else rebuttal(scene)
    if scene.united:
        return scene.phrase("lines", "agreed", [])
    near = abs(scene.opinion - scene.course.now.get(scene.who, 0.5)) < NEAR
    line = scene.phrase("lines", "build" if near else "doubt", [])
    return line if near or scene.attitude == "joint" else f"{line}{scene.stock.gap}{rebuttal(scene)}".strip()


def granted(scene: Scene) -> str:
    """A point granted, as far as it goes."""
    return scene.phrase("lines", "grant", [], dim=scene.stock.line("names", scene.dimension))


def rebuttal(scene: Scene) -> str:
    """What speaks against the point that was quoted: the answer to just that argument, else one to any."""
    quoted = scene.quoted
    if quoted and quoted.attitude not in (scene.attitude, "joint"):
        aimed = sentence(scene.filling.fill(quoted.answer, quoted.key))
        if aimed not in scene.said:
            return aimed
    return scene.phrase("rebuttals", scene.attitude, []) if scene.attitude != "joint" else ""


def lowered(text: str) -> str:
    """A sentence as it goes on after a semicolon; "I" keeps its capital."""
    return text if text[:2] in ("I ", "I'") else text[:1].lower() + text[1:]
