"""Vote during a deliberation: its public progress, its secret ballots and its settings."""

from .consents import COUNTED_AS_NO, has_enough_votes, is_vote_confirmed, list_consent_voters, list_refusers
from .poll import CastBallot, Consent, Poll, list_poll_ballots, make_vote_ending
from .settings import VotingSettings
