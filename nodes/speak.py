"""One participant takes its turn."""

from collections.abc import Callable
from dataclasses import replace

from ..prompts import Catalogue
from ..state.deliberation import Turn
from ..state.floor import yield_to
from ..state.writes import Update
from .asking import asking_participant, at
from .speech import Speech, heard, holder, names_next, told_to_speak


def speak(words: Catalogue) -> Callable[[Turn], object]:
    """The step in which the one who holds the floor speaks; an opening statement has a template of its own."""

    async def speak(state: Turn) -> Update:
        """Ask whoever holds the floor, and record the statement or the missed turn.

        Reads what was given, floor, round, turn, record, memory, summary, view_limits; writes history, floor, turn,
        calls, incidents, view_limits, memory.
        """
        speaker = holder(state)
        turn = state["turn"] + 1
        told = told_to_speak(state, words, speaker)
        asking = at(asking_participant(state, speaker), turn, state["round"])
        if names_next(state["rules"]):
            asking = replace(asking, schema=Speech)
        said = await heard(told, asking, speaker, state["rules"])
        named = [statement.named_next for statement in said.get("history", [])]
        floor = yield_to(state["floor"][1:], named[0]) if named else state["floor"][1:]
        return said | Update(floor=floor, turn=turn)

    return speak
