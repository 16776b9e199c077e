"""Ballots: what one voter said, the schema it is asked by, and how it is read out of text."""

from .answer import Unclear, read_consent
from .ballot import POINTS, Ballot, BallotKind, repeated, what_spoils
from .schema import AskedKind, BallotAnswer, ballot_schema, once_each
from .text import first_fault, read_answer
