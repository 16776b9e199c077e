"""What a ballot of a jury came to, whether it changed anything, and what the minority said. No model is asked."""

from collections import Counter
from collections.abc import Mapping, Sequence

from ..ballot import Ballot
from ..count import CountSettings, Tally, count
from ..positions.position import Position


def verdict(ballots: Sequence[Ballot], options: Sequence[str], jurors: Sequence[str], rule: str, needed: int) -> Tally:
    """The count of a secret ballot, with a winner where `needed` of all jurors named the same option.

    A juror without a valid ballot counts among the jurors and for nobody.
    """
    counted = count(ballots, "plurality", options=options, voters=jurors, settings=CountSettings(quorum=0))
    found = [option for option, votes in counted.totals.items() if votes >= needed]
    settled = "outright" if found else "short" if counted.votes else "no_votes"
    winner = found[0] if found else None
    update = {"rule": rule, "winner": winner, "choice": winner, "winners": found, "settled": settled, "evidence": []}
    return counted.model_copy(update=update)


def is_ballot(tally: Tally) -> bool:
    """Whether half of all jurors or more gave a valid vote; fewer say nothing of a jury."""
    return 2 * tally.votes >= tally.voters


def changed(before: Mapping[str, Position], after: Mapping[str, Position]) -> bool:
    """Whether any juror voted otherwise, or was missing from one of two ballots and not from the other."""
    return {who: one.answer for who, one in before.items()} != {who: one.answer for who, one in after.items()}


def dissenting(ballot: Mapping[str, Position]) -> dict[str, list[str]]:
    """The reasons of those who did not vote as most did, by option, and no names; all of them where none leads."""
    votes = Counter(one.answer for one in ballot.values())
    leading = [option for option, count in votes.items() if count == max(votes.values())]
    found: dict[str, list[str]] = {}
    for one in ballot.values():
        if leading != [one.answer]:
            found.setdefault(one.answer, []).append(one.position)
    return found
