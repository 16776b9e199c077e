"""Voting rules that add up points: approval, score, cumulative, Borda.

Margins are the lead over the best other option.
"""

from fractions import Fraction

from .count_result import CountSettings
from .sorted_ballots import RuleResult, SortedBallots


def _sum_points(ballots: SortedBallots) -> dict[str, Fraction]:
    totals = dict.fromkeys(ballots.options, Fraction(0))
    for vote in ballots.votes:
        for option, points in vote.points.items():
            totals[option] += points
    return totals


def approval(ballots: SortedBallots, settings: CountSettings) -> RuleResult:
    """Elect the option with the most approvals. An option without approvals cannot win.

    Totals: approvals. Ties: all options with the most. Source: Brams and Fishburn, Approval voting, American Political
    Science Review 72 (1978).
    """
    totals = _sum_points(ballots)
    if not any(totals.values()):
        return RuleResult(totals, [], totals, ["no voter approves of any option"])
    return RuleResult.pick_highest(totals)


def score(ballots: SortedBallots, settings: CountSettings) -> RuleResult:
    """Elect the option with the highest sum of scores. A missing option counts as 0, an approval as 1.

    Totals: sums of scores, added as exact decimals. Ties: all options with the highest sum. Source: Smith, Range
    voting (2000); Hillinger, The case for utilitarian voting, Homo Oeconomicus 22 (2005).
    """
    return RuleResult.pick_highest(_sum_points(ballots))


def cumulative(ballots: SortedBallots, settings: CountSettings) -> RuleResult:
    """Elect the option with the most points. A ballot that does not spend exactly 10 points is invalid.

    Totals: points. Ties: all options with the most. Source: Sawyer and MacRae, Game theory and cumulative voting in
    Illinois, American Political Science Review 56 (1962).
    """
    return RuleResult.pick_highest(_sum_points(ballots))


def borda(ballots: SortedBallots, settings: CountSettings) -> RuleResult:
    """Elect the option with the most Borda points: from each ranking, one point per option ranked below.

    Totals: points. Unranked options are tied last. Tied options share the points of their places equally. Ties: all
    options with the most. Source: Borda, Mémoire sur les élections au scrutin (1784); shared places: Gärdenfors,
    Positionalist voting functions, Theory and Decision 4 (1973).
    """
    totals = dict.fromkeys(ballots.options, Fraction(0))
    for vote in ballots.votes:
        below_count = sum(len(tier) for tier in vote.tiers)
        for tier in vote.tiers:
            below_count -= len(tier)
            for option in tier:
                totals[option] += below_count + Fraction(len(tier) - 1, 2)
    return RuleResult.pick_highest(totals)
