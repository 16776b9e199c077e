"""Where the speaker stands, asked outside its role: a side, an option or a number, as what it was told has it."""

import re
from collections.abc import Iterator, Sequence
from statistics import fmean

from ....state.draw import stream
from .answering import UNEASY
from .scene import Scene

PURPOSES = ("declaration", "position", "answer", "estimate")
"""What a call is for that asks where the speaker stands."""
LEANING = 0.1
"""How far from the middle an opinion is one for or against."""
_SENTENCE = re.compile(r"[^.!?;。！？；\n]+")
_OPTION = re.compile(r"^- (\S[^:：\n]*)[:：] (.+)$", re.MULTILINE)
_ROUND = re.compile(r"(?:round|ronda)\s+(\d{1,4})|第\s*(\d{1,4})\s*轮", re.IGNORECASE)
_COMMA = re.compile(r"\s*[,、，]\s*")
_FIGURE = r"(?<![a-z0-9_.])-?\d+(?:\.\d+)?"


def side(scene: Scene) -> str:
    """`for`, `against` or `undecided`, by the speaker's opinion of the topic."""
    if abs(scene.opinion - 0.5) < LEANING:
        return "undecided"
    return "for" if scene.opinion > 0.5 else "against"


def stance(scene: Scene) -> str:
    """`concede` where the speaker gave up its case or no longer holds it, `partly` where it wavers, else `hold`."""
    conviction = scene.course.conviction(scene.prompt.me)
    if any(scene.gave_up(one) for one in scene.prompt.own):
        return "concede"
    if not scene.side:
        return "hold"
    return "concede" if conviction < 0.5 else "partly" if conviction < UNEASY else "hold"


def certainty(scene: Scene) -> float:
    """How sure the speaker is of what it holds, 0…1."""
    return max(scene.opinion, 1 - scene.opinion)


def preferred(scene: Scene, options: Sequence[object]) -> list[object]:
    """The options, the one first for which most speaks in what the speaker was told; it leans one way by itself."""
    texts = {str(one): dict(_OPTION.findall(scene.prompt.task)).get(str(one), str(one)) for one in options}
    told = list(dict.fromkeys(_told(scene)))

    def weight(option: object) -> tuple[int, float]:
        text = texts[str(option)].casefold()
        facts = [one for one in told if _names(one, text)]
        against = sum(any(word in one for word in scene.stock.lines("facts", "against")) for one in facts)
        lean = stream(scene.seed, "option", scene.prompt.me, str(option)).random()
        return len(facts) - 2 * against - _broken(text, told), lean

    return sorted(options, key=weight, reverse=True)


def _names(sentence: str, text: str) -> bool:
    """Whether a sentence names an option, not a part of a word."""
    return re.search(rf"(?<![a-z0-9]){re.escape(text)}(?![a-z0-9])", sentence) is not None


def _broken(text: str, told: Sequence[str]) -> int:
    """How many of what was told of two things have them the other way round than an option that puts things in order.

    The one that comes first is named first. 0 for an option that is no such order.
    """
    things = _COMMA.split(text)
    places = [[at for thing in things if (at := one.find(thing)) >= 0] for one in told] if len(things) > 2 else []
    return sum(len(found) == 2 and found != sorted(found) for found in places)


def figure(scene: Scene, unit: str) -> float:
    """The mean of the numbers in this unit that the speaker was told or heard, each speaker's latest; else a draw."""
    number = _number(unit)
    own = [float(one) for line in _private(scene) for one in number.findall(line.casefold())]
    said = {one.speaker: found for one in scene.prompt.heard if (found := number.findall(one.text.casefold()))}
    figures = own + [float(found[-1]) for found in said.values()]
    return (
        round(fmean(figures), 3) if figures else float(stream(scene.seed, "figure", scene.prompt.me).randrange(1, 100))
    )


def estimate(scene: Scene, quantile: str, unit: str) -> float:
    """The 5 % (`low`), 50 % (`answer`) or 95 % (`high`) quantile of what the speaker takes a number for.

    The mean of the numbers in this unit in the material, else a draw of the run's, and beside it a draw of its own,
    which counts half as much in each round that follows.
    """
    given = [float(one) for one in _number(unit).findall(scene.prompt.material.casefold())]
    centre = fmean(given) if given else float(stream(scene.seed, "estimate").randrange(20, 200))
    reach = abs(centre) or 1.0
    own = stream(scene.seed, "estimate", scene.prompt.me).uniform(-0.4, 0.4) / 2 ** (_round(scene) - 1)
    width = {"low": -0.2, "high": 0.3}.get(quantile, 0.0)
    return float(round(centre + reach * (own + width), 3))


def _round(scene: Scene) -> int:
    """The round that the task names, from 1; where it names none, 1."""
    named = _ROUND.search(scene.prompt.task)
    return max(1, int(named[1] or named[2])) if named else 1


def _number(unit: str) -> re.Pattern[str]:
    return re.compile(rf"({_FIGURE})\s*{re.escape(unit.casefold())}(?![a-z0-9_])" if unit else f"({_FIGURE})")


def _told(scene: Scene) -> Iterator[str]:
    """Every sentence that the speaker was given or heard."""
    for text in [*_private(scene), *(one.text for one in scene.prompt.heard)]:
        yield from (one.strip(" -") for one in _SENTENCE.findall(text.casefold()))


def _private(scene: Scene) -> list[str]:
    """What the speaker was given: material, what it alone is told, memory, who it is; not the options asked about."""
    task = "\n".join(line for line in scene.prompt.task.splitlines() if not line.startswith("- "))
    return [scene.prompt.material, scene.prompt.private, scene.prompt.memory, task]
