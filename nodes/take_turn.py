"""A model's turn in a session: like any turn, and the floor goes on whether or not it was used."""

from collections.abc import Callable

from ..prompts import Catalogue
from ..state.deliberation import SessionStage, Update
from .asking import asking_participant, at
from .clock import now
from .sitting import moved_on, time_passes
from .speak import heard, holder, told_to_speak


def take_turn(words: Catalogue) -> Callable[[SessionStage], object]:
    """The step in which the model that holds the floor speaks."""

    async def take_turn(state: SessionStage) -> Update:
        """Ask whoever holds the floor; record the statement or the missed turn, and pass the floor on.

        Reads the session's channels, history, memory; writes history, events, floor, turn, calls, incidents.
        """
        passed = time_passes(state, now())
        if passed.get("status"):
            return passed
        speaker = holder(state)
        asking = at(asking_participant(state, speaker), state["turn"] + 1, max(1, state["round"]))
        said = await heard(told_to_speak(state, words, speaker), asking, speaker, state["rules"])
        kind = "text" if said.get("history") else "turn_passed"
        return said | moved_on(state, speaker.name, kind, now())

    return take_turn
