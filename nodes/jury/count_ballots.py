"""Count of a secret ballot. All participants learn the totals. Single votes stay secret."""

from langgraph.types import Send

from ...state import (
    FloorState,
    MemoryState,
    Position,
    PositionRecordState,
    TaskState,
    Update,
    VotingState,
    VotingUpdate,
    compute_answer,
    list_names,
    list_poll_ballots,
    mark_reads,
)
from ...state.jury import JurySettings, compute_needed_votes, count_verdict, has_vote_quorum
from ..routes import send_to_all
from ..voting.announcement import announce_to_all
from ..voting.routes import VoteRouteState
from .ballot_totals import format_ballot_count


class BallotCountState(TaskState, FloorState, MemoryState, VotingState, PositionRecordState):
    """Channels of the node that counts a ballot."""


def route_to_ballot(state: VoteRouteState) -> str | list[Send]:
    """Route to the votes of all jurors, or past the vote if the ballot cannot take place."""
    if state["polls"][-1].event == "not_held":
        return "not held"
    return send_to_all("cast_ballot", list_names(state["participants"]))


@mark_reads
async def count_ballots(state: BallotCountState, settings: JurySettings) -> Update:
    """Count a secret ballot, record each juror's position, and tell everyone the totals.

    Reads polls, ballots, positions, participants, round, turn, memory, settings; writes polls, positions, answer,
    notices, memory.
    """
    if state["polls"][-1].event != "initiated":
        return Update()
    poll, jurors = state["polls"][-1], list_names(state["participants"])
    ballots = list_poll_ballots(state["ballots"], poll.number)
    tally = count_verdict(
        ballots,
        list(poll.options),
        jurors,
        settings.verdict_rule,
        compute_needed_votes(settings.verdict_rule, len(jurors)),
    )
    counted_poll = poll.model_copy(update={"event": "completed", "tally": tally})
    fields = {"round": state["round"], "turn": state["turn"], "when": "round" if state["round"] else "before"}
    positions = [
        Position.model_validate({"who": ballot.voter, "answer": ballot.choice, "position": ballot.reason, **fields})
        for ballot in ballots
        if ballot.choice in poll.options
    ]
    update: Update = VotingUpdate(polls=[counted_poll])
    if has_vote_quorum(tally):
        update |= Update(
            answer=compute_answer({**state, "polls": [counted_poll], "positions": [*state["positions"], *positions]})
        )
    return (
        update
        | Update(positions=positions)
        | announce_to_all(state, format_ballot_count(counted_poll, tally, settings))
    )
