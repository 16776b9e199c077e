"""Settling a count: quorum, threshold, and the tie rule among equals."""

from dataclasses import dataclass
from fractions import Fraction

from ..draw import stream
from .box import Box, Counted
from .tally import CountSettings, Settled


@dataclass(frozen=True)
class Verdict:
    """Who wins, whom the rule picked before the tie rule, how it was settled, and why in a line."""

    settled: Settled
    winner: str | None = None
    winners: tuple[str, ...] = ()
    why: str = ""


def quorum_met(box: Box, settings: CountSettings) -> bool:
    """Whether votes, abstentions and excluded ballots together reach the quorum's share of the voters."""
    return box.present >= Fraction(settings.quorum).limit_denominator(1000) * box.voters


def settle(counted: Counted, box: Box, settings: CountSettings, weighted: bool) -> Verdict:
    """The end of a count. Without a quorum or a vote nobody is picked, however the totals stand. `weighted`: in a
    runoff votes weigh their voter's certainty."""
    if not box.votes:
        return Verdict("no_votes", why="no vote was cast")
    if not quorum_met(box, settings):
        needed = Fraction(settings.quorum).limit_denominator(1000)
        return Verdict("no_quorum", why=f"{box.present} of {box.voters} voters are present; the quorum is {needed}")
    if len(counted.winners) == 1:
        return Verdict("outright", counted.winners[0], tuple(counted.winners))
    if not counted.winners:
        return Verdict("short")
    return _tie(counted.winners, box, settings, weighted)


def _tie(tied: list[str], box: Box, settings: CountSettings, weighted: bool) -> Verdict:
    names = ", ".join(tied)
    if settings.tie == "seeded":
        purpose = sorted(tied)
        drawn = stream(settings.seed, "tie", *purpose).choice(purpose)
        return Verdict("seeded", drawn, tuple(tied), f"{names} tie; {drawn} is drawn with seed {settings.seed}")
    if settings.tie == "status_quo":
        return Verdict("status_quo", settings.status_quo, tuple(tied), f"{names} tie; the status quo stays")
    if settings.tie == "runoff":
        return _runoff(tied, box, weighted)
    return Verdict("tied", None, tuple(tied), f"{names} tie")


def _runoff(tied: list[str], box: Box, weighted: bool) -> Verdict:
    """Among the tied each ballot goes to the one it likes best, if to one alone; those with the most go on."""
    standing, steps = tied, []
    while True:
        votes = dict.fromkeys(standing, 0)
        for vote in box.votes:
            if (first := vote.first(standing)) is not None:
                votes[first] += (vote.weight or 1) if weighted else 1
        steps.append(", ".join(f"{option} {count}" for option, count in votes.items()))
        leading = [option for option in standing if votes[option] == max(votes.values())]
        if len(leading) in (1, len(standing)):
            break
        standing = leading
    why = f"{', '.join(tied)} tie; runoff on the same ballots: {'; '.join(steps)}"
    if len(leading) == 1:
        return Verdict("runoff", leading[0], tuple(tied), why)
    return Verdict("tied", None, tuple(tied), f"{why}: level again, ask anew between them")
