"""Counting ballots: thirteen rules, pure, usable without a model, a graph or a file.

`count([Ballot(voter="Ada", choice="yes"), Ballot(voter="Bob", choice="no")], "plurality").winners` is `["yes", "no"]`.
"""

from .counting import condorcet, count, count_all
from .rules import RULES, Rule, rule_named
from .tally import Condorcet, CountSettings, Report, Tally, TieRule

__all__ = [
    "RULES",
    "Condorcet",
    "CountSettings",
    "Report",
    "Rule",
    "Tally",
    "TieRule",
    "condorcet",
    "count",
    "count_all",
    "rule_named",
]
