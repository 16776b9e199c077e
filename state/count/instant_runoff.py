"""Instant runoff: the lowest go, their ballots move on."""

from fractions import Fraction

from .box import Box, Counted
from .tally import CountSettings


def instant_runoff(box: Box, settings: CountSettings) -> Counted:
    """All options with the fewest first places leave at once, until one has more than half of the continuing ballots
    or no two are left.

    Shape: votes in the last round an option stood in; margins: its lead in that round. A ballot with no ranked option
    left does not continue. Ties: all who stand when they are level. Source: Tideman, Collective Decisions and Voting
    (2006), chapter 13, the alternative vote.
    """
    standing = list(box.options)
    totals: dict[str, Fraction] = {}
    margins: dict[str, Fraction] = {}
    rounds: list[dict[str, int]] = []
    while True:
        firsts = [vote.first(standing) for vote in box.votes]
        votes = {option: firsts.count(option) for option in standing}
        rounds.append(votes)
        for option, count in votes.items():
            others = [other for name, other in votes.items() if name != option]
            totals[option], margins[option] = Fraction(count), Fraction(count - max(others, default=0))
        most, least = max(votes.values()), min(votes.values())
        rest = [option for option in standing if votes[option] > least]
        if len(rest) < 2 or 2 * most > sum(votes.values()):
            winners = [option for option in standing if votes[option] == most]
            return Counted(_in_order(totals, box), winners, _in_order(margins, box), rounds=rounds)
        standing = rest


def _in_order(values: dict[str, Fraction], box: Box) -> dict[str, Fraction]:
    return {option: values[option] for option in box.options}
