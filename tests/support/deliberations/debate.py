"""Debates held by a scripted model, to be read as transcripts."""

import re
from collections.abc import Callable
from typing import Any

from chats.scripted import ScriptedChat, ScriptedReply, SentPrompt
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
    LINE = LINES[turn - 1] if turn <= len(LINES) else f"Point number {turn}, made by nobody before, {'x' * turn}."
    return f"{LINE} {REST}"


def turn_of(prompt: SentPrompt) -> int:
    """The turn a prompt asks for; 0: none."""
    match = re.search(r"(?:It is turn|Es el turno|现在是第) ?(\d+)", prompt.private)
    return int(match[1]) if match else 0


class Debaters(ScriptedChat):
    """Says its line for each turn, and a synthesis; `told` → something else where `script` has an answer to it."""

    script: Callable[[SentPrompt], ScriptedReply | None] | list[ScriptedReply]  # type: ignore[assignment]

    def answer(self, prompt: SentPrompt) -> ScriptedReply:
        if not callable(self.script):
            return super().answer(prompt)
        script = self.script(prompt)
        if script is not None:
            return script
        return SYNTHESIS if prompt.purpose == "synthesis" else line(turn_of(prompt))


def hold(
    script: Callable[[SentPrompt], ScriptedReply | None] | list[ScriptedReply] = lambda prompt: None,
    given: Any = None,
    **context: Any,
) -> tuple[dict[str, Any], Debaters]:
    """A debate between Ada (for) and Ben (against): how it ended, and the model that held it."""
    model = Debaters(script=script)
    known = {"topic": TOPIC, "participants": ["Ada", "Ben"]}
    chosen = {"model": model, "max_turns": 6, "dynamic_termination": False, "retry_delays": [0], "seed": 1}
    state: dict[str, Any] = debate.graph.invoke({**known, **(given or {})}, context={**chosen, **context})
    return state, model


def transcript(ended: dict[str, Any]) -> list[tuple[int, str]]:
    """Who spoke in which turn."""
    return [(statement.turn, statement.speaker) for statement in ended["history"]]


def fails(
    *turns: int, whose: str = "", how: type[BaseException] = TimeoutError
) -> Callable[[SentPrompt], ScriptedReply | None]:
    """A script in which the model of these turns, or of a speaker, never answers."""

    def script(prompt: SentPrompt) -> ScriptedReply | None:
        return how() if prompt.purpose == "statement" and (turn_of(prompt) in turns or prompt.who == whose) else None

    return script
