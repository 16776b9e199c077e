"""The questions of a vote: start it, consent to it, cast a ballot in secret. No tools are bound to any of the calls."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from ...state.justice import (
    JusticeRules,
    ParseError,
    VoteAnswer,
    VoteQuestion,
    VoteReply,
    VoteStep,
    answers_to,
    initiation_order,
    numbered,
    read_amount,
    read_consent,
    read_principle,
)
from ...state.justice.channels import Meeting, Polling
from ...state.justice.writes import JusticeUpdate
from ...state.requirements import Sent
from ...state.voting import COUNTED_AS_NO
from ..asking import Asking, at
from .addressee import Hearer, by_id
from .briefing import hearer_in, told_in_group
from .question import Heard, Reading, Within, heard, question, spent

T = TypeVar("T")
BALLOT_TEMPERATURE = 0.3
"""Sampling temperature of votes at most."""
PURPOSES: dict[VoteQuestion, str] = {
    "initiation": "initiation",
    "confirmation": "confirmation",
    "principle": "ballot",
    "amount": "amount",
}
"""What a question is called in the record of calls."""
TEMPLATES: dict[VoteQuestion, str] = {
    "initiation": "initiate",
    "confirmation": "confirm",
    "principle": "ballot",
    "amount": "amount",
}


@dataclass(frozen=True)
class Question(Generic[T]):
    """A question of the vote, how its reply is read, and what its template alone asks for."""

    kind: VoteQuestion
    reading: Reading[T]
    values: Mapping[str, object] = field(default_factory=dict)


async def polled(state: Meeting, hearer: Hearer, put: Question[T]) -> Heard[T]:
    """Put one question of the vote to one participant."""
    told = told_in_group(state, hearer, TEMPLATES[put.kind], {**_shared(state, hearer), **put.values})
    return await heard(told, at(asking_to_vote(state, hearer, put.kind), 0, state["round"]), hearer, put.reading)


def asking_to_vote(state: Meeting, hearer: Hearer, asked: VoteQuestion) -> Asking:
    """A question of the vote, with its tries, and its timeouts that grow from try to try."""
    vote = hearer.rules.voting
    steps: dict[VoteQuestion, tuple[VoteStep, int]] = {
        "initiation": ("initiation", vote.voting_retry_limit),
        "confirmation": ("confirmation", vote.voting_retry_limit),
        "principle": ("secret_ballot", vote.principle_extraction_retries),
        "amount": ("secret_ballot", vote.amount_extraction_retries),
    }
    step, tries = steps[asked]
    within = Within(tries, vote.timeouts(step, tries))
    asking = question(hearer, PURPOSES[asked], state["calls"], within)
    return replace(asking, temperature=min(asking.temperature, BALLOT_TEMPERATURE), waits=[1.0])


def _shared(state: Meeting, hearer: Hearer) -> dict[str, object]:
    """What several templates of a vote ask for."""
    rule = hearer.rules.voting.decision_rule
    return {
        "round": state["round"],
        "max_rounds": hearer.rules.discussion.max_rounds,
        "consent": hearer.say(f"group.consent_{rule}"),
        "agreement": hearer.say(f"group.agreement_{rule}"),
    }


def otherwise(round: int, hearer: Hearer) -> str:
    """What follows if the vote is not held: after the last round there is none in which the group could go on."""
    if round < hearer.rules.discussion.max_rounds:
        return hearer.say("group.otherwise")
    return hearer.say("group.otherwise_last", chance=hearer.say(f"group.{hearer.rules.voting.no_consensus_mode}"))


def answered(hearer: Hearer, said: VoteAnswer, got: Heard[T]) -> JusticeUpdate:
    """An answer, and what getting it cost."""
    return spent(hearer, got) | JusticeUpdate(answers=[said])


def begun(state: Meeting, hearer: Hearer, asked: VoteQuestion, got: Heard[T]) -> dict[str, Any]:
    """What every answer's record begins with."""
    id = hearer.one.id
    return {
        "round": state["round"],
        "participant": id,
        "question": asked,
        "replies": [
            VoteReply(participant=id, question=asked, attempt=attempt, text=text)
            for attempt, text in enumerate(got.replies, start=1)
        ],
        "errors": [
            ParseError.model_validate({"participant": id, "question": asked, "attempt": attempt, "fault": fault})
            for attempt, fault in got.faults
        ],
    }


CONSENT = Reading(read_consent, "consent", COUNTED_AS_NO)


class Booth(Meeting):
    """What one voter's branch reads: the box is not among it."""

    who: Sent[str]


class Consenting(Booth):
    """The branch of one who is asked for consent: it knows who started the vote."""

    initiator: str


class AmountBooth(Booth):
    """The second question's branch: it knows what its own voter chose."""

    number: Sent[int]


async def initiate(state: Polling, rules: JusticeRules) -> JusticeUpdate:
    """Ask the next one, in roster or in drawn order, whether to start a vote; the first who says so ends the asking.

    Reads rules, round, history, calls, memory, alone, answers, view_limits; writes answers, initiator, draws, calls,
    incidents, view_limits, memory.
    """
    order, draws = initiation_order(rules, state["round"])
    asked = answers_to(state["answers"], state["round"], "initiation")
    id = next(id for id in order if id not in asked)
    hearer = hearer_in(state, by_id(rules, id).name)
    got = await polled(state, hearer, Question("initiation", CONSENT))
    said = VoteAnswer(**begun(state, hearer, "initiation", got), yes=bool(got.value))
    return answered(hearer, said, got) | JusticeUpdate(initiator=id if said.yes else "", draws=[] if asked else draws)


async def confirm(state: Consenting) -> JusticeUpdate:
    """Ask one participant for its consent to the vote.

    Reads rules, round, history, calls, memory, alone, initiator, view_limits, and who is asked; writes answers, calls,
    incidents, view_limits, memory.
    """
    hearer = hearer_in(state, state["who"])
    values = {"proposed": proposed(state["initiator"], hearer), "otherwise": otherwise(state["round"], hearer)}
    got = await polled(state, hearer, Question("confirmation", CONSENT, values))
    said = VoteAnswer(**begun(state, hearer, "confirmation", got), yes=bool(got.value))
    return answered(hearer, said, got)


def proposed(initiator: str, hearer: Hearer) -> str:
    """By whom the vote was started; in the last round it is due."""
    if not initiator:
        return hearer.say("group.forced")
    return hearer.say("group.proposed", name=by_id(hearer.rules, initiator).name)


async def ballot(state: Booth) -> JusticeUpdate:
    """Ask one participant, unseen by the others, for the principle it votes for.

    Reads rules, round, history, calls, memory, alone, view_limits, and who is asked; writes answers, calls, incidents,
    view_limits, memory.
    """
    hearer = hearer_in(state, state["who"])
    read = Reading(lambda text: read_principle(text, hearer.language), "principle", "ballot missing")
    got = await polled(state, hearer, Question("principle", read))
    said = VoteAnswer(**begun(state, hearer, "principle", got), principle=got.value)
    return answered(hearer, said, got)


async def amount(state: AmountBooth) -> JusticeUpdate:
    """Ask one participant who voted for principle 3 or 4 for the amount.

    Reads rules, round, history, calls, memory, alone, view_limits, number, and who is asked; writes answers, calls,
    incidents, view_limits, memory.
    """
    hearer = hearer_in(state, state["who"])
    vote = hearer.rules.voting
    least, most = vote.amount_min_reasonable, vote.amount_max_reasonable
    read = Reading(lambda text: read_amount(text, hearer.language, least, most), "amount", "ballot missing")
    principle = hearer.say(f"principles.{numbered(state['number'])}")
    got = await polled(state, hearer, Question("amount", read, {"number": state["number"], "principle": principle}))
    said = VoteAnswer(**begun(state, hearer, "amount", got), amount=got.value)
    return answered(hearer, said, got)
