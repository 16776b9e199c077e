"""Valid votes in the form that the voting rules count."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from ..ballot import CUMULATIVE_POINTS, Ballot, BallotKind, find_ballot_fault, find_duplicate
from ..errors import InputError
from .count_result import CountSettings

PairMatrix = dict[str, dict[str, int]]
"""One number for each pair of options, by row and column."""


@dataclass(frozen=True)
class Vote:
    """Content of a valid ballot.

    `tiers`: sets of equally liked options, best first. `points`: points by option. `weight`: the voter's certainty,
    1 to 5, or `None`.
    """

    kind: BallotKind
    tiers: list[list[str]]
    points: dict[str, Fraction] = field(default_factory=dict)
    weight: int | None = None

    def find_favorite(self, options: Sequence[str]) -> str | None:
        """Return the single most liked option among `options`.

        Return `None` if several are equally liked, or if the vote contains none of `options`.
        """
        best_options = next(
            (favorites for tier in self.tiers if (favorites := [option for option in tier if option in options])), []
        )
        return best_options[0] if len(best_options) == 1 else None


@dataclass(frozen=True)
class SortedBallots:
    """Input of the voting rules: valid votes, and the number of other ballots.

    `choices`: for each option, the choice and the amount that it stands for.
    """

    options: list[str]
    votes: list[Vote]
    voters: int
    abstentions: int
    excluded: int
    faults: list[str]
    choices: dict[str, tuple[str, int | None]]

    @property
    def valid_voter_count(self) -> int:
        """Number of voters with a valid ballot. All of them count for the quorum."""
        return len(self.votes) + self.abstentions + self.excluded

    @cached_property
    def preferences(self) -> PairMatrix:
        """Matrix `preferences[a][b]`: votes that put a above b. A vote compares only the options it contains."""
        counts = {a: {b: 0 for b in self.options if b != a} for a in self.options}
        for vote in self.votes:
            for index, tier in enumerate(vote.tiers):
                worse_options = [b for lower in vote.tiers[index + 1 :] for b in lower]
                for a in tier:
                    row = counts[a]
                    for b in worse_options:
                        row[b] += 1
        return counts

    @cached_property
    def margins(self) -> PairMatrix:
        """Matrix `margins[a][b]`: votes for a over b minus votes for b over a."""
        return {a: {b: wins - self.preferences[b][a] for b, wins in row.items()} for a, row in self.preferences.items()}


def make_exact_score(number: float) -> Fraction:
    """Return `number` as the exact decimal that the voter wrote, so that 0.1 + 0.2 is 0.3."""
    return Fraction(repr(float(number)))


def compute_leads(totals: dict[str, Fraction]) -> dict[str, Fraction]:
    """Compute the lead of each option over the best other one. The lead of a single option is its total."""
    highest_totals = sorted(totals.values(), reverse=True)[:2]
    second_total = highest_totals[1] if len(highest_totals) > 1 else Fraction(0)
    return {
        option: total - (second_total if total == highest_totals[0] else highest_totals[0])
        for option, total in totals.items()
    }


@dataclass(frozen=True)
class RuleResult:
    """Result of a voting rule: exact totals and margins, winners before the tie-break, and evidence."""

    totals: dict[str, Fraction]
    winners: list[str]
    margins: dict[str, Fraction]
    evidence: list[str] = field(default_factory=list)
    rounds: list[dict[str, int]] = field(default_factory=list)

    @classmethod
    def pick_highest(cls, totals: dict[str, Fraction]) -> "RuleResult":
        """Return the result that elects all options with the highest total."""
        return cls(
            totals, [option for option, total in totals.items() if total == max(totals.values())], compute_leads(totals)
        )


def _label_choice(ballot: Ballot, settings: CountSettings) -> tuple[str, tuple[str, int | None]]:
    choice = str(ballot.choice)
    if ballot.amount is None or (settings.amount_options is not None and choice not in settings.amount_options):
        return choice, (choice, None)
    return f"{choice} @ {ballot.amount}", (choice, ballot.amount)


def _find_fault(ballot: Ballot, options: list[str] | None, settings: CountSettings, spends_points: bool) -> str:
    if fault := find_ballot_fault(ballot, options):
        return fault
    if ballot.choice is not None and ballot.choice in (settings.amount_options or []) and ballot.amount is None:
        return f"{ballot.choice!r} needs an amount"
    if spends_points and ballot.scores is not None:
        points = [make_exact_score(score) for score in ballot.scores.values()]
        if min(points) < 0 or sum(points) != CUMULATIVE_POINTS:
            total = float(sum(points))
            return f"points must be 0 or more and add up to {CUMULATIVE_POINTS}; these add up to {total:g}"
    return ""


def _build_tiers(ballot: Ballot, options: list[str]) -> list[list[str]]:
    if ballot.ranking is not None:
        tiers = [[name] for name in ballot.ranking if name in options]
    elif ballot.approvals is not None:
        tiers = [[name for name in ballot.approvals if name in options]]
    else:
        scores = {name: (ballot.scores or {}).get(name, 0.0) for name in options}
        return [
            [option for option in options if scores[option] == level]
            for level in sorted(set(scores.values()), reverse=True)
        ]
    ranked_options = {name for tier in tiers for name in tier}
    return [tier for tier in [*tiers, [option for option in options if option not in ranked_options]] if tier]


def _make_vote(ballot: Ballot, options: list[str], settings: CountSettings) -> Vote | None:
    """Return the content of a ballot as a vote, or `None` if no content is left.

    If the settings exclude votes for oneself, remove the voter's own option first.
    """
    allowed_options = [option for option in options if not (settings.exclude_self and option == ballot.voter)]
    if ballot.kind is None or (
        ballot.named_options and not any(name in allowed_options for name in ballot.named_options)
    ):
        return None
    if ballot.kind == "choice":
        return Vote("choice", [[_label_choice(ballot, settings)[0]]], weight=ballot.weight)
    points = {name: make_exact_score(score) for name, score in (ballot.scores or {}).items() if name in allowed_options}
    points |= {name: Fraction(1) for name in ballot.approvals or [] if name in allowed_options}
    return Vote(ballot.kind, _build_tiers(ballot, allowed_options), points, ballot.weight)


def _count_voters(ballots: Sequence[Ballot], voters: int | Sequence[str] | None) -> int:
    voter_names = [ballot.voter for ballot in ballots]
    if duplicate := find_duplicate(voter_names):
        raise InputError("voter", duplicate, "has cast more than one ballot; keep one")
    if voters is None or isinstance(voters, int):
        if voters is not None and voters < len(voter_names):
            raise InputError(
                "voters",
                voters,
                f"there are {len(voter_names)} ballots; give the number of all voters, also those without a ballot",
            )
        return len(voter_names) if voters is None else voters
    if strangers := [name for name in voter_names if name not in voters]:
        raise InputError(
            "voter", strangers[0], "is not among the voters; add this name to the voters, or delete the ballot"
        )
    return len(set(voters))


def sort_ballots(
    ballots: Sequence[Ballot],
    options: Sequence[str] | None,
    voters: int | Sequence[str] | None,
    settings: CountSettings,
    *,
    spends_points: bool = False,
) -> SortedBallots:
    """Sort `ballots` for counting. Without `options`, the options are the names on the ballots.

    `voters`: the electorate, as in `count_ballots`. `spends_points`: whether a valid ballot must spend exactly 10
    points. Raises `InputError` for two ballots of one voter, a voter outside the electorate, or blank or repeated
    options.
    """
    stripped_options = None if options is None else [option.strip() for option in options]
    if stripped_options is not None and (not all(stripped_options) or find_duplicate(stripped_options)):
        raise InputError("options", stripped_options, "name each option once, and leave none blank")
    faults = [_find_fault(ballot, stripped_options, settings, spends_points) for ballot in ballots]
    valid_ballots = [ballot for ballot, fault in zip(ballots, faults, strict=True) if not fault]
    declared_options = stripped_options or list(
        dict.fromkeys(name for ballot in valid_ballots for name in ballot.named_options)
    )
    choices: dict[str, tuple[str, int | None]] = {}
    for label, choice in (_label_choice(ballot, settings) for ballot in valid_ballots if ballot.kind == "choice"):
        if choices.setdefault(label, choice) != choice:
            raise InputError("option", label, "looks like another option with its amount; rename one of them")
    votes = [_make_vote(ballot, declared_options, settings) for ballot in valid_ballots if not ballot.abstain]
    counted_votes = [vote for vote in votes if vote is not None]
    chosen_options = {choice for choice, _ in choices.values()}
    plain_options = [option for option in declared_options if option in choices or option not in chosen_options]
    return SortedBallots(
        options=[*plain_options, *(label for label in choices if label not in plain_options)],
        votes=counted_votes,
        voters=_count_voters(ballots, voters),
        abstentions=sum(ballot.abstain for ballot in valid_ballots),
        excluded=len(votes) - len(counted_votes),
        faults=[fault for fault in faults if fault],
        choices=choices,
    )
