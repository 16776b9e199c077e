"""Voting rules over first choices: majorities, plurality, confidence-weighted, instant runoff.

A ranking counts as a vote for its first option. Totals are votes (or certainty). Margins are the lead over the best
other option.
"""

from collections.abc import Callable
from fractions import Fraction

from .count_result import CountSettings
from .sorted_ballots import RuleResult, SortedBallots, Vote, compute_leads


def _sum_votes(ballots: SortedBallots, get_weight: Callable[[Vote], int] = lambda vote: 1) -> dict[str, Fraction]:
    totals = dict.fromkeys(ballots.options, Fraction(0))
    for vote in ballots.votes:
        if (choice := vote.find_favorite(ballots.options)) is not None:
            totals[choice] += get_weight(vote)
    return totals


def _apply_threshold(ballots: SortedBallots, is_enough: Callable[[Fraction], bool], requirement: str) -> RuleResult:
    totals = _sum_votes(ballots)
    winners = [option for option in ballots.options if is_enough(totals[option] / len(ballots.votes))]
    explanation = f"{requirement}; the most for one option is {max(totals.values())} of {len(ballots.votes)}"
    return RuleResult(totals, winners, compute_leads(totals), [explanation])


def unanimity(ballots: SortedBallots, settings: CountSettings) -> RuleResult:
    """Elect the option that has all votes cast.

    Abstentions do not prevent unanimity. Missing ballots matter only for the quorum. Totals: votes. Ties: impossible.
    Source: Buchanan and Tullock, The Calculus of Consent (1962), chapter 7.
    """
    return _apply_threshold(ballots, lambda share: share == 1, "needs every vote cast")


def supermajority(ballots: SortedBallots, settings: CountSettings) -> RuleResult:
    """Elect the option with at least the required share of the votes cast.

    The share is more than 1/2, by default 2/3.

    Totals: votes. Ties: impossible. Source: Caplin and Nalebuff, On 64%-majority rule, Econometrica 56 (1988).
    """
    required_share = Fraction(settings.supermajority_share).limit_denominator(1000)
    return _apply_threshold(ballots, lambda share: share >= required_share, f"needs {required_share} of the votes cast")


def majority(ballots: SortedBallots, settings: CountSettings) -> RuleResult:
    """Elect the option with more than half of the votes cast. Exactly half is not enough.

    Totals: votes. Ties: impossible. Source: May, A set of independent necessary and sufficient conditions for simple
    majority decision, Econometrica 20 (1952).
    """
    return _apply_threshold(ballots, lambda share: share > Fraction(1, 2), "needs more than half of the votes cast")


def plurality(ballots: SortedBallots, settings: CountSettings) -> RuleResult:
    """Elect the option with the most votes.

    Totals: votes. Ties: all options with the most votes. Source: Brams and Fishburn, Voting procedures, Handbook of
    Social Choice and Welfare 1 (2002), section 4.
    """
    return RuleResult.pick_highest(_sum_votes(ballots))


def confidence_weighted(ballots: SortedBallots, settings: CountSettings) -> RuleResult:
    """Elect the option with the highest sum of certainties.

    A vote weighs as much as the certainty of its voter, 1 to 5. Without a certainty, it weighs 1. Totals: sums of
    certainties. Ties: all options with the highest sum. Source: Nitzan and Paroush, Optimal decision rules in uncertain
    dichotomous choice situations, International Economic Review 23 (1982).
    """
    return RuleResult.pick_highest(_sum_votes(ballots, lambda vote: vote.weight or 1))


def instant_runoff(ballots: SortedBallots, settings: CountSettings) -> RuleResult:
    """Eliminate the options with the fewest first places, round by round, until one has a majority.

    Options that are level are eliminated together. The count also ends if fewer than two options would remain. A
    majority is more than half of the continuing ballots. A ballot without a remaining ranked option does not continue.
    Totals: an option's votes in its last round. Margins: its lead in that round. Ties: all remaining options if they
    are level. Source: Tideman, Collective Decisions and Voting (2006), chapter 13, the alternative vote.
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
