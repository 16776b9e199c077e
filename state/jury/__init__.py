"""Jury: the result of each ballot, and stopping rules."""

from .settings import GUILTY, NOT_GUILTY, JurySettings, compute_needed_votes
from .verdict import collect_minority_reasons, count_verdict, has_changed_votes, has_vote_quorum
