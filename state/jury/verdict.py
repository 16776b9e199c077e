"""Verdict of a jury: the required votes, the count, changed votes, and the minority's reasons."""

from collections import Counter
from collections.abc import Mapping, Sequence

from ..ballot import Ballot
from ..count import CountSettings, Tally, count_ballots
from ..errors import InputError
from ..positions.position import Position


def compute_needed_votes(verdict: str, jurors: int) -> int:
    """Compute the number of votes that a verdict needs.

    `verdict`: `unanimity`, a pair such as `10-2`, or a share such as `5/6`, rounded up. Raises `InputError` if a pair
    does not add up to the number of jurors.
    """
    if "/" in verdict:
        numerator, denominator = map(int, verdict.split("/"))
        return -(-jurors * numerator // denominator)
    if "-" not in verdict:
        return jurors
    majority, minority = map(int, verdict.split("-"))
    if majority + minority != jurors:
        raise InputError("verdict_rule", verdict, f"the two numbers must add up to {jurors}, the number of jurors")
    return majority


def count_verdict(
    ballots: Sequence[Ballot], options: Sequence[str], jurors: Sequence[str], rule: str, needed_votes: int
) -> Tally:
    """Count a secret ballot of a jury. An option wins with at least `needed_votes` votes.

    `options`: the possible verdicts. `jurors`: the electorate, including jurors without a valid ballot. `rule`: name of
    the verdict rule, for the tally.
    """
    tally = count_ballots(ballots, "plurality", options=options, voters=jurors, settings=CountSettings(quorum=0))
    winners = [option for option, votes in tally.totals.items() if votes >= needed_votes]
    status = "outright" if winners else "short" if tally.votes else "no_votes"
    winner = winners[0] if winners else None
    return tally.model_copy(
        update={
            "rule": rule,
            "winner": winner,
            "choice": winner,
            "winners": winners,
            "status": status,
            "evidence": [],
        }
    )


def has_vote_quorum(tally: Tally) -> bool:
    """Return whether at least half of all jurors gave a valid vote."""
    return 2 * tally.votes >= tally.voters


def has_changed_votes(before: Mapping[str, Position], after: Mapping[str, Position]) -> bool:
    """Return whether a juror's vote differs between two ballots, or exists in only one of them."""
    return {name: position.answer for name, position in before.items()} != {
        name: position.answer for name, position in after.items()
    }


def collect_minority_reasons(ballot: Mapping[str, Position]) -> dict[str, list[str]]:
    """Return the reasons of the jurors who did not vote for the leading option, by option, without names.

    If no option leads, return the reasons of all jurors.
    """
    votes = Counter(position.answer for position in ballot.values())
    leading_options = [option for option, count in votes.items() if count == max(votes.values())]
    reasons: dict[str, list[str]] = {}
    for position in ballot.values():
        if leading_options != [position.answer]:
            reasons.setdefault(position.answer, []).append(position.position)
    return reasons
