"""Count ballots by one voting rule, or by every rule that can count them, and decide the winner."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..ballot import Ballot
from ..errors import InputError
from ..random_streams import make_rng
from .condorcet_methods import find_condorcet
from .count_result import CondorcetResult, CountReport, CountSettings, CountStatus, Tally, TallyNumber
from .rule_registry import KIND_PLURALS, VOTING_RULES, get_voting_rule
from .sorted_ballots import RuleResult, SortedBallots, sort_ballots

DEFAULT_COUNT_SETTINGS = CountSettings()


def _simplify_numbers(values: Mapping[str, Fraction]) -> dict[str, TallyNumber]:
    return {key: int(value) if value.denominator == 1 else float(value) for key, value in values.items()}


def _explain_unsupported(rule: str, sorted_ballots: SortedBallots) -> str:
    kinds = get_voting_rule(rule).ballot_kinds
    unsupported_kind = next((vote.kind for vote in sorted_ballots.votes if vote.kind not in kinds), None)
    return (
        f"counts {' or '.join(KIND_PLURALS[kind] for kind in kinds)}, not {KIND_PLURALS[unsupported_kind]}"
        if unsupported_kind
        else ""
    )


def _build_tally(rule: str, sorted_ballots: SortedBallots, settings: CountSettings) -> Tally:
    zeros = dict.fromkeys(sorted_ballots.options, Fraction(0))
    result = (
        get_voting_rule(rule).count(sorted_ballots, settings) if sorted_ballots.votes else RuleResult(zeros, [], zeros)
    )
    verdict = decide_winner(result, sorted_ballots, settings, rule == "confidence_weighted")
    winner = verdict.winner
    choice, amount = (None, None) if winner is None else sorted_ballots.choices.get(winner, (winner, None))
    return Tally(
        rule=rule,
        winner=winner,
        choice=choice,
        amount=amount,
        winners=list(verdict.winners),
        status=verdict.status,
        totals=_simplify_numbers(result.totals),
        margins=_simplify_numbers(result.margins),
        voters=sorted_ballots.voters,
        votes=len(sorted_ballots.votes),
        abstentions=sorted_ballots.abstentions,
        invalid=len(sorted_ballots.faults),
        excluded=sorted_ballots.excluded,
        turnout=sorted_ballots.valid_voter_count / sorted_ballots.voters if sorted_ballots.voters else 0,
        quorum_met=has_quorum(sorted_ballots, settings),
        pairwise=sorted_ballots.preferences if rule in ("copeland", "schulze", "ranked_pairs") else {},
        rounds=result.rounds,
        evidence=[*result.evidence, *([verdict.explanation] if verdict.explanation else [])],
        faults=sorted_ballots.faults,
    )


def count_ballots(
    ballots: Sequence[Ballot],
    rule: str,
    *,
    options: Sequence[str] | None = None,
    voters: int | Sequence[str] | None = None,
    settings: CountSettings = DEFAULT_COUNT_SETTINGS,
) -> Tally:
    """Count `ballots` by `rule`.

    `options`: the possible options; other names make a ballot invalid. `None` takes the names on the ballots.
    `voters`: the electorate of the quorum, as a number or as names; `None` takes the voters with a ballot. A ranking
    may stop early: its unranked options are tied last. An abstention counts for the quorum but is not a vote. An
    invalid ballot counts for neither. The order of ballots and options affects only the order in the result.

    Raises `InputError` for an unknown rule, ballots that the rule cannot count, or repeated options. Raises it also
    for two ballots of one voter, a voter outside the electorate, or too many ties for ranked pairs.
    """
    sorted_ballots = sort_ballots(
        ballots, options, voters, settings, spends_points=get_voting_rule(rule).ballot_format == "points"
    )
    if reason := _explain_unsupported(rule, sorted_ballots):
        usable_rules = [name for name in VOTING_RULES if not _explain_unsupported(name, sorted_ballots)]
        raise InputError(
            "rule", rule, f"{reason}; these ballots can be counted by {', '.join(usable_rules) or 'no rule'}"
        )
    return _build_tally(rule, sorted_ballots, settings)


def compute_condorcet(
    ballots: Sequence[Ballot], *, options: Sequence[str] | None = None, settings: CountSettings = DEFAULT_COUNT_SETTINGS
) -> CondorcetResult:
    """Compute the Condorcet winner or cycle of rankings or scores; empty for other ballots.

    Parameters are those of `count_ballots`.
    """
    return find_condorcet(sort_ballots(ballots, options, None, settings))


def count_by_all_rules(
    ballots: Sequence[Ballot],
    *,
    options: Sequence[str] | None = None,
    voters: int | Sequence[str] | None = None,
    settings: CountSettings = DEFAULT_COUNT_SETTINGS,
    extra_rules: Sequence[str] = (),
) -> CountReport:
    """Count `ballots` by every rule that can count them, and compare the results.

    Parameters are those of `count_ballots`. `extra_rules`: rules from installed packages. The cumulative rule needs
    ballots that all spend their 10 points. The confidence-weighted rule needs at least one ballot with a certainty.
    `not_counted` lists each rule that was left out, with the reason. Two rules disagree if they name different
    winners. Raises `InputError` if the ballots cannot be counted by any rule (see `count_ballots`).
    """
    sorted_ballots = sort_ballots(ballots, options, voters, settings)
    points_ballots = sort_ballots(ballots, options, voters, settings, spends_points=True)
    tallies: dict[str, Tally] = {}
    not_counted: dict[str, str] = {}
    for rule in dict.fromkeys([*VOTING_RULES, *extra_rules]):
        try:
            reason = _explain_unsupported(rule, sorted_ballots)
            if not reason and rule == "cumulative" and len(points_ballots.faults) > len(sorted_ballots.faults):
                reason = next(fault for fault in points_ballots.faults if fault not in sorted_ballots.faults)
            if not reason and rule == "confidence_weighted" and not any(vote.weight for vote in sorted_ballots.votes):
                reason = "no ballot states its voter's certainty"
            if reason:
                not_counted[rule] = reason
            else:
                tallies[rule] = _build_tally(rule, sorted_ballots, settings)
        except InputError as error:
            not_counted[rule] = error.remedy
    winners: dict[str, list[str]] = {}
    for rule, tally in tallies.items():
        if tally.winner is not None:
            winners.setdefault(tally.winner, []).append(rule)
    return CountReport(
        tallies=tallies,
        not_counted=not_counted,
        rules_agree=len(winners) <= 1,
        winners=winners,
        undecided=[rule for rule, tally in tallies.items() if tally.winner is None],
        leads={rule: tallies[rule].margins.get(option, 0) for option, rules in winners.items() for rule in rules},
        condorcet=find_condorcet(sorted_ballots),
    )


def get_quorum(settings: CountSettings) -> Fraction:
    """Return the quorum as a fraction. Its denominator is at most 1,000, so a third counts as exactly 1/3."""
    return Fraction(settings.quorum).limit_denominator(1000)


def has_quorum(ballots: SortedBallots, settings: CountSettings) -> bool:
    """Return whether votes, abstentions and excluded ballots together reach the quorum."""
    return ballots.valid_voter_count >= get_quorum(settings) * ballots.voters


@dataclass(frozen=True)
class CountVerdict:
    """Winner, candidates before the tie-break, status and explanation of a count."""

    status: CountStatus
    winner: str | None = None
    winners: tuple[str, ...] = ()
    explanation: str = ""


def decide_winner(
    result: RuleResult, ballots: SortedBallots, settings: CountSettings, is_weighted: bool
) -> CountVerdict:
    """Decide the winner of a count. Without a quorum or a vote, the count has no winner.

    `is_weighted`: whether a vote in a runoff weighs as much as its voter's certainty.
    """
    if not ballots.votes:
        return CountVerdict("no_votes", explanation="no vote was cast")
    if not has_quorum(ballots, settings):
        quorum = get_quorum(settings)
        return CountVerdict(
            "no_quorum",
            explanation=f"{ballots.valid_voter_count} of {ballots.voters} voters are present; the quorum is {quorum}",
        )
    if len(result.winners) == 1:
        return CountVerdict("outright", result.winners[0], tuple(result.winners))
    if not result.winners:
        return CountVerdict("short")
    names = ", ".join(result.winners)
    if settings.tie_break == "seeded":
        sorted_options = sorted(result.winners)
        winner = make_rng(settings.tie_seed, "tie", *sorted_options).choice(sorted_options)
        return CountVerdict(
            "seeded", winner, tuple(result.winners), f"{names} tie; {winner} is drawn with seed {settings.tie_seed}"
        )
    if settings.tie_break == "status_quo":
        return CountVerdict(
            "status_quo", settings.status_quo, tuple(result.winners), f"{names} tie; the status quo wins"
        )
    if settings.tie_break == "runoff":
        return _hold_runoff(result.winners, ballots, is_weighted)
    return CountVerdict("tied", None, tuple(result.winners), f"{names} tie")


def _hold_runoff(tied_options: list[str], ballots: SortedBallots, is_weighted: bool) -> CountVerdict:
    """Decide a tie by runoffs, in which each ballot counts for its favorite among the tied options.

    Each runoff keeps only the options with most votes. Return a tie if a runoff eliminates no option.
    """
    remaining_options, round_lines = tied_options, []
    while True:
        votes = dict.fromkeys(remaining_options, 0)
        for vote in ballots.votes:
            if (favorite := vote.find_favorite(remaining_options)) is not None:
                votes[favorite] += (vote.weight or 1) if is_weighted else 1
        round_lines.append(", ".join(f"{option} {count}" for option, count in votes.items()))
        leaders = [option for option in remaining_options if votes[option] == max(votes.values())]
        if len(leaders) in (1, len(remaining_options)):
            break
        remaining_options = leaders
    explanation = f"{', '.join(tied_options)} tie; runoff on the same ballots: {'; '.join(round_lines)}"
    if len(leaders) == 1:
        return CountVerdict("runoff", leaders[0], tuple(tied_options), explanation)
    return CountVerdict("tied", None, tuple(tied_options), f"{explanation}: tied again; hold another vote between them")
