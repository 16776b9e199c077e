"""Hooks of a jury: its ballots have a report section of their own."""

from ..hooks import Hooks
from .report import build_ballot_section

HOOKS = Hooks(sections={"course": [build_ballot_section]})
