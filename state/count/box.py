"""The ballot box: what the rules count."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from ..ballot import POINTS, Ballot, BallotKind, repeated, what_spoils
from ..refused import Refused
from .tally import CountSettings

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


def _label(ballot: Ballot, settings: CountSettings) -> tuple[str, tuple[str, int | None]]:
    choice = str(ballot.choice)
    if ballot.amount is None or (settings.amount_for is not None and choice not in settings.amount_for):
        return choice, (choice, None)
    return f"{choice} @ {ballot.amount}", (choice, ballot.amount)


def _fault(ballot: Ballot, options: list[str] | None, settings: CountSettings, spending: bool) -> str:
    if found := what_spoils(ballot, options):
        return found
    if ballot.choice is not None and ballot.choice in (settings.amount_for or []) and ballot.amount is None:
        return f"{ballot.choice!r} needs an amount"
    if spending and ballot.scores is not None:
        spent = [exact(score) for score in ballot.scores.values()]
        if min(spent) < 0 or sum(spent) != POINTS:
            return f"cumulative needs points of 0 or more adding up to {POINTS}; these add up to {float(sum(spent)):g}"
    return ""


def _tiers(ballot: Ballot, options: list[str]) -> list[list[str]]:
    if ballot.ranking is not None:
        named = [[name] for name in ballot.ranking if name in options]
    elif ballot.approvals is not None:
        named = [[name for name in ballot.approvals if name in options]]
    else:
        scores = {name: (ballot.scores or {}).get(name, 0.0) for name in options}
        return [[o for o in options if scores[o] == level] for level in sorted(set(scores.values()), reverse=True)]
    placed = {name for tier in named for name in tier}
    return [tier for tier in [*named, [o for o in options if o not in placed]] if tier]


def _vote(ballot: Ballot, options: list[str], settings: CountSettings) -> Vote | None:
    """The ballot as a vote, less what it says about its own voter if that is left out; none if nothing is left."""
    heard = [o for o in options if not (settings.exclude_self and o == ballot.voter)]
    if ballot.kind is None or (ballot.named and not any(name in heard for name in ballot.named)):
        return None
    if ballot.kind == "choice":
        return Vote("choice", [[_label(ballot, settings)[0]]], weight=ballot.weight)
    points = {name: exact(score) for name, score in (ballot.scores or {}).items() if name in heard}
    points |= {name: Fraction(1) for name in ballot.approvals or [] if name in heard}
    return Vote(ballot.kind, _tiers(ballot, heard), points, ballot.weight)


def _electorate(ballots: Sequence[Ballot], voters: int | Sequence[str] | None) -> int:
    cast = [ballot.voter for ballot in ballots]
    if twice := repeated(cast):
        raise Refused("voter", twice, "has cast more than one ballot; keep one")
    if voters is None or isinstance(voters, int):
        if voters is not None and voters < len(cast):
            raise Refused("voters", voters, f"there are {len(cast)} ballots; give the whole electorate")
        return len(cast) if voters is None else voters
    if strangers := [name for name in cast if name not in voters]:
        raise Refused("voter", strangers[0], "is not one of the voters; drop the ballot or name the voter")
    return len(set(voters))


def _pairs(ballots: Sequence[Ballot], settings: CountSettings) -> dict[str, tuple[str, int | None]]:
    """Each option as counted, with the choice and the amount it stands for."""
    pairs: dict[str, tuple[str, int | None]] = {}
    for ballot in ballots:
        if ballot.kind == "choice":
            label, pair = _label(ballot, settings)
            if pairs.setdefault(label, pair) != pair:
                raise Refused("option", label, "reads like another choice with its amount; rename one")
    return pairs


def _counted_options(pairs: dict[str, tuple[str, int | None]], declared: list[str]) -> list[str]:
    chosen = {choice for choice, _ in pairs.values()}
    bare = [option for option in declared if option in pairs or option not in chosen]
    return [*bare, *(label for label in pairs if label not in bare)]


def open_box(
    ballots: Sequence[Ballot],
    options: Sequence[str] | None,
    voters: int | Sequence[str] | None,
    settings: CountSettings,
    *,
    spending: bool = False,
) -> Box:
    """Sort `ballots`. Options not given are those the ballots name; `spending`: scores must spend the 10 points.

    Raises `Refused` for a second ballot of one voter, a ballot from outside the electorate, or repeated options.
    """
    known = None if options is None else [option.strip() for option in options]
    if known is not None and (not all(known) or repeated(known)):
        raise Refused("options", known, "name each option once, and none blank")
    why = [_fault(ballot, known, settings, spending) for ballot in ballots]
    valid = [ballot for ballot, found in zip(ballots, why, strict=True) if not found]
    declared = known or list(dict.fromkeys(name for ballot in valid for name in ballot.named))
    pairs = _pairs(valid, settings)
    votes = [_vote(ballot, declared, settings) for ballot in valid if not ballot.abstain]
    cast = [vote for vote in votes if vote is not None]
    return Box(
        options=_counted_options(pairs, declared),
        votes=cast,
        voters=_electorate(ballots, voters),
        abstentions=sum(ballot.abstain for ballot in valid),
        excluded=len(votes) - len(cast),
        faults=[found for found in why if found],
        pairs=pairs,
    )
