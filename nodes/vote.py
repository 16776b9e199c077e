"""The steps of a vote: initiate, consent, cast in secret. What is voted on is the protocol's affair."""

from collections.abc import Callable
from dataclasses import replace

from pydantic import BaseModel, ConfigDict

from ..prompts import Catalogue
from ..state.ballot import Ballot
from ..state.ballot_schema import BallotAnswer, ballot_schema
from ..state.consensus import ConsensusRules
from ..state.count import RULES
from ..state.deliberation import Turn
from ..state.group_state import GroupStage, GroupUpdate, Voting
from ..state.poll import CastBallot, Consent, Poll
from ..state.statement import Participant
from ..state.writes import Update
from .ask import ask
from .asking import Asking, asking_participant, at
from .brief import Brief, brief
from .cost import Spent, cost
from .faults import Unavailable
from .remember import phrase_in

CONSENT_FIELDS = "name persona options initiator language"
BALLOT_FIELDS = "name persona options how language"
"""What the templates of a vote may ask for."""


class Consenting(BaseModel):
    """Whether a participant agrees to vote now."""

    model_config = ConfigDict(extra="forbid")

    agrees: bool


class Booth(Turn, Voting):
    """What one voter's branch reads. The box is not among it."""

    who: str


Options = Callable[[GroupStage], dict[str, str]]
"""What can be voted for: sign → text; a pure function of the state."""


def initiate(options: Options) -> Callable[[GroupStage], object]:
    """The step that puts a vote on the table by the protocol's schedule."""

    async def initiate(state: GroupStage) -> GroupUpdate:
        """Put the options on the table.

        Reads polls, round, and what the options come from; writes polls.
        """
        number = 1 + max((poll.number for poll in state["polls"]), default=0)
        return GroupUpdate(polls=[Poll(number=number, round=state["round"], event="initiated", options=options(state))])

    return initiate


def consent(words: Catalogue) -> Callable[[Booth], object]:
    """The step in which one participant says whether to vote now; a branch per participant."""

    async def consent(state: Booth) -> Update:
        """Ask one participant for its consent.

        Reads what was given, round, record, polls, view_limits, and who is asked; writes consents, calls, incidents,
        view_limits.
        """
        told, asking = _question(state, words, "consent")
        poll, asking = state["polls"][-1], replace(asking, schema=Consenting)
        try:
            answer = await ask(told, asking)
        except Unavailable as lost:
            no = Consent(poll=poll.number, who=asking.who, agrees=False, fault=lost.kind)
            return _gave(GroupUpdate(consents=[no]), asking, lost.followed_by("counted as no"))
        agrees = isinstance(answer.value, Consenting) and answer.value.agrees
        said = Consent(poll=poll.number, who=asking.who, agrees=agrees)
        return _gave(GroupUpdate(consents=[said]), asking, answer)

    return consent


def cast(words: Catalogue) -> Callable[[Booth], object]:
    """The step in which one participant fills in its ballot, unseen by the others; a branch per participant."""

    async def cast(state: Booth) -> Update:
        """Ask one participant for its ballot.

        Reads what was given, round, record, polls, view_limits, and who is asked; writes ballots, calls, incidents,
        view_limits.
        """
        poll, rules = state["polls"][-1], state["rules"]
        told, asking = _question(state, words, "ballot")
        asking = replace(asking, schema=asked_for(rules, list(poll.options)))
        try:
            answer = await ask(told, asking)
        except Unavailable as lost:
            spoiled = Ballot.spoiled(asking.who, "", lost.incidents[-1].what)
            box = [CastBallot(poll=poll.number, ballot=spoiled)]
            return _gave(GroupUpdate(ballots=box), asking, lost.followed_by("no valid ballot"))
        assert isinstance(answer.value, BallotAnswer)
        box = [CastBallot(poll=poll.number, ballot=answer.value.ballot(asking.who))]
        return _gave(GroupUpdate(ballots=box), asking, answer)

    return cast


def asked_for(rules: object, options: list[str]) -> type[BallotAnswer]:
    """The ballot a voter is asked for under the run's counting rule."""
    assert isinstance(rules, ConsensusRules)
    assert rules.vote != "off"
    return ballot_schema(
        RULES[rules.vote].asks, options, weighted=rules.vote == "confidence_weighted", may_abstain=True
    )


def _gave(news: Update, asking: Asking, of: Spent) -> Update:
    """What a voter gave, and what getting it cost."""
    return news | cost(asking.who, of)


def _question(state: Booth, words: Catalogue, name: str) -> tuple[Brief, Asking]:
    """What a voter is told, and how it is asked; template and purpose share their name."""
    one: Participant = next(each for each in state["participants"] if each.name == state["who"])
    poll, language = state["polls"][-1], one.language or state["rules"].language
    values = {
        "name": one.name,
        "persona": one.persona,
        "options": "\n".join(f"- {sign}: {text}" for sign, text in poll.options.items()),
        "initiator": poll.initiator,
        "how": how_to_vote(state["rules"], language),
        "language": language,
    }
    told = replace(brief(state, words, name, values), history=state["history"])
    told = told.within(state["view_limits"].get(one.name))
    asking = at(asking_participant(state, one, name), 0, state["round"])
    return told, replace(asking, hidden=True, temperature=0.0)


def how_to_vote(rules: object, language: str) -> str:
    """What to put on the ballot, in words."""
    asks = RULES[rules.vote].asks if isinstance(rules, ConsensusRules) and rules.vote != "off" else "choice"
    return phrase_in(language)(f"how_{asks}")
