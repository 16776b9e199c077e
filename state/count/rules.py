"""The rules by name: how each counts, which ballots it can count, what voters are asked for it."""

from collections.abc import Callable
from dataclasses import dataclass

from ..ballot import AskedKind, BallotKind
from ..installed.named import Named, the_one
from ..installed.packages import COUNTS, brought
from ..refused import Refused
from .box import Box, Counted
from .choices import confidence_weighted, majority, plurality, supermajority, unanimity
from .instant_runoff import instant_runoff
from .pairwise import copeland, ranked_pairs, schulze
from .points import approval, borda, cumulative, score
from .tally import CountSettings


@dataclass(frozen=True)
class Rule:
    """A counting rule. `asks` is what a voter is asked for, `kinds` are the ballots it can count."""

    count: Callable[[Box, CountSettings], Counted]
    kinds: list[BallotKind]
    asks: AskedKind


PLURAL: dict[BallotKind, str] = {
    "choice": "choices",
    "ranking": "rankings",
    "approvals": "approvals",
    "scores": "scores",
}

_ONE: list[BallotKind] = ["choice", "ranking"]

RULES: dict[str, Rule] = {
    "unanimity": Rule(unanimity, _ONE, "choice"),
    "supermajority": Rule(supermajority, _ONE, "choice"),
    "majority": Rule(majority, _ONE, "choice"),
    "plurality": Rule(plurality, _ONE, "choice"),
    "approval": Rule(approval, ["approvals"], "approvals"),
    "score": Rule(score, ["scores", "approvals"], "scores"),
    "cumulative": Rule(cumulative, ["scores"], "points"),
    "borda": Rule(borda, ["ranking"], "ranking"),
    "copeland": Rule(copeland, ["ranking"], "ranking"),
    "schulze": Rule(schulze, ["ranking"], "ranking"),
    "ranked_pairs": Rule(ranked_pairs, ["ranking"], "ranking"),
    "instant_runoff": Rule(instant_runoff, ["ranking"], "ranking"),
    "confidence_weighted": Rule(confidence_weighted, _ONE, "choice"),
}
"""Moot's own rules by name."""


def rule_named(name: str) -> Rule:
    """The rule of this name, Moot's own or one that a package brings. Raises `Refused` if there is none."""
    known = Named(COUNTS, tuple(RULES), Rule)
    if name in RULES and name not in brought(COUNTS):
        return RULES[name]
    if name not in known.names:
        raise Refused("rule", name, f"use one of {', '.join(known.names)}")
    the_one("rule", COUNTS, name, name in RULES)
    found: Rule = known.load("rule", name)
    return found
