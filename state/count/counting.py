"""Counting: ballots by one rule, or the same ballots under every rule they support."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ..ballot import Ballot
from ..refused import Refused
from .box import Box, Counted, open_box
from .pairwise import condorcet_in
from .rules import PLURAL, RULES, rule_named
from .settle import quorum_met, settle
from .tally import Condorcet, CountSettings, Number, Report, Tally

DEFAULTS = CountSettings()

PAIRED = ("copeland", "schulze", "ranked_pairs")
"""The rules whose tally shows the head-to-head counts."""


def _plain(values: Mapping[str, Fraction]) -> dict[str, Number]:
    return {key: int(value) if value.denominator == 1 else float(value) for key, value in values.items()}


def _unsupported(rule: str, box: Box) -> str:
    kinds = rule_named(rule).kinds
    other = next((vote.kind for vote in box.votes if vote.kind not in kinds), None)
    return f"counts {' or '.join(PLURAL[kind] for kind in kinds)}, not {PLURAL[other]}" if other else ""


def _tally(rule: str, box: Box, settings: CountSettings) -> Tally:
    zeros = dict.fromkeys(box.options, Fraction(0))
    counted = rule_named(rule).count(box, settings) if box.votes else Counted(zeros, [], zeros)
    verdict = settle(counted, box, settings, rule == "confidence_weighted")
    winner = verdict.winner
    choice, amount = (None, None) if winner is None else box.pairs.get(winner, (winner, None))
    return Tally(
        rule=rule,
        winner=winner,
        choice=choice,
        amount=amount,
        winners=list(verdict.winners),
        settled=verdict.settled,
        totals=_plain(counted.totals),
        margins=_plain(counted.margins),
        voters=box.voters,
        votes=len(box.votes),
        abstentions=box.abstentions,
        invalid=len(box.faults),
        excluded=box.excluded,
        turnout=box.present / box.voters if box.voters else 0,
        quorum_met=quorum_met(box, settings),
        pairwise=box.prefers if rule in PAIRED else {},
        rounds=counted.rounds,
        evidence=[*counted.evidence, *([verdict.why] if verdict.why else [])],
        faults=box.faults,
    )


def count(
    ballots: Sequence[Ballot],
    rule: str,
    *,
    options: Sequence[str] | None = None,
    voters: int | Sequence[str] | None = None,
    settings: CountSettings = DEFAULTS,
) -> Tally:
    """Count `ballots` by `rule`.

    `options`: what could be voted for, unknown names being faults; not given: what the ballots name. `voters`: the
    electorate the quorum is a share of, its size or names; not given: whoever cast a ballot. A ranking may stop early:
    its unranked options are tied last. Abstentions count for the quorum, not as votes; ballots at fault for neither.
    The order of ballots and options decides nothing but the order in which the result lists them. Raises `Refused` for
    an unknown rule, ballots the rule cannot count, two ballots of one voter, a ballot from outside the electorate,
    repeated options, and ranked pairs with too many ties to examine.
    """
    spending = rule_named(rule).asks == "points"
    box = open_box(ballots, options, voters, settings, spending=spending)
    if why := _unsupported(rule, box):
        able = [name for name in RULES if not _unsupported(name, box)]
        raise Refused("rule", rule, f"{why}; these ballots can be counted by {', '.join(able) or 'no one rule'}")
    return _tally(rule, box, settings)


def condorcet(
    ballots: Sequence[Ballot], *, options: Sequence[str] | None = None, settings: CountSettings = DEFAULTS
) -> Condorcet:
    """The Condorcet winner or cycle of rankings or scores; empty for other ballots. Parameters as `count`."""
    return condorcet_in(open_box(ballots, options, None, settings))


def _optional(rule: str, box: Box, spent: Box) -> str:
    """Why a report leaves `rule` out; empty if it does not."""
    if why := _unsupported(rule, box):
        return why
    if rule == "cumulative" and len(spent.faults) > len(box.faults):
        return next(why for why in spent.faults if why not in box.faults)
    if rule == "confidence_weighted" and not any(vote.weight for vote in box.votes):
        return "no ballot states its voter's certainty"
    return ""


def count_all(
    ballots: Sequence[Ballot],
    *,
    options: Sequence[str] | None = None,
    voters: int | Sequence[str] | None = None,
    settings: CountSettings = DEFAULTS,
    also: Sequence[str] = (),
) -> Report:
    """Count `ballots` under every rule they support, and compare; parameters as `count`.

    Those are Moot's own rules, and `also` those of packages.

    Cumulative needs every ballot to spend its 10 points, confidence-weighted one that states certainty; a rule left
    out is in `not_counted` with the reason. The rules disagree if two of them name different winners. Raises `Refused`
    where the ballots themselves cannot be counted (see `count`).
    """
    box = open_box(ballots, options, voters, settings)
    spent = open_box(ballots, options, voters, settings, spending=True)
    tallies: dict[str, Tally] = {}
    not_counted: dict[str, str] = {}
    for rule in dict.fromkeys([*RULES, *also]):
        try:
            if why := _optional(rule, box, spent):
                not_counted[rule] = why
            else:
                tallies[rule] = _tally(rule, box, settings)
        except Refused as refusal:
            not_counted[rule] = refusal.remedy
    return _compared(tallies, not_counted, box)


def _compared(tallies: dict[str, Tally], not_counted: dict[str, str], box: Box) -> Report:
    winners: dict[str, list[str]] = {}
    for rule, tally in tallies.items():
        if tally.winner is not None:
            winners.setdefault(tally.winner, []).append(rule)
    return Report(
        tallies=tallies,
        not_counted=not_counted,
        agree=len(winners) <= 1,
        winners=winners,
        undecided=[rule for rule, tally in tallies.items() if tally.winner is None],
        leads={rule: tallies[rule].margins.get(option, 0) for option, rules in winners.items() for rule in rules},
        condorcet=condorcet_in(box),
    )
