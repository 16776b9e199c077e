"""Vote counting: thirteen voting rules as pure functions, without any model, graph or file.

`count_ballots([Ballot(voter="Ada", choice="yes"), Ballot(voter="Bob", choice="no")], "plurality").winners` is `["yes",
"no"]`.
"""

from .count_result import CondorcetResult, CountReport, CountSettings as CountSettings, Tally, TallyNumber, TieRule
from .counting import compute_condorcet, count_ballots as count_ballots, count_by_all_rules as count_by_all_rules
from .rule_registry import VOTING_RULES, VotingRule as VotingRule, get_voting_rule
