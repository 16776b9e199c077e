"""What everyone holds: opinions in 0…1 that move with what is heard, replayed from the statements of the prompt.

Bounded confidence in pairs: Deffuant, Neau, Amblard and Weisbuch, "Mixing beliefs among interacting agents", Advances
in Complex Systems 3 (2000). Whoever hears an opinion that is nearer than a bound (the confidence of Hegselmann and
Krause, "Opinion dynamics and bounded confidence", JASSS 5(3), 2002) moves towards it at a pace, more or less according
to how the statement strikes. Bound and pace belong to the participant: a stubborn one has little of both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from zlib import crc32

from ...prompts import LANGUAGES, table, term
from ...state.draw import stream
from .prompt import Heard

CLOSE = 0.12
"""Two opinions this near to each other count as agreement."""
STILL = 0.03
"""A statement that moves nobody further than this changed nothing."""


@dataclass(frozen=True)
class Mind:
    """How one participant starts (0 against, 1 for), how far it listens (0…1), and how fast it moves (0…1)."""

    side: str
    start: float
    bound: float
    pace: float
    key: int


@dataclass(frozen=True)
class Course:
    """Opinions over the statements of a prompt."""

    minds: dict[str, Mind]
    now: dict[str, float]
    path: dict[str, list[tuple[int, float]]] = field(default_factory=dict)
    still: int = 0

    def conviction(self, name: str) -> float:
        """How far `name` holds its own side, 0…1; without a side, how far from the middle, 0.5…1."""
        opinion, side = self.now.get(name, 0.5), self.side(name)
        return {"pro": opinion, "con": 1 - opinion}.get(side, 0.5 + abs(opinion - 0.5))

    def side(self, name: str) -> str:
        """`pro`, `con`, or empty."""
        return self.minds[name].side if name in self.minds else ""

    def agreement(self, name: str) -> float:
        """How near `name` is to the others, 0…1; 1 at their mean, 0 at half the scale from it."""
        others = [opinion for other, opinion in self.now.items() if other != name]
        if not others or name not in self.now:
            return 0.5
        return max(0.0, 1 - 2 * abs(self.now[name] - sum(others) / len(others)))

    def united(self) -> bool:
        """Whether all opinions lie close together."""
        return len(self.now) > 1 and max(self.now.values()) - min(self.now.values()) <= 2 * CLOSE


def side_of(role: str) -> str:
    """`pro` or `con` where a role or task says which, in any language; else empty."""
    for side in ("pro", "con"):
        if any(term(tag, "debate", f"{side}{form}") in role for tag in LANGUAGES for form in ("", "_public")):
            return side
    return ""


def mind(seed: int, name: str, role: str, side: str) -> Mind:
    """The mind of a participant, drawn from the run's seed and its name; how stubborn it is goes with its role."""
    draw, key = stream(seed, "mind", name), crc32(name.encode("utf-8", "replace")) ^ seed
    start, listens, moves = draw.random(), draw.random(), draw.random()
    yields = 0.8 + 0.4 * stream(0, "stubborn", role).random()
    if side:
        start = 0.73 + 0.2 * start
        opinion = start if side == "pro" else 1 - start
        return Mind(side, opinion, 0.45 + 0.6 * listens, yields * (0.02 + 0.27 * moves**2), key)
    opinion = min(0.95, max(0.05, 0.12 + 0.76 * start + _leaning(role)))
    return Mind("", opinion, 0.15 + 0.45 * listens, yields * (0.02 + 0.25 * moves), key)


def _leaning(role: str) -> float:
    """A dreamer starts a little bolder, a critic a little more careful."""
    words, lean = role.casefold(), 0.0
    for tag in LANGUAGES:
        marks = table("rehearsal", tag)["leanings"]
        lean += 0.15 * any(word in words for word in marks["bold"])  # type: ignore[attr-defined]
        lean -= 0.15 * any(word in words for word in marks["careful"])  # type: ignore[attr-defined]
    return lean


def replay(seed: int, cast: Mapping[str, str], heard: Sequence[Heard], me: str, task: str) -> Course:
    """Everyone's opinion after each statement; `task` tells the side of `me` where its public role does not."""
    minds = {name: mind(seed, name, role, side_of(role)) for name, role in cast.items()}
    own = side_of(task) if me in minds and not minds[me].side else ""
    if own and len(minds) <= 2:
        sides = {name: own if name == me else ("con" if own == "pro" else "pro") for name in minds}
        minds = {name: mind(seed, name, cast[name], sides[name]) for name in minds}
    now = {name: one.start for name, one in minds.items()}
    path: dict[str, list[tuple[int, float]]] = {name: [] for name in minds}
    still = 0
    for statement in heard:
        moved = hear(minds, now, statement)
        still = 0 if moved > STILL else still + 1
        path[statement.speaker].append((statement.turn, now[statement.speaker]))
    return Course(minds, now, path, still)


def hear(minds: Mapping[str, Mind], now: dict[str, float], statement: Heard) -> float:
    """Let everyone hear a statement; how far they moved in all. The same words strike each listener differently."""
    said, moved = now[statement.speaker], 0.0
    struck = crc32(statement.text.encode("utf-8", "replace"))
    for name, one in minds.items():
        gap = said - now[name]
        if name == statement.speaker or abs(gap) > one.bound:
            continue
        force = 0.4 + 1.2 * (((struck ^ one.key) * 2654435761 & 0xFFFFFFFF) / 2**32)
        now[name] += one.pace * force * gap
        moved += abs(one.pace * force * gap)
    return moved
