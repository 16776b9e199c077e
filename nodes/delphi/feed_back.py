"""After a round everyone is told what the group estimated, and the reasons of those apart; never whose they are."""

from ...state.deliberation import Floor, Given, Remembering
from ...state.delphi import DelphiRules, Feedback, fed_back, is_enough
from ...state.delphi.channels import DelphiUpdate, Estimating
from ...state.positions import RunAnswer, answer_of, question_of
from ...state.positions.answer import shown
from ...state.positions.channels import Positions
from ...state.statement import names
from ...state.writes import Update
from ..voting.told import told_to_all
from .told import feedback_in_words


class Round(Given, Floor, Remembering, Positions, Estimating):
    """A round that was estimated in."""


async def feed_back(state: Round, rules: DelphiRules) -> Update:
    """Tell everyone the figures of the round, and put the run's answer so far on record. No model is asked.

    Reads estimates, positions, participants, floor, round, turn, memory, rules; writes feedback, answer, floor, turn,
    notices, memory.
    """
    question, turn = question_of(rules), state["turn"] + len(state["floor"])
    given = [one for one in state["estimates"] if one.round == state["round"]]
    after = Update(floor=[], turn=turn)
    if not given:
        return after
    told = fed_back(state["round"], given, question)
    news: Update = DelphiUpdate(feedback=[told])
    if is_enough(told, state["participants"]):
        news |= Update(answer=_answer(state, told, question.unit))
    now: Round = {**state, "turn": turn}
    line = feedback_in_words(told, rules, names(state["participants"]))
    return after | news | told_to_all(now, line)


def _answer(state: Round, told: Feedback, unit: str) -> RunAnswer | None:
    """The median of a round, or the option that most chose in it."""
    if told.median is None:
        return answer_of(state)
    return RunAnswer(answer=shown(told.median), number=told.median, unit=unit, by="median")
