"""Jury: the result of each ballot, and stopping rules."""

from .settings import GUILTY, NOT_GUILTY, JurySettings
from .verdict import collect_minority_reasons, compute_needed_votes, count_verdict, has_changed_votes, has_vote_quorum
