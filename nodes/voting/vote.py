"""Nodes of a vote: proposal, consents, secret ballots and count. The protocol provides the options."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ...models import NoAnswerError
from ...prompts import Templates, get_term, join_words
from ...state import (
    COUNTED_AS_NO,
    Ballot,
    BallotAnswer,
    BranchInput,
    CastBallot,
    Consent,
    FloorState,
    MemoryState,
    Poll,
    ProgressState,
    StoppingRule,
    TaskState,
    TurnState,
    Update,
    VotingSettings,
    VotingState,
    VotingUpdate,
    count_ballots,
    count_by_all_rules,
    get_participant_by_name,
    get_voting_rule,
    is_vote_confirmed,
    list_consent_voters,
    list_names,
    list_poll_ballots,
    list_refusers,
    make_ballot_schema,
    make_vote_ending,
    mark_reads,
    quote_lines,
)
from ..answer_forms import make_answer_form
from ..ask import (
    LATE_KIND,
    SKIPPED_KIND,
    Answer,
    CallOptions,
    Prompt,
    ask,
    build_answer_fields,
    build_participant_call,
    build_prompt,
    record_calls,
    with_answer_draw,
    with_turn,
)
from ..outcome import describe_ending
from .announcement import announce_to_all
from .ballot_form import ConsentReply, make_ballot_fields, make_consent_form

CONSENT_FIELDS = "name persona options initiator language"
BALLOT_FIELDS = "name persona options how language"


class VoterState(TurnState, VotingState):
    """Channels of the branch of one voter. They exclude the other voters' ballots."""

    who: BranchInput[str]


class VoteCountState(TaskState, FloorState, MemoryState, VotingState):
    """Channels of the node that counts the ballots or consents."""


class ProposalState(ProgressState, MemoryState, VotingState):
    """Channels of the node that proposes a vote."""


Options = Callable[[Any], dict[str, str]]
"""Pure function of the state that returns the options of a vote: sign → text."""


def initiate(options: Options, vote_prevention_rule: StoppingRule) -> Callable[[Any], object]:
    """Build the node that proposes a vote on the options from `options`.

    If `vote_prevention_rule` finds an ending, the node announces that no vote takes place.
    """

    async def initiate(state: ProposalState) -> Update:
        """Propose the options for a vote, or tell all participants why no vote takes place.

        Reads polls, positions, the task, floor, round, turn, record, memory; writes polls,
        notices and memory.
        """
        number = 1 + max((poll.number for poll in state["polls"]), default=0)
        poll = Poll(number=number, round=state["round"], event="initiated", options=options(state))
        ending = vote_prevention_rule(state)
        if not ending:
            return VotingUpdate(polls=[poll])
        line = get_term(
            state["settings"].language, "memory", "not_held", number=number, why=describe_ending(ending, state)
        )
        return VotingUpdate(polls=[poll.model_copy(update={"event": "not_held"})]) | announce_to_all(state, line)

    return mark_reads(initiate, options, vote_prevention_rule)


def consent(templates: Templates) -> Callable[[VoterState], object]:
    """Build the node in which one participant consents to a vote or refuses.

    Each participant has a branch.
    """

    async def consent(state: VoterState) -> Update:
        """Ask one participant for its consent.

        Reads the task, round, record, polls, view_limits, and who; writes consents, calls, incidents, view_limits.
        """
        prompt, call = _build_question(state, templates, "consent")
        poll = state["polls"][-1]
        call = replace(call, schema=ConsentReply, answer_form=make_consent_form(prompt.language))
        try:
            answer = await ask(prompt, call)
        except NoAnswerError as failure:
            refusal = Consent(poll=poll.number, agrees=False, fault=failure.kind, **build_answer_fields(call, failure))
            return VotingUpdate(consents=[refusal]) | record_calls(call.who, failure.with_consequence(COUNTED_AS_NO))
        agrees = isinstance(answer.value, ConsentReply) and answer.value.agrees
        given_consent = Consent(poll=poll.number, agrees=agrees, **build_answer_fields(call, answer))
        return VotingUpdate(consents=[given_consent]) | record_calls(call.who, answer)

    return consent


async def count_consents(state: VoteCountState) -> Update:
    """Count the consents to a vote. After one refusal, the group continues its discussion.

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


def cast_ballot(templates: Templates) -> Callable[..., object]:
    """Build the node in which one participant casts a secret ballot. Each participant has a branch."""

    async def cast_ballot(state: VoterState, settings: VotingSettings) -> Update:
        """Ask one participant for its ballot.

        Reads the task, round, record, polls, view_limits, and who; writes ballots, calls, incidents, view_limits.
        """
        poll = state["polls"][-1]
        kind, option_signs = get_voting_rule(settings.voting_rule).ballot_format, list(poll.options)
        is_weighted, may_abstain = settings.voting_rule == "confidence_weighted", settings.may_abstain
        prompt, call = _build_question(state, templates, "ballot", method_key=f"how_{kind}")
        schema = make_ballot_schema(kind, option_signs, is_weighted=is_weighted, may_abstain=may_abstain)
        lines = make_ballot_fields(
            kind, poll.options, prompt.language, is_weighted=is_weighted, may_abstain=may_abstain
        )
        call = replace(call, schema=schema, answer_form=make_answer_form(prompt.language, *lines, act="vote"))

        def record_ballot(ballot: Ballot, result: Answer | NoAnswerError) -> Update:
            cast_ballot = CastBallot(poll=poll.number, ballot=ballot, **build_answer_fields(call, result))
            return VotingUpdate(ballots=[cast_ballot]) | record_calls(call.who, result)

        try:
            answer = await ask(prompt, call)
        except NoAnswerError as failure:
            ballot, consequence = Ballot(voter=call.who, abstain=True), "abstained"
            # a person who is late or skips the question abstains, if abstention is allowed
            if failure.kind not in (LATE_KIND, SKIPPED_KIND) or not settings.may_abstain:
                ballot = Ballot.make_invalid(call.who, failure.last_reply, failure.incidents[-1].what)
                consequence = "no valid ballot"
            return record_ballot(ballot, failure.with_consequence(consequence))
        assert isinstance(answer.value, BallotAnswer)
        return record_ballot(answer.value.make_ballot(call.who), answer)

    return cast_ballot


async def count_votes(state: VoteCountState, settings: VotingSettings) -> Update:
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


def _build_question(
    state: VoterState, templates: Templates, name: str, method_key: str = ""
) -> tuple[Prompt, CallOptions]:
    participant = get_participant_by_name(state["participants"], state["who"])
    poll, language = state["polls"][-1], participant.language or state["settings"].language
    values = {
        "name": participant.name,
        "persona": participant.persona,
        "options": quote_lines(poll.options.items()),
        "choices": poll.options,
        "initiator": poll.initiator,
        "how": get_term(language, "memory", method_key) if method_key else "",
        "language": language,
    }
    prompt = build_prompt(state, templates, name, values)
    prompt = replace(prompt, history=state["history"], options=dict(poll.options))
    prompt = prompt.with_limit(state["view_limits"].get(participant.name))
    return prompt, with_answer_draw(
        replace(with_turn(build_participant_call(state, participant, name), 0, state["round"]), is_hidden=True)
    )
