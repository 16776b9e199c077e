"""The steps of a vote: initiate, consent, cast in secret. What is voted on is the protocol's affair."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from pydantic import BaseModel, ConfigDict

from ..prompts import Catalogue, term
from ..state.ballot import AskedKind, Ballot, BallotAnswer, ballot_schema, read_answer, read_consent
from ..state.consensus import ConsensusRules
from ..state.consensus.channels import GroupStage, GroupUpdate, Voting
from ..state.count import RULES
from ..state.deliberation import Turn
from ..state.fence import said_lines
from ..state.rules import Rules
from ..state.statement import Participant
from ..state.voting import CastBallot, Consent, Poll
from ..state.writes import Update
from .asking import Asking, asking_participant, at
from .asking.ask import ask
from .asking.brief import Brief, brief
from .asking.cost import Spent, cost
from .models.failures import Unavailable


class Consenting(BaseModel):
    """Whether a participant agrees to vote now."""

    model_config = ConfigDict(extra="forbid")

    agrees: bool


def consenting(text: str) -> Consenting:
    """A consent, or a refusal, in plain words. Raises `Unclear` if it is neither."""
    return Consenting(agrees=read_consent(text))


def asked_for(rules: Rules, options: list[str]) -> type[BallotAnswer]:
    """The ballot a voter is asked for under the run's counting rule."""
    return ballot_schema(asks(rules), options, weighted=is_weighted(rules), may_abstain=True)


def plain_ballot(rules: Rules, options: list[str], text: str) -> BallotAnswer:
    """The same ballot in plain words. Raises `Unclear` if it is none."""
    return read_answer(text, asks(rules), options, weighted=is_weighted(rules))


def asks(rules: Rules) -> AskedKind:
    """What a voter is asked for under the run's counting rule."""
    assert isinstance(rules, ConsensusRules)
    assert rules.vote != "off"
    return RULES[rules.vote].asks


def is_weighted(rules: Rules) -> bool:
    """Whether a voter states how certain it is."""
    return isinstance(rules, ConsensusRules) and rules.vote == "confidence_weighted"


CONSENT_FIELDS = "name persona options initiator language"
BALLOT_FIELDS = "name persona options how language"
"""What the templates of a vote may ask for."""


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
        poll, asking = state["polls"][-1], replace(asking, schema=Consenting, plainly=consenting)
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
        signs = list(poll.options)
        asking = replace(asking, schema=asked_for(rules, signs), plainly=partial(plain_ballot, rules, signs))
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
        "options": said_lines(poll.options.items()),
        "initiator": poll.initiator,
        "how": term(language, "memory", f"how_{asks(state['rules'])}"),
        "language": language,
    }
    told = replace(brief(state, words, name, values), history=state["history"])
    told = told.within(state["view_limits"].get(one.name))
    asking = at(asking_participant(state, one, name), 0, state["round"])
    return told, replace(asking, hidden=True, temperature=0.0)
