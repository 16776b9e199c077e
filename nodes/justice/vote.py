"""The questions of a vote: start it, consent to it, cast a ballot in secret. No tools are bound to any of the calls."""

from ...state.justice_box import VoteAnswer, answers_to
from ...state.justice_state import Meeting, Polling
from ...state.justice_writes import JusticeUpdate
from ...state.principle import numbered
from ...state.reading import read_consent, read_principle
from ...state.reading_amount import read_amount
from .asked import Reading
from .hearer import Hearer, by_id, settled_rules
from .polled import Question, answered, begun, otherwise, polled
from .told import hearer_in

CONSENT = Reading(read_consent, "consent", "counted as no")


class Booth(Meeting):
    """What one voter's branch reads: the box is not among it."""

    who: str


class Consenting(Booth):
    """The branch of one who is asked for consent: it knows who started the vote."""

    initiator: str


class AmountBooth(Booth):
    """The second question's branch: it knows what its own voter chose."""

    number: int


async def initiate(state: Polling) -> JusticeUpdate:
    """Ask the next one in roster order whether to start a vote; the first who says so ends the asking.

    Reads rules, round, history, calls, memory, alone, answers, view_limits; writes answers, initiator, calls,
    incidents, view_limits, memory.
    """
    id = next_asked(state)
    hearer = hearer_in(state, by_id(settled_rules(state["rules"]), id).name)
    got = await polled(state, hearer, Question("initiation", CONSENT))
    said = VoteAnswer(**begun(state, hearer, "initiation", got), yes=bool(got.value))
    return answered(hearer, said, got) | JusticeUpdate(initiator=id if said.yes else "")


def next_asked(state: Polling) -> str:
    """Id of the next one to be asked whether to start a vote."""
    asked = answers_to(state["answers"], state["round"], "initiation")
    return next(id for id in settled_rules(state["rules"]).ids if id not in asked)


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
