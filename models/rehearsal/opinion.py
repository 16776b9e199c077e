"""Opinions in 0…1 that change with the statements in the prompt.

Opinions follow the model of bounded confidence in pairs: Deffuant, Neau, Amblard and Weisbuch, "Mixing beliefs among
interacting agents", Advances in Complex Systems 3 (2000). A listener moves only towards opinions within a bound:
Hegselmann and Krause, "Opinion dynamics and bounded confidence", JASSS 5(3), 2002. The listener's pace and the effect
of the words determine how far the opinion moves. Bound and pace differ between participants. Both are small for a
stubborn participant.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple
from zlib import crc32

from ...prompts import LANGUAGES, load_table
from ...state import make_rng
from ..brief import Brief

CONTENT_AGREEMENT = 0.8
"""Agreement from which a participant has no objection left."""


class OpinionTraits(NamedTuple):
    """Traits that determine how a participant's opinion changes.

    `start`: initial opinion, from 0 (against) to 1 (for). `bound`: greatest distance of opinions that have an effect.
    `pace`: share of the distance by which the opinion moves. `key`: number that varies the effect of a statement.
    """

    start: float
    bound: float
    pace: float
    key: int


@dataclass
class OpinionState:
    """Opinions of all participants after the statements of a brief.

    `influences`: effects on each listener in the latest round, by speaker. `quiet_count`: number of last statements
    without effect.
    """

    traits: dict[str, OpinionTraits]
    sides: dict[str, str]
    opinions: dict[str, float]
    influences: dict[str, dict[str, float]]
    quiet_count: int = 0
    speakers: set[str] = field(default_factory=set)

    def compute_agreement(self, name: str) -> float:
        """Return how near the opinion of `name` is to the others' mean: 1 at the mean, 0.8 at distance 1/8.

        Without others, or without an opinion of `name`, return 0.5.
        """
        other_opinions = [opinion for member, opinion in self.opinions.items() if member != name]
        if not other_opinions or name not in self.opinions:
            return 0.5
        return max(0.0, 1 - 1.6 * abs(self.opinions[name] - sum(other_opinions) / len(other_opinions)))

    def get_influencer(self, name: str) -> str:
        """Return the speaker of the latest round with the most influence on `name`; may be empty."""
        influences = {
            speaker: influence for speaker, influence in self.influences.get(name, {}).items() if influence >= 0.02
        }  # else unnoticed
        return max(influences, key=lambda speaker: influences[speaker], default="")

    def is_united(self) -> bool:
        """Return whether at least two participants have opinions, and all opinions are near the others' mean."""
        return len(self.opinions) > 1 and all(
            self.compute_agreement(name) >= CONTENT_AGREEMENT for name in self.opinions
        )


@lru_cache(512)
def draw_traits(seed: int, name: str, role: str, side: str) -> OpinionTraits:
    """Draw a participant's traits from the run's seed and its name.

    The role determines how stubborn the participant is. A dreamer starts slightly bolder, a critic slightly more
    careful.
    """
    rng, key = make_rng(seed, "mind", name), crc32(name.encode("utf-8", "replace")) ^ seed
    start, openness, mobility = rng.random(), rng.random(), rng.random()
    pace = 0.8 + 0.4 * make_rng(0, "stubborn", role).random()
    if side:
        start = 0.73 + 0.2 * start
        pace *= 0.02 + 0.27 * mobility**2
        return OpinionTraits(start if side == "pro" else 1 - start, 0.45 + 0.6 * openness, pace, key)
    leaning = 0.0
    for tag in LANGUAGES:
        marks = load_table("rehearsal", tag)["leanings"]
        leaning += 0.15 * any(word in role.casefold() for word in marks["bold"])  # type: ignore[attr-defined]
        leaning -= 0.15 * any(word in role.casefold() for word in marks["careful"])  # type: ignore[attr-defined]
    start = min(0.95, max(0.05, 0.12 + 0.76 * start + leaning))
    return OpinionTraits(start, 0.15 + 0.45 * openness, pace * (0.02 + 0.25 * mobility), key)


def replay_opinions(seed: int, brief: Brief) -> OpinionState:
    """Return each participant's opinion after all statements of the brief, in their order.

    The same statement affects each listener differently.
    """
    sides = {name: brief.sides.get(name, "") for name in brief.roles}
    traits = {name: draw_traits(seed, name, role, sides[name]) for name, role in brief.roles.items()}
    opinions = {name: values.start for name, values in traits.items()}
    opinion_state = OpinionState(traits, sides, opinions, {name: {} for name in traits})
    for index, statement in enumerate(brief.statements, start=len(traits) - len(brief.statements)):
        opinion, effect = (
            opinions[statement.speaker],
            crc32(f"{statement.turn} {statement.speaker}".encode("utf-8", "replace")),
        )
        opinion_state.speakers.add(statement.speaker)
        total_pull = 0.0
        for name, (_, bound, pace, key) in traits.items():
            distance = opinion - opinions[name]
            if name == statement.speaker or abs(distance) > bound:
                continue
            force = 0.4 + 1.2 * (((effect ^ key) * 2654435761 & 0xFFFFFFFF) / 2**32)
            opinions[name] += pace * force * distance
            total_pull += abs(pace * force * distance)
            if index >= 0:  # one of the latest round
                opinion_state.influences[name][statement.speaker] = abs(pace * force * distance)
        opinion_state.quiet_count = 0 if total_pull > 0.03 else opinion_state.quiet_count + 1
    return opinion_state
