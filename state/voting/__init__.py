"""A vote as part of a deliberation: its course in public, its ballots in secret, and its rules."""

from .course import COUNTED_AS_NO, carried, confirmed, consenting, refusing
from .poll import CastBallot, Consent, Poll, ballots_of
from .rules import VotingRules
