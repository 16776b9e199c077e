"""Counting ballots: thirteen rules, pure, usable without a model, a graph or a file.

`count([Ballot(voter="Ada", choice="yes"), Ballot(voter="Bob", choice="no")], "plurality").winners` is `["yes", "no"]`.
"""

from .counting import condorcet, count, count_all
from .rules import RULES, Rule
from .tally import Condorcet, CountSettings, Report, RuleName, Tally, TieRule

__all__ = [
    "RULES",
    "Condorcet",
    "CountSettings",
    "Report",
    "Rule",
    "RuleName",
    "Tally",
    "TieRule",
    "condorcet",
    "count",
    "count_all",
]
