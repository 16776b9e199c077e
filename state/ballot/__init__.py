"""Ballots: the answer of one voter, and its schema."""

from .record import CUMULATIVE_POINTS, Ballot, BallotKind, describe_first_fault, find_ballot_fault, find_duplicate
from .schema import BallotAnswer, BallotFormat, check_unique, make_ballot_schema
