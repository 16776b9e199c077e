"""Nodes after the answers in a vote: announce the consents, count the ballots, report the count."""

from ...prompts import join_words
from ...state.justice import (
    BallotBoxState,
    JusticeRoundState,
    JusticeSettings,
    JusticeUpdate,
    VoteProgressState,
    build_voting_record,
)
from ...state.voting import list_refusers
from .addressee import get_participant
from .memories import make_moderator_statement, make_narrator, write_memories
from .prompts import make_addressee


class JusticeCountState(JusticeRoundState, BallotBoxState, VoteProgressState):
    """Channels of the nodes that count a vote."""


async def announce_consents(state: JusticeCountState, settings: JusticeSettings) -> JusticeUpdate:
    """After all answers, tell everyone that a vote was proposed, and whether it takes place.

    Reads settings, round, answers, memory, alone; writes memory.
    """
    round = state["round"]
    record = build_voting_record(state["answers"], round, settings.ids, settings.voting.decision_rule)
    refusing_names = [get_participant(settings, id).name for id in list_refusers(record.confirmations)]
    additions = {}
    for participant in settings.participants:
        addressee = make_addressee(state, participant.name)
        lines = [addressee.translate_phrase("memory.voting_forced", round=round)]
        if record.initiator is not None:
            name = get_participant(settings, record.initiator).name
            lines = [addressee.translate_phrase("memory.voting_initiated", round=round, name=name)]
        if record.event == "confirmation_failed":
            lines.append(
                addressee.translate_phrase(
                    "memory.confirmation_failed", round=round, names=join_words(addressee.language, refusing_names)
                )
            )
        else:
            lines.append(addressee.translate_phrase("memory.voting_confirmed", round=round))
        additions[participant.name] = lines
    return JusticeUpdate(memory=write_memories(state, additions))


async def collect(state: JusticeCountState) -> JusticeUpdate:
    """Join the parallel branches, after every voter has chosen a principle. All ballots stay secret.

    Reads and writes nothing.
    """
    return JusticeUpdate()


async def tally_vote(state: JusticeCountState, settings: JusticeSettings) -> JusticeUpdate:
    """Record the result of the vote. If there is no consensus, tell everyone only that.

    Reads settings, round, turn, answers, memory, alone; writes votes, adopted, initiator, and memory and history
    without consensus.
    """
    round = state["round"]
    record = build_voting_record(state["answers"], round, settings.ids, settings.voting.decision_rule)
    update = JusticeUpdate(votes=[record], adopted=record.consensus, initiator="")
    if record.consensus is not None or record.event != "ballot_completed":
        return update
    additions = {
        participant.name: [make_addressee(state, participant.name).translate_phrase("memory.no_consensus", round=round)]
        for participant in settings.participants
    }
    line = make_moderator_statement(state, make_narrator(state).translate_phrase("group.not_agreed", round=round))
    return update | JusticeUpdate(memory=write_memories(state, additions), history=[line])
