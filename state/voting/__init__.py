"""A vote as part of a deliberation: its course in public, its ballots in secret, and its rules."""

from .poll import CastBallot, Consent, Poll, ballots_of, carried, consenting, refusing
from .rules import VotingRules
