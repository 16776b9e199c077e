"""Do the speakers only repeat themselves?

Each speaker's latest statement is compared with the same speaker's own earlier ones, never with the other side's: two
people who argue about one topic share its words. Words that everybody uses count for little.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from .content import stems
from .finding import Finding, Transcript
from .stance import Stance, stance

SHARED = 0.4
"""What a word counts that every speaker has used."""
SHORT, LONG = 0.25, 0.5
"""Share of a statement's words that its speaker had used in one earlier statement, to be called a repetition: for a
very short statement, and for one of `FULL` content words or more, which overlaps by chance as well."""
FULL = 40
ANNOUNCED = 0.1
"""How much less is needed where the speaker announces the repetition."""
FEWEST = 2.0
"""Words below which only a statement without any new word is a repetition."""
ROUNDS = 6
"""How many rounds back a statement is compared with."""


@dataclass(frozen=True, slots=True)
class Echo:
    """A latest statement, the speaker's earlier one it is closest to, and how much of it was there before."""

    turn: int
    earlier: int
    share: float
    bound: float


def repeated(talk: Transcript, window: int) -> Finding | None:
    """A stalemate in which all who speak in the last `window` statements repeat themselves."""
    latest = {speaker: turn for speaker, turn in talk.latest().items() if turn >= len(talk.turns) - window}
    if len(latest) < 2:
        return None
    echoes = [echo for turn in latest.values() if (echo := _echo(talk, turn, ROUNDS * window)) is not None]
    if len(echoes) < len(latest) or any(echo.share < echo.bound for echo in echoes):
        return None
    least = min(echoes, key=lambda echo: echo.share - echo.bound)
    turns = sorted({turn for echo in echoes for turn in (echo.earlier, echo.turn)})
    quote = talk.turns[least.turn][1]
    return Finding("stalemate_repetition", turns, quote, least.share, least.bound, "share of own earlier words")


def echoes(talk: Transcript) -> list[Echo]:
    """How much of its speaker's earlier words each statement repeats; nothing of a first one, or one without words."""
    reach = ROUNDS * max(2, len({speaker for speaker, _ in talk.turns}))
    found = (_echo(talk, turn, reach) for turn in range(len(talk.turns)))
    return [echo for echo in found if echo is not None]


def _echo(talk: Transcript, turn: int, reach: int) -> Echo | None:
    speaker, text = talk.turns[turn]
    first = max(0, turn - reach)
    earlier = [index for index in range(first, turn) if talk.turns[index][0] == speaker]
    weights = _weights(talk, first, turn)
    total = sum(weights.values())
    if not earlier or not total:
        return None
    shares = {index: round(_share(weights, stems(talk.turns[index][1])) / total, 3) for index in earlier}
    best = max(shares, key=lambda index: shares[index])
    return Echo(turn, best, shares[best], _bound(stance(text, talk.topic), len(weights)) if total >= FEWEST else 1.0)


def _bound(said: Stance, size: int) -> float:
    return SHORT + (LONG - SHORT) * min(1.0, size / FULL) - (ANNOUNCED if said.has("again") else 0.0)


def _share(weights: Mapping[str, float], known: frozenset[str]) -> float:
    return sum(weight for stem, weight in weights.items() if stem in known)


def _weights(talk: Transcript, first: int, turn: int) -> dict[str, float]:
    used: dict[str, set[str]] = {}
    for speaker, text in talk.turns[first : turn + 1]:
        used.setdefault(speaker, set()).update(stems(text))
    common = frozenset.intersection(*(frozenset(words) for words in used.values())) | stems(talk.topic)
    return {stem: SHARED if stem in common else 1.0 for stem in stems(talk.turns[turn][1])}
