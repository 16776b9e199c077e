"""After the answers of a vote: heed the consents, count the ballots, and only then put it into words."""

from ...prompts import listed
from ...state.justice import JusticeRules, VotingRecord, record_of
from ...state.justice.channels import Box, Course, Round
from ...state.justice.writes import JusticeUpdate
from ...state.voting import refusing
from .addressee import Hearer, by_id
from .briefing import hearer_in
from .record import moderated, noted, teller


class Counting(Round, Box, Course):
    """What the count reads."""


async def heed(state: Counting, rules: JusticeRules) -> JusticeUpdate:
    """Let everyone know that a vote was started and, all answers together, whether it goes on.

    Reads rules, round, answers, memory, alone; writes memory.
    """
    round = state["round"]
    record = record_of(state["answers"], round, rules.ids, rules.voting.decision_rule)
    refused = [by_id(rules, id).name for id in refusing(record.confirmations)]
    news = {}
    for one in rules.participants:
        hearer = hearer_in(state, one.name)
        lines = [_started(hearer, record)]
        if record.event == "confirmation_failed":
            lines.append(hearer.say("memory.confirmation_failed", round=round, names=listed(hearer.language, refused)))
        else:
            lines.append(hearer.say("memory.voting_confirmed", round=round))
        news[one.name] = lines
    return JusticeUpdate(memory=noted(state, news))


def _started(hearer: Hearer, record: VotingRecord) -> str:
    if record.initiator is None:
        return hearer.say("memory.voting_forced", round=record.round)
    name = by_id(hearer.rules, record.initiator).name
    return hearer.say("memory.voting_initiated", round=record.round, name=name)


async def collect(state: Counting) -> JusticeUpdate:
    """Wait until every voter has chosen a principle; nothing is opened.

    Reads and writes nothing.
    """
    return JusticeUpdate()


async def tally(state: Counting, rules: JusticeRules) -> JusticeUpdate:
    """Set what came of the vote attempt, before any text is made of it.

    Reads rules, round, answers; writes votes, adopted, initiator.
    """
    record = record_of(state["answers"], state["round"], rules.ids, rules.voting.decision_rule)
    return JusticeUpdate(votes=[record], adopted=record.consensus, initiator="")


async def report(state: Counting, rules: JusticeRules) -> JusticeUpdate:
    """Let everyone know that a ballot brought no consensus, and nothing else of it.

    Reads rules, round, turn, memory, alone; writes memory, history.
    """
    round = state["round"]
    news = {
        one.name: [hearer_in(state, one.name).say("memory.no_consensus", round=round)] for one in rules.participants
    }
    line = moderated(state, teller(state).say("group.not_agreed", round=round))
    return JusticeUpdate(memory=noted(state, news), history=[line])
