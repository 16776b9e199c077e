"""The ballot box: what the rules count."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from ..ballot import BallotKind

Matrix = dict[str, dict[str, int]]


@dataclass(frozen=True)
class Vote:
    """What a valid ballot says: sets of equally liked options, best first; points per option; certainty."""

    kind: BallotKind
    tiers: list[list[str]]
    points: dict[str, Fraction] = field(default_factory=dict)
    weight: int | None = None

    def first(self, among: Sequence[str]) -> str | None:
        """The option of `among` it likes best; none if it likes several equally, or names none."""
        best = next((liked for tier in self.tiers if (liked := [o for o in tier if o in among])), [])
        return best[0] if len(best) == 1 else None


@dataclass(frozen=True)
class Box:
    """The sorted ballots. `pairs` gives each option as counted its choice and amount."""

    options: list[str]
    votes: list[Vote]
    voters: int
    abstentions: int
    excluded: int
    faults: list[str]
    pairs: dict[str, tuple[str, int | None]]

    @property
    def present(self) -> int:
        """How many count for the quorum: whoever cast a ballot that is not at fault."""
        return len(self.votes) + self.abstentions + self.excluded

    @cached_property
    def prefers(self) -> Matrix:
        """`prefers[a][b]`: how many votes put a above b. Options a vote says nothing of are not compared."""
        above = {a: {b: 0 for b in self.options if b != a} for a in self.options}
        for vote in self.votes:
            for place, tier in enumerate(vote.tiers):
                worse = [b for lower in vote.tiers[place + 1 :] for b in lower]
                for a in tier:
                    row = above[a]
                    for b in worse:
                        row[b] += 1
        return above

    @cached_property
    def margins(self) -> Matrix:
        """`margins[a][b]`: votes for a over b less votes for b over a."""
        return {a: {b: won - self.prefers[b][a] for b, won in row.items()} for a, row in self.prefers.items()}


def exact(number: float) -> Fraction:
    """The decimal a score was written as, so that 0.1 + 0.2 is 0.3."""
    return Fraction(repr(float(number)))


def leads(totals: dict[str, Fraction]) -> dict[str, Fraction]:
    """Per option, its total less the best other one; alone, its total."""
    best = sorted(totals.values(), reverse=True)[:2]
    second = best[1] if len(best) > 1 else Fraction(0)
    return {option: total - (second if total == best[0] else best[0]) for option, total in totals.items()}


@dataclass(frozen=True)
class Counted:
    """What a rule finds: exact totals and margins, whom it picks before the tie rule, and what shows it."""

    totals: dict[str, Fraction]
    winners: list[str]
    margins: dict[str, Fraction]
    evidence: list[str] = field(default_factory=list)
    rounds: list[dict[str, int]] = field(default_factory=list)

    @classmethod
    def most(cls, totals: dict[str, Fraction]) -> "Counted":
        """All with the highest total win."""
        return cls(totals, [o for o, total in totals.items() if total == max(totals.values())], leads(totals))
