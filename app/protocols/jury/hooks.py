"""Hooks of the jury protocol: a report section for its ballots."""

from ..hooks import Hooks
from .report import build_ballot_section

HOOKS = Hooks(sections={"course": [build_ballot_section]})
