"""The questions of a vote: start it, consent to it, cast a ballot in secret. No tools are bound to any of the calls."""

from dataclasses import replace
from typing import Any, TypeVar

from ...state.adoption import ParseError, Reply, VoteQuestion
from ...state.justice_box import VoteAnswer, answers_to
from ...state.justice_state import JusticeUpdate, Meeting, Polling
from ...state.justice_vote import VoteStep
from ...state.principle import numbered
from ...state.reading import read_consent, read_principle
from ...state.reading_amount import read_amount
from ..asking import Asking, at
from .asked import Heard, Reading, heard, narrowed_view, question
from .hearer import Hearer, by_id, settled_rules
from .told import hearer_in, told_in_group

BALLOT_TEMPERATURE = 0.3
"""Sampling temperature of votes at most."""
T = TypeVar("T")


class Booth(Meeting):
    """What one voter's branch reads: the box is not among it."""

    who: str
    initiator: str


class AmountBooth(Booth):
    """The second question's branch: it knows what its own voter chose."""

    number: int


async def initiate(state: Polling) -> JusticeUpdate:
    """Ask the next one in roster order whether to start a vote; the first who says so ends the asking.

    Reads rules, round, history, memory, alone, answers; writes answers, initiator, calls, incidents.
    """
    id = next_asked(state)
    hearer = hearer_in(state, by_id(settled_rules(state["rules"]), id).name)
    got = await _answered(state, hearer, "initiation", _consent("counted as no"))
    said = VoteAnswer(**_who(state, hearer, "initiation", got), yes=bool(got.value))
    return answered(hearer, said, got) | JusticeUpdate(initiator=id if said.yes else "")


def next_asked(state: Polling) -> str:
    """Id of the next one to be asked whether to start a vote."""
    asked = answers_to(state["answers"], state["round"], "initiation")
    return next(id for id in settled_rules(state["rules"]).ids if id not in asked)


async def confirm(state: Booth) -> JusticeUpdate:
    """Ask one participant for its consent to the vote.

    Reads rules, round, history, memory, alone, initiator, and who is asked; writes answers, calls, incidents.
    """
    hearer = hearer_in(state, state["who"])
    got = await _answered(state, hearer, "confirmation", _consent("counted as no"))
    said = VoteAnswer(**_who(state, hearer, "confirmation", got), yes=bool(got.value))
    return answered(hearer, said, got)


async def ballot(state: Booth) -> JusticeUpdate:
    """Ask one participant, unseen by the others, for the principle it votes for.

    Reads rules, round, history, memory, alone, and who is asked; writes answers, calls, incidents.
    """
    hearer = hearer_in(state, state["who"])
    read = Reading(lambda text: read_principle(text, hearer.language), "principle", "ballot missing")
    got = await _answered(state, hearer, "principle", read)
    said = VoteAnswer(**_who(state, hearer, "principle", got), principle=got.value)
    return answered(hearer, said, got)


async def amount(state: AmountBooth) -> JusticeUpdate:
    """Ask one participant who voted for principle 3 or 4 for the amount.

    Reads rules, round, history, memory, alone, and who is asked; writes answers, calls, incidents.
    """
    hearer = hearer_in(state, state["who"])
    vote = hearer.rules.voting
    least, most = vote.amount_min_reasonable, vote.amount_max_reasonable
    read = Reading(lambda text: read_amount(text, hearer.language, least, most), "amount", "ballot missing")
    got = await _answered(state, hearer, "amount", read, state["number"])
    said = VoteAnswer(**_who(state, hearer, "amount", got), amount=got.value)
    return answered(hearer, said, got)


def _consent(consequence: str) -> Reading[bool]:
    return Reading(read_consent, "consent", consequence)


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


async def _answered(
    state: Meeting, hearer: Hearer, asked: VoteQuestion, reading: Reading[T], number: int = 0
) -> Heard[T]:
    """Put one question of the vote to one participant."""
    told = told_in_group(state, hearer, TEMPLATES[asked], _values(state, hearer, number))
    return await heard(told, at(asking_to_vote(state, hearer, asked), 0, state["round"]), hearer, reading)


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
    asking = question(hearer, PURPOSES[asked], state["calls"], tries, vote.timeouts(step, tries))
    return replace(asking, temperature=min(asking.temperature, BALLOT_TEMPERATURE), waits=[1.0])


def _values(state: Meeting, hearer: Hearer, number: int) -> dict[str, object]:
    """What the templates of a vote ask for; `number`: the principle voted for, 0 before that."""
    rule, rules = hearer.rules.voting.decision_rule, hearer.rules
    initiator = state.get("initiator", "")
    by = hearer.say("group.forced")
    if initiator:
        by = hearer.say("group.proposed", name=by_id(rules, str(initiator)).name)
    return {
        "round": state["round"],
        "max_rounds": rules.discussion.max_rounds,
        "consent": hearer.say(f"group.consent_{rule}"),
        "agreement": hearer.say(f"group.agreement_{rule}"),
        "proposed": by,
        "number": number,
        "principle": hearer.say(f"principles.{numbered(number)}") if number else "",
    }


def answered(hearer: Hearer, said: VoteAnswer, got: Heard[T]) -> JusticeUpdate:
    """An answer, and what getting it cost."""
    learnt = narrowed_view(hearer, got.narrowed)
    return learnt | JusticeUpdate(answers=[said], calls=got.calls, incidents=got.incidents)


def _who(state: Meeting, hearer: Hearer, asked: VoteQuestion, got: Heard[T]) -> dict[str, Any]:
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
