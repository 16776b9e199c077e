"""Nodes that count a vote's consents and ballots, without a model."""

from ...prompts import get_term, join_words
from ...state import FloorState, MemoryState, TaskState, Update, list_names
from ...state.count import count_ballots, count_by_all_rules
from ...state.voting import (
    VotingSettings,
    VotingState,
    VotingUpdate,
    is_vote_confirmed,
    list_consent_voters,
    list_poll_ballots,
    list_refusers,
    make_vote_ending,
)
from .announcement import announce_to_all


class CountState(TaskState, FloorState, MemoryState, VotingState):
    """Channels that the count reads."""


async def count_consents(state: CountState) -> Update:
    """Count the consents. One refusal returns the group to its discussion.

    Reads polls, consents, participants, turn, memory, settings; writes polls, notices and memory.
    """
    poll, language = state["polls"][-1], state["settings"].language
    answers = {consent.voter: consent.agrees for consent in state["consents"] if consent.poll == poll.number}
    consents = {
        name: answers.get(name, False)
        for name in list_consent_voters(list_names(state["participants"]), poll.initiator)
    }
    event = "confirmed" if is_vote_confirmed(consents, poll.initiator) else "confirmation_failed"
    refusers = list_refusers(consents)
    update: Update = VotingUpdate(polls=[poll.model_copy(update={"event": event, "refused": refusers})])
    return update | announce_to_all(
        state, get_term(language, "memory", event, number=poll.number, who=join_words(language, refusers))
    )


async def count_votes(state: CountState, settings: VotingSettings) -> Update:
    """Count the ballots by the run's rule and by every other rule that can count them.

    Reads polls, ballots, participants, turn, settings, memory; writes polls, ending, notices and memory.
    """
    poll, voters = state["polls"][-1], list_names(state["participants"])
    ballots, options = list_poll_ballots(state["ballots"], poll.number), list(poll.options)
    count_settings = settings.count_settings
    tally = count_ballots(ballots, settings.voting_rule, options=options, voters=voters, settings=count_settings)
    report = count_by_all_rules(
        ballots, options=options, voters=voters, settings=count_settings, extra_rules=[settings.voting_rule]
    )
    public_ballots = ballots if settings.open_ballot else []
    completed_poll = poll.model_copy(
        update={"event": "completed", "tally": tally, "report": report, "ballots": public_ballots}
    )
    winner = poll.options.get(tally.winner or "", tally.winner or "")
    key = "counted" if tally.winner else "undecided"
    update: Update = VotingUpdate(polls=[completed_poll], ending=make_vote_ending(completed_poll))
    return update | announce_to_all(
        state, get_term(settings.language, "memory", key, number=poll.number, winner=winner)
    )
