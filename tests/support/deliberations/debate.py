"""Debates held by a scripted model, to be read as transcripts."""

import re
from collections.abc import Callable
from typing import Any

from chats.scripted import Said, ScriptedChat, Told
from moot.graphs import debate

TOPIC = "Should cities ban cars from downtown areas?"
SYNTHESIS = "Ada held on to clean air [1], Ben to access; neither moved."
LINES = [
    "Clean air matters most, since asthma among children falls wherever engines leave.",
    "Shops lose customers when parking vanishes, as several merchants reported last winter.",
    "Footfall rose in Ghent after its circulation plan, contrary to those worries.",
    "Ghent had excellent trams beforehand; poorer suburbs would simply be stranded.",
    "Then fund buses first, with congestion charges earmarked for that purpose alone.",
    "Earmarked revenue gets raided by treasuries during every downturn on record.",
    "Statutory funds survived downturns in Stockholm, audited yearly by parliament.",
    "Stockholm charges drivers rather than banning them, which proves my alternative.",
    "A charge lets wealthy motorists through while nurses on night shifts must walk.",
    "Exemptions for night workers exist already wherever planners bothered asking unions.",
    "Delivery bikes replaced vans across Groningen without empty shelves anywhere.",
    "Groningen is flat; hilly Lisbon tried cargo bikes and quietly abandoned them.",
]
"""What can be said in turn 1, 2, …, with hardly a word in common."""


REST = "So it is, and so it will be, as far as one can see, for all of us who live in the city now."


def line(turn: int) -> str:
    """What is said in a turn."""
    said = LINES[turn - 1] if turn <= len(LINES) else f"Point number {turn}, made by nobody before, {'x' * turn}."
    return f"{said} {REST}"


def turn_of(told: Told) -> int:
    """The turn a prompt asks for; 0: none."""
    asked = re.search(r"(?:It is turn|Es el turno|现在是第) ?(\d+)", told.private)
    return int(asked[1]) if asked else 0


class Debaters(ScriptedChat):
    """Says its line for each turn, and a synthesis; `told` → something else where `script` has an answer to it."""

    script: Callable[[Told], Said | None] | list[Said]  # type: ignore[assignment]

    def answer(self, told: Told) -> Said:
        if not callable(self.script):
            return super().answer(told)
        said = self.script(told)
        if said is not None:
            return said
        return SYNTHESIS if told.purpose == "synthesis" else line(turn_of(told))


def hold(
    script: Callable[[Told], Said | None] | list[Said] = lambda told: None, given: Any = None, **context: Any
) -> tuple[dict[str, Any], Debaters]:
    """A debate between Ada (for) and Ben (against): how it ended, and the model that held it."""
    model = Debaters(script=script)
    known = {"topic": TOPIC, "participants": ["Ada", "Ben"]}
    chosen = {"model": model, "max_turns": 6, "dynamic_termination": False, "retry_delays": [0], "seed": 1}
    ended: dict[str, Any] = debate.graph.invoke({**known, **(given or {})}, context={**chosen, **context})
    return ended, model


def transcript(ended: dict[str, Any]) -> list[tuple[int, str]]:
    """Who spoke in which turn."""
    return [(one.turn, one.speaker) for one in ended["history"]]


def fails(*turns: int, whose: str = "", how: type[BaseException] = TimeoutError) -> Callable[[Told], Said | None]:
    """A script in which the model of these turns, or of a speaker, never answers."""

    def script(told: Told) -> Said | None:
        return how() if told.purpose == "statement" and (turn_of(told) in turns or told.who == whose) else None

    return script
