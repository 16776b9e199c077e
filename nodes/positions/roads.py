"""When everyone is asked for its position: before the talk, after a round, at the end."""

from collections.abc import Callable, Sequence
from typing import Any

from langgraph.types import Send

from ...state.budget import is_spent
from ...state.deliberation import Floor
from ...state.positions import SYNTHESIZER, PositionRules, seats_asked
from ...state.positions.channels import Declared
from ...state.requirements import Reading, reading

Way = str | list[Send]


def rounds_spoken(state: Declared) -> int:
    """Complete rounds, where a round is over when its floor is empty."""
    return state["round"]


def laps_spoken(state: Declared) -> int:
    """Complete rounds of a session, whose floor goes round and round."""
    return state["round"] - 1


def begun(state: Declared) -> str:
    """From the opening straight to the first round."""
    return "begin"


def asking(
    road: Callable[..., Way],
    at: Sequence[str] = (),
    over: Sequence[str] = (),
    rounds: Callable[[Declared], int] = rounds_spoken,
) -> Reading[Way]:
    """`road`, with everyone asked first where that is due: on the ways `at` between rounds, and `over` at the end.

    Every way leads on as before once they were asked, answered or not. `rounds` counts the complete ones.
    """
    onward: Callable[[Any], Way] = road if isinstance(road, Reading) else reading(road)

    def asking(state: Declared, rules: PositionRules) -> Way:
        way = onward(state)
        if isinstance(way, list) or is_spent(rules, state["calls"]):
            return way
        last = way in over
        when = due(state, rules, last, rounds(state)) if last or way in at else ""
        sent = {"when": when, "round": rounds(state)}
        asked = [
            Send("take_position", {"who": who, **sent}) for who in seats_asked(rules, state["participants"]) if when
        ]
        return [*asked, *_naming(state, rules, last)] or way

    return reading(asking, road)


def once_asked(road: Callable[..., Way], first: str) -> Reading[Way]:
    """`road`, but on to the `first` round where nobody has spoken yet: nothing can be over before that."""
    onward: Callable[[Any], Way] = road if isinstance(road, Reading) else reading(road)

    def once_asked(state: Floor) -> Way:
        return onward(state) if state["round"] else first

    return reading(once_asked, road)


def due(state: Declared, rules: PositionRules, over: bool, rounds: int) -> str:
    """`before`, `round` or `after`, where everyone is to be asked now; empty: not."""
    turn, round = last_asked(state, rules)
    if rules.positions == "off":
        return ""
    if state["turn"] == 0:
        return "before" if turn < 0 and not over else ""
    if over:
        return "after" if turn < state["turn"] else ""
    return "round" if rules.positions == "rounds" and rounds > round else ""


def last_asked(state: Declared, rules: PositionRules) -> tuple[int, int]:
    """The turn and the round after which participants were last asked, whether or not they answered; −1: never."""
    questions = ("declaration", "position") if rules.positions == "rounds" else ("declaration",)
    said = [(one.turn, one.round) for one in state["positions"] if one.answer and one.who != SYNTHESIZER]
    unsaid = [(one.turn, one.round) for one in state["incidents"] if one.where in questions]
    return max([*said, *unsaid], default=(-1, -1))


def _naming(state: Declared, rules: PositionRules, over: bool) -> list[Send]:
    """The synthesizer's branch, where it is to name the answer and was not asked yet."""
    asked = any(one.who == SYNTHESIZER for one in state["positions"])
    asked = asked or any(one.where == "answer" for one in state["incidents"])
    return [Send("name_answer", {"who": SYNTHESIZER})] if over and rules.naming and state["turn"] and not asked else []
