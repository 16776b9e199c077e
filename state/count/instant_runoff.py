"""Instant runoff: eliminate the lowest options and transfer their ballots."""

from fractions import Fraction

from .count_result import CountSettings
from .sorted_ballots import RuleResult, SortedBallots


def instant_runoff(ballots: SortedBallots, settings: CountSettings) -> RuleResult:
    """Eliminate all options with the fewest first places at once, until one has a majority.

    The count also ends with fewer than two options. A majority is more than half of the continuing ballots. A ballot
    without a remaining ranked option does not continue. Totals: an option's votes in its last round. Margins: its lead
    in that round. Ties: all remaining options if they are level. Source: Tideman, Collective Decisions and Voting
    (2006), chapter 13, the alternative vote.
    """
    remaining_options = list(ballots.options)
    totals = dict.fromkeys(ballots.options, Fraction(0))  # in the order of the options
    margins = dict(totals)
    rounds: list[dict[str, int]] = []
    while True:
        favorites = [vote.find_favorite(remaining_options) for vote in ballots.votes]
        votes = {option: favorites.count(option) for option in remaining_options}
        rounds.append(votes)
        for option, count in votes.items():
            rivals = [rival for name, rival in votes.items() if name != option]
            totals[option], margins[option] = Fraction(count), Fraction(count - max(rivals, default=0))
        highest_count, lowest_count = max(votes.values()), min(votes.values())
        survivors = [option for option in remaining_options if votes[option] > lowest_count]
        if len(survivors) < 2 or 2 * highest_count > sum(votes.values()):
            winners = [option for option in remaining_options if votes[option] == highest_count]
            return RuleResult(totals, winners, margins, rounds=rounds)
        remaining_options = survivors
