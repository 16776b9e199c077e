"""Several take their turns at the same time."""

from collections.abc import Callable
from dataclasses import replace

from ..prompts import Catalogue
from ..state.deliberation import Turn
from ..state.writes import Update
from .asking import asking_participant, at
from .speech import heard, told_to_speak


class Summoned(Turn):
    """One of several who speak at the same time."""

    who: str
    seat: int


def speak_unheard(words: Catalogue) -> Callable[[Summoned], object]:
    """The step in which one of several speaks without knowing what the others say; a branch per participant."""

    async def speak_unheard(state: Summoned) -> Update:
        """Ask one participant for a statement that rests on nothing said in this round.

        Reads what was given, round, turn, record, memory, summary, view_limits, and who is asked from which seat;
        writes history, calls, incidents, view_limits, memory.
        """
        one = next(each for each in state["participants"] if each.name == state["who"])
        before = [statement for statement in state["history"] if statement.round < state["round"]]
        told = told_to_speak(state, words, one)
        told = replace(told, history=before)
        turn = state["turn"] + state["seat"]
        return await heard(told, at(asking_participant(state, one), turn, state["round"]), one, state["rules"])

    return speak_unheard
