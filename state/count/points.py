"""Rules that add up points: approval, score, cumulative, Borda. Margins are the lead over the best other."""

from fractions import Fraction

from .box import Box, Counted
from .tally import CountSettings


def _sums(box: Box) -> dict[str, Fraction]:
    totals = dict.fromkeys(box.options, Fraction(0))
    for vote in box.votes:
        for option, given in vote.points.items():
            totals[option] += given
    return totals


def approval(box: Box, settings: CountSettings) -> Counted:
    """The most approvals win; an option nobody approves of cannot.

    Shape: approvals. Ties: all with the most. Source: Brams and Fishburn, Approval voting, American Political Science
    Review 72 (1978).
    """
    totals = _sums(box)
    if not any(totals.values()):
        return Counted(totals, [], totals, ["nobody approves of any option"])
    return Counted.most(totals)


def score(box: Box, settings: CountSettings) -> Counted:
    """The highest sum of scores wins; an option a ballot leaves out gets 0 from it, an approval counts as 1.

    Shape: sums of scores, added as the decimals they were written as. Ties: all with the highest. Source: Smith, Range
    voting (2000); Hillinger, The case for utilitarian voting, Homo Oeconomicus 22 (2005).
    """
    return Counted.most(_sums(box))


def cumulative(box: Box, settings: CountSettings) -> Counted:
    """The most points win, of the 10 that each voter gives away; a ballot that spends more or less is invalid.

    Shape: points. Ties: all with the most. Source: Sawyer and MacRae, Game theory and cumulative voting in Illinois,
    American Political Science Review 56 (1962).
    """
    return Counted.most(_sums(box))


def borda(box: Box, settings: CountSettings) -> Counted:
    """The most Borda points win: from each ranking, one point per option ranked below.

    Shape: points. The unranked options are tied last and share the points of their places equally. Ties: all with the
    most. Source: Borda, Mémoire sur les élections au scrutin (1784); equals sharing their places: Gärdenfors,
    Positionalist voting functions, Theory and Decision 4 (1973).
    """
    totals = dict.fromkeys(box.options, Fraction(0))
    for vote in box.votes:
        below = sum(len(tier) for tier in vote.tiers)
        for tier in vote.tiers:
            below -= len(tier)
            for option in tier:
                totals[option] += below + Fraction(len(tier) - 1, 2)
    return Counted.most(totals)
