"""The box of a jury is opened: everyone learns the count, nobody who voted how."""

from langgraph.types import Send

from ...state.deliberation import Floor, Given, Remembering
from ...state.jury import JuryRules, is_ballot, needed, verdict
from ...state.positions import Position, answer_of
from ...state.positions.channels import Positions
from ...state.statement import names
from ...state.voting import ballots_of
from ...state.voting.channels import Voting, VotingUpdate
from ...state.writes import Update
from ..roads import to_all
from ..voting.told import told_to_all
from .told import counted


class Count(Given, Floor, Remembering, Voting, Positions):
    """What the count reads."""


class Opened(Given, Voting):
    """A ballot that has just been put on the table, or was not."""


def to_the_ballot(state: Opened) -> str | list[Send]:
    """From a ballot put on the table to every juror's vote, or on where none can be held."""
    if state["polls"][-1].event == "not_held":
        return "not held"
    return to_all("cast", names(state["participants"]))


async def count_ballots(state: Count, rules: JuryRules) -> Update:
    """Count a secret ballot, put each juror's on record as its position, and tell everyone the count.

    Reads polls, ballots, positions, participants, round, turn, memory, rules; writes polls, positions, answer,
    notices, memory.
    """
    poll, jurors = state["polls"][-1], names(state["participants"])
    box = ballots_of(state["ballots"], poll.number)
    tally = verdict(box, list(poll.options), jurors, rules.verdict, needed(rules.verdict, len(jurors)))
    done = poll.model_copy(update={"event": "completed", "tally": tally})
    when = "round" if state["round"] else "before"
    place = {"round": state["round"], "turn": state["turn"], "when": when}
    valid = [ballot for ballot in box if ballot.choice in poll.options]
    held = [
        Position.model_validate({"who": one.voter, "answer": one.choice, "position": one.reason, **place})
        for one in valid
    ]
    news: Update = VotingUpdate(polls=[done])
    if is_ballot(tally):
        news |= Update(answer=answer_of({**state, "polls": [done], "positions": [*state["positions"], *held]}))
    return news | Update(positions=held) | told_to_all(state, counted(done, tally, rules))
