"""One participant takes its turn."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..prompts import Catalogue
from ..state.deliberation import Turn
from ..state.floor import yield_to
from ..state.requirements import Sent, reading
from ..state.rules import TalkRules
from ..state.writes import Update
from .asking import asking_participant, at
from .closing_proof import Proof
from .statement import Speech, heard, holder, told_to_speak


class Unheard(Turn):
    """One of several who speak at the same time."""

    who: Sent[str]
    seat: Sent[int]


def speak_unheard(words: Catalogue) -> Callable[[Unheard], object]:
    """The step in which one of several speaks without knowing what the others say; a branch per participant."""

    async def speak_unheard(state: Unheard) -> Update:
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


def speak(words: Catalogue, prove: Callable[[Any], Proof] | None = None) -> Callable[..., object]:
    """The step in which the one who holds the floor speaks; an opening statement has a template of its own.

    `prove` says what a statement must show for itself; none: nothing.
    """

    async def speak(state: Turn, rules: TalkRules) -> Update:
        """Ask whoever holds the floor, and record the statement or the missed turn.

        Reads what was given, floor, round, turn, record, memory, summary, view_limits, and what is to be proven; writes
        history, floor, turn, calls, incidents, view_limits, memory.
        """
        speaker = holder(state)
        turn = state["turn"] + 1
        told = told_to_speak(state, words, speaker)
        asking = at(asking_participant(state, speaker), turn, state["round"])
        if rules.names_next:
            asking = replace(asking, schema=Speech)
        said = await heard(told, asking, speaker, rules, prove(state) if prove else None)
        named = [statement.named_next for statement in said.get("history", [])]
        floor = yield_to(state["floor"][1:], named[0]) if named else state["floor"][1:]
        return said | Update(floor=floor, turn=turn)

    return reading(speak, prove) if prove else speak
