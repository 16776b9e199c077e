"""Winner of a count: the quorum, and the tie-break among equals."""

from dataclasses import dataclass
from fractions import Fraction

from ..random_streams import make_rng
from .count_result import CountSettings, CountStatus
from .sorted_ballots import RuleResult, SortedBallots


def get_quorum(settings: CountSettings) -> Fraction:
    """Return the quorum as a fraction. Its denominator is at most 1,000, so a third counts as exactly 1/3."""
    return Fraction(settings.quorum).limit_denominator(1000)


def has_quorum(ballots: SortedBallots, settings: CountSettings) -> bool:
    """Return whether votes, abstentions and excluded ballots together reach the quorum."""
    return ballots.present_count >= get_quorum(settings) * ballots.voters


@dataclass(frozen=True)
class CountVerdict:
    """Winner, candidates before the tie-break, status and explanation of a count."""

    status: CountStatus
    winner: str | None = None
    winners: tuple[str, ...] = ()
    explanation: str = ""


def decide_winner(
    result: RuleResult, ballots: SortedBallots, settings: CountSettings, is_weighted: bool
) -> CountVerdict:
    """Decide the winner of a count. Without a quorum or a vote, the count has no winner.

    `is_weighted`: in a runoff, a vote weighs as much as its voter's certainty.
    """
    if not ballots.votes:
        return CountVerdict("no_votes", explanation="no vote was cast")
    if not has_quorum(ballots, settings):
        quorum = get_quorum(settings)
        return CountVerdict(
            "no_quorum",
            explanation=f"{ballots.present_count} of {ballots.voters} voters are present; the quorum is {quorum}",
        )
    if len(result.winners) == 1:
        return CountVerdict("outright", result.winners[0], tuple(result.winners))
    if not result.winners:
        return CountVerdict("short")
    names = ", ".join(result.winners)
    if settings.tie_break == "seeded":
        sorted_options = sorted(result.winners)
        winner = make_rng(settings.tie_seed, "tie", *sorted_options).choice(sorted_options)
        return CountVerdict(
            "seeded", winner, tuple(result.winners), f"{names} tie; {winner} is drawn with seed {settings.tie_seed}"
        )
    if settings.tie_break == "status_quo":
        return CountVerdict(
            "status_quo", settings.status_quo, tuple(result.winners), f"{names} tie; the status quo stays"
        )
    if settings.tie_break == "runoff":
        return _hold_runoff(result.winners, ballots, is_weighted)
    return CountVerdict("tied", None, tuple(result.winners), f"{names} tie")


def _hold_runoff(tied_options: list[str], ballots: SortedBallots, is_weighted: bool) -> CountVerdict:
    """Count each ballot for its favorite among the tied options, and return those with most votes."""
    remaining_options, round_lines = tied_options, []
    while True:
        votes = dict.fromkeys(remaining_options, 0)
        for vote in ballots.votes:
            if (favorite := vote.find_favorite(remaining_options)) is not None:
                votes[favorite] += (vote.weight or 1) if is_weighted else 1
        round_lines.append(", ".join(f"{option} {count}" for option, count in votes.items()))
        leaders = [option for option in remaining_options if votes[option] == max(votes.values())]
        if len(leaders) in (1, len(remaining_options)):
            break
        remaining_options = leaders
    explanation = f"{', '.join(tied_options)} tie; runoff on the same ballots: {'; '.join(round_lines)}"
    if len(leaders) == 1:
        return CountVerdict("runoff", leaders[0], tuple(tied_options), explanation)
    return CountVerdict("tied", None, tuple(tied_options), f"{explanation}: level again, ask again between them")
