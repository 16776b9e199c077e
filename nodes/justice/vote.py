"""Questions of a vote: whether to start it, whether to consent to it, and the secret ballot."""

from dataclasses import replace
from typing import Any

from ...state import BranchInput
from ...state.justice import (
    GroupPromptState,
    JusticeSettings,
    JusticeUpdate,
    ParseFault,
    VoteAnswer,
    VoteQuestion,
    VoteRoutingState,
    VoteStep,
    draw_initiation_order,
    get_principle,
    select_answers,
)
from ..ask import CallOptions, QuestionResult, with_turn
from .addressee import Addressee, get_participant
from .answer_requests import request_amount, request_consent, request_principle
from .prompts import build_group_prompt, make_addressee
from .question import AnswerRequest, R, ask_question, build_call_options, record_question_calls

QUESTIONS: dict[VoteQuestion, tuple[str, str, VoteStep]] = {
    "initiation": ("initiate", "initiation", "initiation"),
    "confirmation": ("confirm", "confirmation", "confirmation"),
    "principle": ("ballot", "ballot", "secret_ballot"),
    "amount": ("amount", "amount", "secret_ballot"),
}
"""Template, call purpose and voting step of each question."""


async def ask_vote_question(
    state: GroupPromptState,
    addressee: Addressee,
    question: VoteQuestion,
    request: AnswerRequest[R],
    **own_values: object,
) -> tuple[R | None, QuestionResult]:
    """Ask one participant one question of the vote.

    Return the answer's value (`None` without one) and the result of the question. `own_values`: template values that
    only this question needs.
    """
    rule = addressee.settings.voting.decision_rule
    values = {
        "round": state["round"],
        "max_rounds": addressee.settings.discussion.max_rounds,
        "consent": addressee.translate_phrase(f"group.consent_{rule}"),
        "agreement": addressee.translate_phrase(f"group.agreement_{rule}"),
        **own_values,
    }
    prompt = build_group_prompt(state, addressee, QUESTIONS[question][0], values)
    return await ask_question(
        prompt, with_turn(build_vote_call(state, addressee, question), 0, state["round"]), request
    )


def build_vote_call(state: GroupPromptState, addressee: Addressee, question: VoteQuestion) -> CallOptions:
    """Build the options of the call for a question of the vote.

    The timeout grows with each attempt, as the settings say.
    """
    voting = addressee.settings.voting
    ballot_attempts = {"principle": voting.principle_extraction_retries, "amount": voting.amount_extraction_retries}
    attempts = ballot_attempts.get(question, voting.voting_retry_limit)
    _, purpose, step = QUESTIONS[question]
    call = build_call_options(addressee, purpose, state["calls"], attempts, voting.list_step_timeouts(step, attempts))
    return replace(call, temperature=min(call.temperature, 0.3), retry_delays=[1.0])


def describe_refusal_outcome(round: int, addressee: Addressee) -> str:
    """Return a text about what happens if no vote takes place in this round.

    The discussion continues or, after the last round, the settings determine the payment.
    """
    if round < addressee.settings.discussion.max_rounds:
        return addressee.translate_phrase("group.otherwise")
    return addressee.translate_phrase(
        "group.otherwise_last",
        chance=addressee.translate_phrase(f"group.{addressee.settings.voting.no_consensus_mode}"),
    )


def record_answer(
    state: GroupPromptState, addressee: Addressee, question: VoteQuestion, result: QuestionResult, **value: Any
) -> JusticeUpdate:
    """Return the updates that record an answer in the vote and its calls.

    `value`: the field of `VoteAnswer` for this question, with its value.
    """
    id = addressee.participant.id
    errors = [
        ParseFault(participant=id, question=question, attempt=incident.attempts, fault=incident.what)
        for incident in result.incidents
        if incident.category == "validation"
    ]
    answer = VoteAnswer(
        round=state["round"],
        voter=id,
        question=question,
        attempt=max(1, len(result.replies)),
        read_as=result.read_as,
        replies=result.replies,
        errors=errors,
        **value,
    )
    return record_question_calls(addressee, result) | JusticeUpdate(answers=[answer])


class JusticeVoterState(GroupPromptState):
    """Channels of the branch of one voter. They exclude the secret ballots."""

    who: BranchInput[str]


class ConsentState(JusticeVoterState):
    """Channels of the branch that asks one participant for consent, with the vote's proposer."""

    initiator: str


class AmountState(JusticeVoterState):
    """Channels of the branch that asks one voter for the amount of its chosen principle."""

    number: BranchInput[int]


async def initiate(state: VoteRoutingState, settings: JusticeSettings) -> JusticeUpdate:
    """Ask the next participant whether to start a vote, in roster or drawn order.

    The first yes starts the vote.

    Reads settings, round, history, calls, memory, alone, answers, view_limits; writes answers, initiator, draws, calls,
    incidents, view_limits, memory.
    """
    seat_order, draws = draw_initiation_order(settings, state["round"])
    answers = select_answers(state["answers"], state["round"], "initiation")
    id = next(id for id in seat_order if id not in answers)
    addressee = make_addressee(state, get_participant(settings, id).name)
    reply, result = await ask_vote_question(state, addressee, "initiation", request_consent(addressee, "vote_now"))
    is_started = reply is not None and reply.agrees
    update = JusticeUpdate(initiator=id if is_started else "", draws=[] if answers else draws)
    return record_answer(state, addressee, "initiation", result, yes=is_started) | update


async def confirm(state: ConsentState) -> JusticeUpdate:
    """Ask one participant for its consent to the vote.

    Reads settings, round, history, calls, memory, alone, initiator, view_limits, and who; writes answers, calls,
    incidents, view_limits, memory.
    """
    addressee = make_addressee(state, state["who"])
    proposal_text = addressee.translate_phrase("group.forced")
    if state["initiator"]:
        name = get_participant(addressee.settings, state["initiator"]).name
        proposal_text = addressee.translate_phrase("group.proposed", name=name)
    consequence = describe_refusal_outcome(state["round"], addressee)
    request = request_consent(addressee, "consent")
    reply, result = await ask_vote_question(
        state, addressee, "confirmation", request, proposed=proposal_text, otherwise=consequence
    )
    return record_answer(state, addressee, "confirmation", result, yes=reply is not None and reply.agrees)


async def ballot(state: JusticeVoterState) -> JusticeUpdate:
    """Ask one participant, in secret, which principle it votes for.

    Reads settings, round, history, calls, memory, alone, view_limits, and who; writes answers, calls, incidents,
    view_limits, memory.
    """
    addressee = make_addressee(state, state["who"])
    reply, result = await ask_vote_question(state, addressee, "principle", request_principle(addressee))
    principle = get_principle(int(reply.principle)) if reply else None
    return record_answer(state, addressee, "principle", result, principle=principle)


async def ask_amount(state: AmountState) -> JusticeUpdate:
    """Ask a participant that voted for principle 3 or 4 for the amount.

    Reads settings, round, history, calls, memory, alone, view_limits, number, and who; writes answers, calls,
    incidents, view_limits, memory.
    """
    addressee = make_addressee(state, state["who"])
    principle = addressee.translate_phrase(f"principles.{get_principle(state['number'])}")
    reply, result = await ask_vote_question(
        state, addressee, "amount", request_amount(addressee), number=state["number"], principle=principle
    )
    return record_answer(state, addressee, "amount", result, amount=reply.amount if reply else None)
