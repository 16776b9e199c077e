"""Once all were asked: who answered, and whether an answer tells whose it is."""

import re

from langgraph.types import Send

from ...prompts import phrases
from ...state.budget import is_spent
from ...state.council import Concordance, CouncilRules, answers_for
from ...state.council.channels import CouncilUpdate
from ...state.deliberation import Floor, Given, Record
from ...state.ends import outage
from ...state.incident import Incident
from ...state.positions import answer_of
from ...state.positions.channels import Positions
from ...state.statement import Statement, names
from ...state.writes import Update
from ..clock import stamp
from ..models.spec import parse, spec_for


class Answered(Given, Floor, Record):
    """What the members answered."""


class Gathering(Answered, Positions):
    """What the answers amount to."""


async def gather(state: Gathering) -> Update:
    """Close the round, note which answers name their authors, and put on record what the positions amount to.

    Reads what was given, floor, turn, history, positions; writes floor, turn, incidents, answer, concordance.
    """
    held = answer_of({"rules": state["rules"], "positions": state["positions"]})
    closed: Update = CouncilUpdate(concordance=Concordance())
    taken = Update(floor=[], turn=state["turn"] + len(state["floor"]), answer=held)
    named = [_named(one, state) for one in state["history"] if _names_author(one, state)]
    return closed | taken | (Update(incidents=named) if named else Update())


def _names_author(one: Statement, state: Given) -> bool:
    """Whether the name of its author, or of its author's model, stands in an answer."""
    author = next(each for each in state["participants"] if each.name == one.speaker)
    spec = spec_for(state["rules"], author.name, author.model)
    known = [author.name, "" if spec.startswith("object:") else parse(spec).name]
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", one.content) for name in known if name)


def _named(one: Statement, state: Given) -> Incident:
    """What the record says of an answer that was not anonymous: it was shown as it is, and nothing is made of it."""
    what = phrases("council").say(state["rules"].language, "noted.names_author", turn=one.turn)
    noted = Incident(where="gather", who=one.speaker, what=what, kind="note", consequence="kept", at=stamp())
    return noted.model_copy(update={"tries": 0, "turn": one.turn, "round": one.round, "category": "logic"})


def to_rankers(state: Answered, rules: CouncilRules) -> str | list[Send]:
    """From the answers to everyone who has two of them to rank; on to the end where there is nothing to be ranked."""
    if outage(state, state["turn"]) or is_spent(rules, state["calls"]):
        return "nothing to rank"
    rankers = names(state["participants"])
    able = [who for who in rankers if len(answers_for(who, state["history"], rules.rank_own)) > 1]
    return [Send("review", {"who": who}) for who in able] or "nothing to rank"
