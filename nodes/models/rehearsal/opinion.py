"""What everyone holds: opinions in 0…1 that move with what is heard, replayed from the statements of the prompt.

Bounded confidence in pairs: Deffuant, Neau, Amblard and Weisbuch, "Mixing beliefs among interacting agents", Advances
in Complex Systems 3 (2000). Whoever hears an opinion that is nearer than a bound (the confidence of Hegselmann and
Krause, "Opinion dynamics and bounded confidence", JASSS 5(3), 2002) moves towards it at a pace, more or less according
to how the statement strikes. Bound and pace belong to the participant: a stubborn one has little of both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from zlib import crc32

from ....prompts import LANGUAGES, table, term
from ....state.draw import stream
from .prompt import Heard

CONTENT = 0.8
"""Agreement from which a participant has no objection left."""
NUDGED = 0.02
"""A pull that a participant would name as having moved it."""
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
    pulled: dict[str, dict[str, float]] = field(default_factory=dict)

    def conviction(self, name: str) -> float:
        """How far `name` holds its own side, 0…1; without a side, how far from the middle, 0.5…1."""
        opinion, side = self.now.get(name, 0.5), self.side(name)
        return {"pro": opinion, "con": 1 - opinion}.get(side, 0.5 + abs(opinion - 0.5))

    def side(self, name: str) -> str:
        """`pro`, `con`, or empty."""
        return self.minds[name].side if name in self.minds else ""

    def agreement(self, name: str) -> float:
        """How near `name` is to the others, 0…1: 1 at their mean, 0.8 an eighth of the scale away from it."""
        others = [opinion for other, opinion in self.now.items() if other != name]
        if not others or name not in self.now:
            return 0.5
        return max(0.0, 1 - 1.6 * abs(self.now[name] - sum(others) / len(others)))

    def moved_by(self, name: str) -> str:
        """Whose statement of the latest round moved `name` most; empty where none moved it."""
        pulls = self.pulled.get(name, {})
        strongest = max(pulls, key=lambda speaker: pulls[speaker], default="")
        return strongest if strongest and pulls[strongest] >= NUDGED else ""

    def united(self) -> bool:
        """Whether nobody has an objection left."""
        return len(self.now) > 1 and all(self.agreement(name) >= CONTENT for name in self.now)


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


def replay(seed: int, people: Mapping[str, str], heard: Sequence[Heard], me: str, task: str) -> Course:
    """Everyone's opinion after each statement; `task` tells the side of `me` where its public role does not."""
    minds = {name: mind(seed, name, role, side_of(role)) for name, role in people.items()}
    own = side_of(task) if me in minds and not minds[me].side else ""
    if own and len(minds) <= 2:
        sides = {name: own if name == me else ("con" if own == "pro" else "pro") for name in minds}
        minds = {name: mind(seed, name, people[name], sides[name]) for name in minds}
    now = {name: one.start for name, one in minds.items()}
    path: dict[str, list[tuple[int, float]]] = {name: [] for name in minds}
    pulled: dict[str, dict[str, float]] = {name: {} for name in minds}
    still, round = 0, heard[-len(minds) :]
    for statement in heard:
        pulls = hear(minds, now, statement)
        still = 0 if sum(pulls.values()) > STILL else still + 1
        path[statement.speaker].append((statement.turn, now[statement.speaker]))
        for name in pulls if statement in round else ():
            pulled[name][statement.speaker] = pulls[name]
    return Course(minds, now, path, still, pulled)


def hear(minds: Mapping[str, Mind], now: dict[str, float], statement: Heard) -> dict[str, float]:
    """Let everyone hear a statement; how far each moved. The same words strike each listener differently."""
    said, pulls = now[statement.speaker], dict[str, float]()
    struck = crc32(statement.text.encode("utf-8", "replace"))
    for name, one in minds.items():
        gap = said - now[name]
        if name == statement.speaker or abs(gap) > one.bound:
            continue
        force = 0.4 + 1.2 * (((struck ^ one.key) * 2654435761 & 0xFFFFFFFF) / 2**32)
        now[name] += one.pace * force * gap
        pulls[name] = abs(one.pace * force * gap)
    return pulls
