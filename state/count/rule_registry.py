"""Voting rules by name: the counting function, its ballots, and the answer format for voters."""

from collections.abc import Callable
from dataclasses import dataclass

from ..ballot import BallotFormat, BallotKind
from ..errors import InputError
from ..plugins import VOTING_RULE_GROUP, PluginName, get_entry_point, map_entry_points
from .condorcet_methods import copeland, ranked_pairs, schulze
from .count_result import CountSettings
from .first_choice_rules import (
    confidence_weighted,
    instant_runoff,
    majority,
    plurality,
    supermajority,
    unanimity,
)
from .scoring_rules import approval, borda, cumulative, score
from .sorted_ballots import RuleResult, SortedBallots


@dataclass(frozen=True)
class VotingRule:
    """Voting rule.

    `ballot_kinds`: kinds of ballots that the rule can count. `ballot_format`: answer format for voters.
    """

    count: Callable[[SortedBallots, CountSettings], RuleResult]
    ballot_kinds: list[BallotKind]
    ballot_format: BallotFormat


KIND_PLURALS: dict[BallotKind, str] = {
    "choice": "choices",
    "ranking": "rankings",
    "approvals": "approvals",
    "scores": "scores",
}

_CHOICE_KINDS: list[BallotKind] = ["choice", "ranking"]

VOTING_RULES: dict[str, VotingRule] = {
    "unanimity": VotingRule(unanimity, _CHOICE_KINDS, "choice"),
    "supermajority": VotingRule(supermajority, _CHOICE_KINDS, "choice"),
    "majority": VotingRule(majority, _CHOICE_KINDS, "choice"),
    "plurality": VotingRule(plurality, _CHOICE_KINDS, "choice"),
    "approval": VotingRule(approval, ["approvals"], "approvals"),
    "score": VotingRule(score, ["scores", "approvals"], "scores"),
    "cumulative": VotingRule(cumulative, ["scores"], "points"),
    "borda": VotingRule(borda, ["ranking"], "ranking"),
    "copeland": VotingRule(copeland, ["ranking"], "ranking"),
    "schulze": VotingRule(schulze, ["ranking"], "ranking"),
    "ranked_pairs": VotingRule(ranked_pairs, ["ranking"], "ranking"),
    "instant_runoff": VotingRule(instant_runoff, ["ranking"], "ranking"),
    "confidence_weighted": VotingRule(confidence_weighted, _CHOICE_KINDS, "choice"),
}


def get_voting_rule(name: str) -> VotingRule:
    """Return the voting rule of this name, of Moot or of a package.

    Raises `InputError` for an unknown name, and for a name that two packages use.
    """
    rule_names = PluginName(VOTING_RULE_GROUP, tuple(VOTING_RULES), VotingRule)
    if name in VOTING_RULES and name not in map_entry_points(VOTING_RULE_GROUP):
        return VOTING_RULES[name]
    if name not in rule_names.names:
        raise InputError("rule", name, f"use one of {', '.join(rule_names.names)}")
    get_entry_point("rule", VOTING_RULE_GROUP, name, name in VOTING_RULES)
    rule: VotingRule = rule_names.load_typed_plugin("rule", name)
    return rule
