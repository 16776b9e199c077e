"""What a voter is asked for: a form, and how an answer without it is read in plain words."""

from pydantic import BaseModel, ConfigDict

from ..state.answer import read_consent
from ..state.ballot_schema import AskedKind, BallotAnswer, ballot_schema
from ..state.ballot_text import read_answer
from ..state.consensus import ConsensusRules
from ..state.count import RULES
from ..state.rules import Rules


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
