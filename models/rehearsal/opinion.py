"""Opinions in 0…1 that move with the statements, replayed from those in the prompt.

Bounded confidence in pairs: Deffuant, Neau, Amblard and Weisbuch, "Mixing beliefs among interacting
agents", Advances in Complex Systems 3 (2000). A listener moves towards an opinion within a bound (the
confidence of Hegselmann and Krause, "Opinion dynamics and bounded confidence", JASSS 5(3), 2002). The
listener's pace and the effect of the words set the distance. Each participant has its own bound and
pace; both are small for a stubborn one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from zlib import crc32

from ...prompts import LANGUAGES, get_term, load_table
from ...state.random_streams import make_rng
from .prompt import PromptStatement

CONTENT_AGREEMENT = 0.8
"""Agreement from which a participant has no objection left."""
NOTICED_PULL = 0.02
"""Smallest pull that a participant would name as a cause of its change."""
QUIET_PULL = 0.03
"""Total pull up to which a statement counts as without effect."""


@dataclass(frozen=True)
class OpinionTraits:
    """A participant's initial opinion (0 against, 1 for), the bound of its listening (0…1), and its pace (0…1)."""

    side: str
    start: float
    bound: float
    pace: float
    key: int


@dataclass(frozen=True)
class OpinionCourse:
    """Opinions over the statements of a prompt."""

    traits: dict[str, OpinionTraits]
    opinions: dict[str, float]
    history: dict[str, list[tuple[int, float]]] = field(default_factory=dict)
    quiet_count: int = 0
    pulls: dict[str, dict[str, float]] = field(default_factory=dict)

    def compute_conviction(self, name: str) -> float:
        """Compute how far `name` supports its side, 0…1; without a side, 0.5 plus the distance from the middle."""
        opinion, side = self.opinions.get(name, 0.5), self.get_side(name)
        return {"pro": opinion, "con": 1 - opinion}.get(side, 0.5 + abs(opinion - 0.5))

    def get_side(self, name: str) -> str:
        """Return `pro`, `con`, or empty."""
        return self.traits[name].side if name in self.traits else ""

    def compute_agreement(self, name: str) -> float:
        """Compute the nearness of `name` to the others, 0…1. It is 1 at their mean, 0.8 at a distance of 1/8."""
        other_opinions = [opinion for member, opinion in self.opinions.items() if member != name]
        if not other_opinions or name not in self.opinions:
            return 0.5
        return max(0.0, 1 - 1.6 * abs(self.opinions[name] - sum(other_opinions) / len(other_opinions)))

    def get_influencer(self, name: str) -> str:
        """Return the speaker of the latest round who moved `name` most; empty if no statement moved `name`."""
        pulls = self.pulls.get(name, {})
        strongest_speaker = max(pulls, key=lambda speaker: pulls[speaker], default="")
        return strongest_speaker if strongest_speaker and pulls[strongest_speaker] >= NOTICED_PULL else ""

    def is_united(self) -> bool:
        """Return whether all objections are settled."""
        return len(self.opinions) > 1 and all(
            self.compute_agreement(name) >= CONTENT_AGREEMENT for name in self.opinions
        )


def detect_side(role: str) -> str:
    """Return `pro` or `con` if a role or task names it, in any language; else empty."""
    for side in ("pro", "con"):
        if any(get_term(tag, "debate", f"{side}{form}") in role for tag in LANGUAGES for form in ("", "_public")):
            return side
    return ""


def draw_traits(seed: int, name: str, role: str, side: str) -> OpinionTraits:
    """Draw a participant's traits from the run's seed and its name. The role sets how stubborn the participant is."""
    rng, key = make_rng(seed, "mind", name), crc32(name.encode("utf-8", "replace")) ^ seed
    start, openness, mobility = rng.random(), rng.random(), rng.random()
    pace_factor = 0.8 + 0.4 * make_rng(0, "stubborn", role).random()
    if side:
        start = 0.73 + 0.2 * start
        opinion = start if side == "pro" else 1 - start
        return OpinionTraits(side, opinion, 0.45 + 0.6 * openness, pace_factor * (0.02 + 0.27 * mobility**2), key)
    opinion = min(0.95, max(0.05, 0.12 + 0.76 * start + _compute_leaning(role)))
    return OpinionTraits("", opinion, 0.15 + 0.45 * openness, pace_factor * (0.02 + 0.25 * mobility), key)


def _compute_leaning(role: str) -> float:
    """Compute the shift of the start: a dreamer is a little bolder, a critic a little more careful."""
    words, leaning = role.casefold(), 0.0
    for tag in LANGUAGES:
        marks = load_table("rehearsal", tag)["leanings"]
        leaning += 0.15 * any(word in words for word in marks["bold"])  # type: ignore[attr-defined]
        leaning -= 0.15 * any(word in words for word in marks["careful"])  # type: ignore[attr-defined]
    return leaning


def replay_opinions(
    seed: int, participants: Mapping[str, str], statements: Sequence[PromptStatement], speaker: str, task: str
) -> OpinionCourse:
    """Replay each participant's opinion over the statements.

    `task` gives the side of `speaker` if its role does not.
    """
    traits_by_name = {name: draw_traits(seed, name, role, detect_side(role)) for name, role in participants.items()}
    own_side = detect_side(task) if speaker in traits_by_name and not traits_by_name[speaker].side else ""
    if own_side and len(traits_by_name) <= 2:
        sides = {
            name: own_side if name == speaker else ("con" if own_side == "pro" else "pro") for name in traits_by_name
        }
        traits_by_name = {name: draw_traits(seed, name, participants[name], sides[name]) for name in traits_by_name}
    opinions = {name: traits.start for name, traits in traits_by_name.items()}
    history: dict[str, list[tuple[int, float]]] = {name: [] for name in traits_by_name}
    latest_pulls: dict[str, dict[str, float]] = {name: {} for name in traits_by_name}
    quiet_count, latest_statements = 0, statements[-len(traits_by_name) :]
    for statement in statements:
        pulls = update_opinions(traits_by_name, opinions, statement)
        quiet_count = 0 if sum(pulls.values()) > QUIET_PULL else quiet_count + 1
        history[statement.speaker].append((statement.turn, opinions[statement.speaker]))
        for name in pulls if statement in latest_statements else ():
            latest_pulls[name][statement.speaker] = pulls[name]
    return OpinionCourse(traits_by_name, opinions, history, quiet_count, latest_pulls)


def update_opinions(
    traits_by_name: Mapping[str, OpinionTraits], opinions: dict[str, float], statement: PromptStatement
) -> dict[str, float]:
    """Move the opinions of all participants by a statement, and return the size of each move.

    The same words affect each listener differently.
    """
    opinion, pulls = opinions[statement.speaker], dict[str, float]()
    text_hash = crc32(statement.text.encode("utf-8", "replace"))
    for name, traits in traits_by_name.items():
        gap = opinion - opinions[name]
        if name == statement.speaker or abs(gap) > traits.bound:
            continue
        force = 0.4 + 1.2 * (((text_hash ^ traits.key) * 2654435761 & 0xFFFFFFFF) / 2**32)
        opinions[name] += traits.pace * force * gap
        pulls[name] = abs(traits.pace * force * gap)
    return pulls
