"""Quorum: the share of voters who must take part. An abstention counts as taking part."""

from fractions import Fraction

from .count_result import CountSettings
from .sorted_ballots import SortedBallots


def get_quorum(settings: CountSettings) -> Fraction:
    """Return the quorum as a fraction. Its denominator is at most 1,000, so a third counts as exactly 1/3."""
    return Fraction(settings.quorum).limit_denominator(1000)


def has_quorum(ballots: SortedBallots, settings: CountSettings) -> bool:
    """Return whether votes, abstentions and excluded ballots together reach the quorum."""
    return ballots.present_count >= get_quorum(settings) * ballots.voters
