"""Questions of a vote: start it, consent to it, cast a secret ballot.

The calls have no tools.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from ...state.channel_requirements import BranchInput
from ...state.justice import (
    JusticeSettings,
    ParseFault,
    VoteAnswer,
    VoteQuestion,
    VoteReply,
    VoteStep,
    draw_initiation_order,
    get_principle,
    read_amount,
    read_consent,
    read_principle,
    select_answers,
)
from ...state.justice.channels import GroupPromptState, VoteRoutingState
from ...state.justice.input_output import JusticeUpdate
from ...state.voting import COUNTED_AS_NO
from ..ask import CallOptions, with_turn
from .addressee import Addressee, get_participant
from .prompts import build_group_prompt, make_addressee
from .question import (
    AttemptLimits,
    QuestionOutcome,
    ReplyParser,
    ask_question,
    build_call_options,
    record_question_calls,
)

T = TypeVar("T")
BALLOT_TEMPERATURE = 0.3
"""Highest sampling temperature of votes."""
CALL_PURPOSES: dict[VoteQuestion, str] = {
    "initiation": "initiation",
    "confirmation": "confirmation",
    "principle": "ballot",
    "amount": "amount",
}
"""Name of each question in the record of calls."""
QUESTION_TEMPLATES: dict[VoteQuestion, str] = {
    "initiation": "initiate",
    "confirmation": "confirm",
    "principle": "ballot",
    "amount": "amount",
}
"""Template of each question."""


@dataclass(frozen=True)
class QuestionSpec(Generic[T]):
    """Question of the vote with the parser of its reply and the values for its template alone."""

    kind: VoteQuestion
    parser: ReplyParser[T]
    values: Mapping[str, object] = field(default_factory=dict)


async def ask_vote_question(
    state: GroupPromptState, addressee: Addressee, question: QuestionSpec[T]
) -> QuestionOutcome[T]:
    """Ask one participant one question of the vote."""
    prompt = build_group_prompt(
        state,
        addressee,
        QUESTION_TEMPLATES[question.kind],
        {**_collect_shared_values(state, addressee), **question.values},
    )
    return await ask_question(
        prompt,
        with_turn(build_vote_call(state, addressee, question.kind), 0, state["round"]),
        addressee,
        question.parser,
    )


def build_vote_call(state: GroupPromptState, addressee: Addressee, question: VoteQuestion) -> CallOptions:
    """Build the call for a question of the vote. Its timeouts grow from attempt to attempt."""
    voting = addressee.settings.voting
    steps: dict[VoteQuestion, tuple[VoteStep, int]] = {
        "initiation": ("initiation", voting.voting_retry_limit),
        "confirmation": ("confirmation", voting.voting_retry_limit),
        "principle": ("secret_ballot", voting.principle_extraction_retries),
        "amount": ("secret_ballot", voting.amount_extraction_retries),
    }
    step, attempts = steps[question]
    limits = AttemptLimits(attempts, voting.statement_timeouts(step, attempts))
    call = build_call_options(addressee, CALL_PURPOSES[question], state["calls"], limits)
    return replace(call, temperature=min(call.temperature, BALLOT_TEMPERATURE), retry_delays=[1.0])


def _collect_shared_values(state: GroupPromptState, addressee: Addressee) -> dict[str, object]:
    """Return the values that several templates of a vote share."""
    rule = addressee.settings.voting.decision_rule
    return {
        "round": state["round"],
        "max_rounds": addressee.settings.discussion.max_rounds,
        "consent": addressee.translate_phrase(f"group.consent_{rule}"),
        "agreement": addressee.translate_phrase(f"group.agreement_{rule}"),
    }


def describe_refusal_outcome(round: int, addressee: Addressee) -> str:
    """Describe the consequence of not holding the vote.

    After the last round, the discussion cannot continue.
    """
    if round < addressee.settings.discussion.max_rounds:
        return addressee.translate_phrase("group.otherwise")
    return addressee.translate_phrase(
        "group.otherwise_last",
        chance=addressee.translate_phrase(f"group.{addressee.settings.voting.no_consensus_mode}"),
    )


def record_answer(addressee: Addressee, answer: VoteAnswer, outcome: QuestionOutcome[T]) -> JusticeUpdate:
    """Return the updates for an answer and its calls."""
    return record_question_calls(addressee, outcome) | JusticeUpdate(answers=[answer])


def collect_answer_fields(
    state: GroupPromptState, addressee: Addressee, question: VoteQuestion, outcome: QuestionOutcome[T]
) -> dict[str, Any]:
    """Return the fields common to the records of all answers."""
    id = addressee.participant.id
    return {
        "round": state["round"],
        "participant": id,
        "question": question,
        "replies": [
            VoteReply(participant=id, question=question, attempt=attempt, text=text)
            for attempt, text in enumerate(outcome.replies, start=1)
        ],
        "errors": [
            ParseFault.model_validate({"participant": id, "question": question, "attempt": attempt, "fault": fault})
            for attempt, fault in outcome.faults
        ],
    }


CONSENT_PARSER = ReplyParser(read_consent, "consent", COUNTED_AS_NO)


class VoterState(GroupPromptState):
    """Channels of one voter's branch; the ballot box is not among them."""

    who: BranchInput[str]


class ConfirmState(VoterState):
    """Channels of a branch that asks for consent, with the initiator of the vote."""

    initiator: str


class AmountState(VoterState):
    """Channels of the branch for the amount, with its voter's chosen principle."""

    number: BranchInput[int]


async def initiate(state: VoteRoutingState, settings: JusticeSettings) -> JusticeUpdate:
    """Ask the next participant, in roster or drawn order, whether to start a vote.

    The first yes ends the question.

    Reads settings, round, history, calls, memory, alone, answers, view_limits; writes answers, initiator,
    draws, calls, incidents, view_limits, memory.
    """
    seat_order, draws = draw_initiation_order(settings, state["round"])
    answers = select_answers(state["answers"], state["round"], "initiation")
    id = next(id for id in seat_order if id not in answers)
    addressee = make_addressee(state, get_participant(settings, id).name)
    outcome = await ask_vote_question(state, addressee, QuestionSpec("initiation", CONSENT_PARSER))
    answer = VoteAnswer(**collect_answer_fields(state, addressee, "initiation", outcome), yes=bool(outcome.value))
    return record_answer(addressee, answer, outcome) | JusticeUpdate(
        initiator=id if answer.yes else "", draws=[] if answers else draws
    )


async def confirm(state: ConfirmState) -> JusticeUpdate:
    """Ask one participant for its consent to the vote.

    Reads settings, round, history, calls, memory, alone, initiator, view_limits, and who is asked;
    writes answers, calls, incidents, view_limits, memory.
    """
    addressee = make_addressee(state, state["who"])
    values = {
        "proposed": describe_proposer(state["initiator"], addressee),
        "otherwise": describe_refusal_outcome(state["round"], addressee),
    }
    outcome = await ask_vote_question(state, addressee, QuestionSpec("confirmation", CONSENT_PARSER, values))
    answer = VoteAnswer(**collect_answer_fields(state, addressee, "confirmation", outcome), yes=bool(outcome.value))
    return record_answer(addressee, answer, outcome)


def describe_proposer(initiator: str, addressee: Addressee) -> str:
    """Describe the start of the vote: its initiator, or that it is due in the last round."""
    if not initiator:
        return addressee.translate_phrase("group.forced")
    return addressee.translate_phrase("group.proposed", name=get_participant(addressee.settings, initiator).name)


async def ballot(state: VoterState) -> JusticeUpdate:
    """Ask one participant, unseen by the others, for the principle it votes for.

    Reads settings, round, history, calls, memory, alone, view_limits, and who is asked; writes answers,
    calls, incidents, view_limits, memory.
    """
    addressee = make_addressee(state, state["who"])
    parser = ReplyParser(lambda text: read_principle(text, addressee.language), "principle", "ballot missing")
    outcome = await ask_vote_question(state, addressee, QuestionSpec("principle", parser))
    answer = VoteAnswer(**collect_answer_fields(state, addressee, "principle", outcome), principle=outcome.value)
    return record_answer(addressee, answer, outcome)


async def ask_amount(state: AmountState) -> JusticeUpdate:
    """Ask one participant who voted for principle 3 or 4 for the amount.

    Reads settings, round, history, calls, memory, alone, view_limits, number, and who is asked; writes
    answers, calls, incidents, view_limits, memory.
    """
    addressee = make_addressee(state, state["who"])
    voting = addressee.settings.voting
    minimum, maximum = voting.amount_min_reasonable, voting.amount_max_reasonable
    parser = ReplyParser(
        lambda text: read_amount(text, addressee.language, minimum, maximum), "amount", "ballot missing"
    )
    principle = addressee.translate_phrase(f"principles.{get_principle(state['number'])}")
    outcome = await ask_vote_question(
        state, addressee, QuestionSpec("amount", parser, {"number": state["number"], "principle": principle})
    )
    answer = VoteAnswer(**collect_answer_fields(state, addressee, "amount", outcome), amount=outcome.value)
    return record_answer(addressee, answer, outcome)
