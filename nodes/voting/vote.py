"""The steps of a vote: initiate, consent, cast in secret. What is voted on is the protocol's affair."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from pydantic import BaseModel, ConfigDict

from ...prompts import Catalogue, term
from ...state.ballot import AskedKind, Ballot, BallotAnswer, ballot_schema, read_answer, read_consent
from ...state.count import rule_named
from ...state.deliberation import Remembering, Stage, Turn
from ...state.ends import EndingRule
from ...state.fence import said_lines
from ...state.requirements import Sent, reading
from ...state.statement import Participant
from ...state.voting import COUNTED_AS_NO, CastBallot, Consent, Poll, VotingRules
from ...state.voting.channels import Voting, VotingUpdate
from ...state.writes import Update
from ..asking import Asking, asking_participant, at
from ..asking.ask import ask
from ..asking.brief import Brief, brief
from ..asking.cost import Spent, cost
from ..asking.outside import LATE, PASSED
from ..closing import ended_by
from ..models.failures import Unavailable
from .told import told_to_all


class Consenting(BaseModel):
    """Whether a participant agrees to vote now."""

    model_config = ConfigDict(extra="forbid")

    agrees: bool


def consenting(text: str) -> Consenting:
    """A consent, or a refusal, in plain words. Raises `Unclear` if it is neither."""
    return Consenting(agrees=read_consent(text))


def asked_for(rules: VotingRules, options: list[str]) -> type[BallotAnswer]:
    """The ballot a voter is asked for under the run's counting rule."""
    return ballot_schema(asks(rules), options, weighted=is_weighted(rules), may_abstain=rules.may_abstain)


def plain_ballot(rules: VotingRules, options: list[str], text: str) -> BallotAnswer:
    """The same ballot in plain words. Raises `Unclear` if it is none."""
    return read_answer(text, asks(rules), options, weighted=is_weighted(rules), may_abstain=rules.may_abstain)


def asks(rules: VotingRules) -> AskedKind:
    """What a voter is asked for under the run's counting rule."""
    return rule_named(rules.counted_by).asks


def is_weighted(rules: VotingRules) -> bool:
    """Whether a voter states how certain it is."""
    return rules.counted_by == "confidence_weighted"


ABSTAINED = (LATE, PASSED)
"""How a person ends a question without having answered it: of a ballot, that is an abstention where one is offered."""
CONSENT_FIELDS = "name persona options initiator language"
BALLOT_FIELDS = "name persona options how language"
"""What the templates of a vote may ask for."""


class Booth(Turn, Voting):
    """What one voter's branch reads. The box is not among it."""

    who: Sent[str]


class Proposing(Stage, Remembering, Voting):
    """What is read before a vote is put on the table."""


Options = Callable[[Any], dict[str, str]]
"""What can be voted for: sign → text; a pure function of the state."""


def initiate(options: Options, unheld: EndingRule) -> Callable[[Any], object]:
    """The step that puts a vote on the table by the protocol's schedule, unless `unheld` finds that none can be."""

    async def initiate(state: Proposing) -> Update:
        """Put the options on the table, or tell everyone why no vote is held.

        Reads polls, round, and what the options come from, and what was given, floor, turn, record, memory for why
        none is held; writes polls, and notices and memory where none is held.
        """
        number = 1 + max((poll.number for poll in state["polls"]), default=0)
        poll = Poll(number=number, round=state["round"], event="initiated", options=options(state))
        found = unheld(state)
        if not found:
            return VotingUpdate(polls=[poll])
        line = term(state["rules"].language, "memory", "not_held", number=number, why=ended_by(found, state))
        left: Update = VotingUpdate(polls=[poll.model_copy(update={"event": "not_held"})])
        return left | told_to_all(state, line)

    return reading(initiate, options, unheld)


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
            return _gave(VotingUpdate(consents=[no]), asking, lost.followed_by(COUNTED_AS_NO))
        agrees = isinstance(answer.value, Consenting) and answer.value.agrees
        said = Consent(poll=poll.number, who=asking.who, agrees=agrees)
        return _gave(VotingUpdate(consents=[said]), asking, answer)

    return consent


def cast(words: Catalogue) -> Callable[..., object]:
    """The step in which one participant fills in its ballot, unseen by the others; a branch per participant."""

    async def cast(state: Booth, rules: VotingRules) -> Update:
        """Ask one participant for its ballot.

        Reads what was given, round, record, polls, view_limits, and who is asked; writes ballots, calls, incidents,
        view_limits.
        """
        poll = state["polls"][-1]
        told, asking = _question(state, words, "ballot", how=f"how_{asks(rules)}")
        signs = list(poll.options)
        asking = replace(asking, schema=asked_for(rules, signs), plainly=partial(plain_ballot, rules, signs))
        try:
            answer = await ask(told, asking)
        except Unavailable as lost:
            if lost.kind in ABSTAINED and rules.may_abstain:
                box = [CastBallot(poll=poll.number, ballot=Ballot(voter=asking.who, abstain=True))]
                return _gave(VotingUpdate(ballots=box), asking, lost.followed_by("abstained"))
            spoiled = Ballot.spoiled(asking.who, lost.text, lost.incidents[-1].what)
            box = [CastBallot(poll=poll.number, ballot=spoiled)]
            return _gave(VotingUpdate(ballots=box), asking, lost.followed_by("no valid ballot"))
        assert isinstance(answer.value, BallotAnswer)
        box = [CastBallot(poll=poll.number, ballot=answer.value.ballot(asking.who))]
        return _gave(VotingUpdate(ballots=box), asking, answer)

    return cast


def _gave(news: Update, asking: Asking, of: Spent) -> Update:
    """What a voter gave, and what getting it cost."""
    return news | cost(asking.who, of)


def _question(state: Booth, words: Catalogue, name: str, how: str = "") -> tuple[Brief, Asking]:
    """What a voter is told, and how it is asked; template and purpose share their name."""
    one: Participant = next(each for each in state["participants"] if each.name == state["who"])
    poll, language = state["polls"][-1], one.language or state["rules"].language
    values = {
        "name": one.name,
        "persona": one.persona,
        "options": said_lines(poll.options.items()),
        "initiator": poll.initiator,
        "how": term(language, "memory", how) if how else "",
        "language": language,
    }
    told = replace(brief(state, words, name, values), history=state["history"])
    told = told.within(state["view_limits"].get(one.name))
    asking = at(asking_participant(state, one, name), 0, state["round"])
    return told, replace(asking, hidden=True, temperature=0.0)
