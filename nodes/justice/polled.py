"""How a question of a vote is put to one participant, and what is kept of the answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from ...state.adoption import ParseError, Reply, VoteQuestion
from ...state.justice_box import VoteAnswer
from ...state.justice_state import Meeting
from ...state.justice_vote import VoteStep
from ...state.justice_writes import JusticeUpdate
from ..asking import Asking, at
from .asked import Heard, Reading, Within, heard, question, spent
from .hearer import Hearer
from .told import told_in_group

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
            Reply(participant=id, question=asked, attempt=attempt, text=text)
            for attempt, text in enumerate(got.replies, start=1)
        ],
        "errors": [
            ParseError.model_validate({"participant": id, "question": asked, "attempt": attempt, "fault": fault})
            for attempt, fault in got.faults
        ],
    }
