"""Ballots: the answer of one voter, its schema, and its parser."""

from .answer_parser import UnclearAnswerError, normalize_answer, parse_consent, parse_stated_answer
from .parser import first_fault, read_answer
from .record import CUMULATIVE_POINTS, Ballot, BallotKind, find_ballot_fault, find_duplicate
from .schema import BallotAnswer, BallotFormat, check_unique, make_ballot_schema
