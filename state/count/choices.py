"""Rules of one choice each: unanimity, supermajority, majority, plurality, confidence-weighted.

A ranking counts as a vote for its first option. Totals are votes (or certainty), margins the lead over the best other.
"""

from collections.abc import Callable
from fractions import Fraction

from .box import Box, Counted, Vote, leads
from .tally import CountSettings


def _totals(box: Box, weigh: Callable[[Vote], int] = lambda vote: 1) -> dict[str, Fraction]:
    totals = dict.fromkeys(box.options, Fraction(0))
    for vote in box.votes:
        if (choice := vote.first(box.options)) is not None:
            totals[choice] += weigh(vote)
    return totals


def _over(box: Box, passes: Callable[[Fraction], bool], needed: str) -> Counted:
    totals = _totals(box)
    winners = [option for option in box.options if passes(totals[option] / len(box.votes))]
    best = max(totals.values())
    return Counted(totals, winners, leads(totals), [f"{needed}; the most for one option is {best} of {len(box.votes)}"])


def share(settings: CountSettings) -> Fraction:
    """The supermajority's share as the fraction it was meant to be."""
    return Fraction(settings.share).limit_denominator(1000)


def unanimity(box: Box, settings: CountSettings) -> Counted:
    """All votes cast are for one option. An abstention does not break it; a missing ballot does only by the quorum.

    Shape: votes. Ties: impossible. Source: Buchanan and Tullock, The Calculus of Consent (1962), chapter 7.
    """
    return _over(box, lambda part: part == 1, "needs every vote cast")


def supermajority(box: Box, settings: CountSettings) -> Counted:
    """At least the set share (more than a half, default 2/3) of the votes cast is for one option.

    Shape: votes. Ties: impossible. Source: Caplin and Nalebuff, On 64%-majority rule, Econometrica 56 (1988).
    """
    needed = share(settings)
    return _over(box, lambda part: part >= needed, f"needs {needed} of the votes cast")


def majority(box: Box, settings: CountSettings) -> Counted:
    """More than half of the votes cast is for one option; exactly half is not enough.

    Shape: votes. Ties: impossible. Source: May, A set of independent necessary and sufficient conditions for simple
    majority decision, Econometrica 20 (1952).
    """
    return _over(box, lambda part: part > Fraction(1, 2), "needs more than half of the votes cast")


def plurality(box: Box, settings: CountSettings) -> Counted:
    """The most votes win.

    Shape: votes. Ties: all with the most. Source: Brams and Fishburn, Voting procedures, Handbook of Social Choice and
    Welfare 1 (2002), section 4.
    """
    totals = _totals(box)
    return Counted.most(totals)


def confidence_weighted(box: Box, settings: CountSettings) -> Counted:
    """The most certainty wins: each vote weighs its voter's certainty, 1 to 5; a vote without one weighs 1.

    Shape: sums of certainty. Ties: all with the most. Source: weighting votes by competence, Nitzan and Paroush,
    Optimal decision rules in uncertain dichotomous choice situations, International Economic Review 23 (1982).
    """
    totals = _totals(box, lambda vote: vote.weight or 1)
    return Counted.most(totals)
