"""Routes that ask everyone for a position: before the first turn, after a round, at the end."""

from collections.abc import Callable, Sequence
from typing import Any

from langgraph.types import Send

from ...state.budget import is_budget_spent
from ...state.channel_requirements import StateFunction, mark_reads
from ...state.deliberation import FloorState
from ...state.positions import SYNTHESIZER, PositionSettings, list_asked_seats
from ...state.positions.channels import PositionsState

RouteTarget = str | list[Send]


def count_rounds(state: PositionsState) -> int:
    """Count the complete rounds; a round is over when its floor is empty."""
    return state["round"]


def count_laps(state: PositionsState) -> int:
    """Count the complete rounds of a session, whose floor rotates."""
    return state["round"] - 1


def route_to_first_round(state: PositionsState) -> str:
    """Route from the opening to the first round."""
    return "begin"


def route_through_positions(
    route: Callable[..., RouteTarget],
    between: Sequence[str] = (),
    over: Sequence[str] = (),
    rounds: Callable[[PositionsState], int] = count_rounds,
) -> StateFunction[RouteTarget]:
    """Wrap a route so that everyone is asked for a position first if that is due.

    `between`: targets at which a round is over. `over`: targets at the end. The route continues as before after
    the questions, answered or not. `rounds` counts the complete rounds.
    """
    next_route: Callable[[Any], RouteTarget] = route if isinstance(route, StateFunction) else mark_reads(route)

    def route_through_positions(state: PositionsState, settings: PositionSettings) -> RouteTarget:
        target = next_route(state)
        if isinstance(target, list) or is_budget_spent(settings, state["calls"]):
            return target
        is_last = target in over
        moment = get_due_moment(state, settings, is_last, rounds(state)) if is_last or target in between else ""
        branch = {"when": moment, "round": rounds(state)}
        branches = [
            Send("take_position", {"who": name, **branch})
            for name in list_asked_seats(settings, state["participants"])
            if moment
        ]
        return [*branches, *_send_to_synthesizer(state, settings, is_last)] or target

    return mark_reads(route_through_positions, route)


def route_after_positions(route: Callable[..., RouteTarget], first: str) -> StateFunction[RouteTarget]:
    """Wrap a route so that it leads to the `first` round before the first statement.

    The run cannot be over then.
    """
    next_route: Callable[[Any], RouteTarget] = route if isinstance(route, StateFunction) else mark_reads(route)

    def route_after_positions(state: FloorState) -> RouteTarget:
        return next_route(state) if state["round"] else first

    return mark_reads(route_after_positions, route)


def get_due_moment(state: PositionsState, settings: PositionSettings, is_over: bool, rounds: int) -> str:
    """Return `before`, `round` or `after` if everyone is to be asked now, else an empty text."""
    turn, round = get_last_question(state, settings)
    if settings.positions == "off":
        return ""
    if state["turn"] == 0:
        return "before" if turn < 0 and not is_over else ""
    if is_over:
        return "after" if turn < state["turn"] else ""
    return "round" if settings.positions == "rounds" and rounds > round else ""


def get_last_question(state: PositionsState, settings: PositionSettings) -> tuple[int, int]:
    """Return the turn and round after which participants were last asked, answered or not.

    (−1, −1) before the first question.
    """
    questions = ("declaration", "position") if settings.positions == "rounds" else ("declaration",)
    answered = [
        (position.turn, position.round)
        for position in state["positions"]
        if position.answer and position.who != SYNTHESIZER
    ]
    unanswered = [(incident.turn, incident.round) for incident in state["incidents"] if incident.where in questions]
    return max([*answered, *unanswered], default=(-1, -1))


def _send_to_synthesizer(state: PositionsState, settings: PositionSettings, is_over: bool) -> list[Send]:
    """Start the synthesizer's branch if it has to name the answer and was not asked yet."""
    is_asked = any(position.who == SYNTHESIZER for position in state["positions"])
    is_asked = is_asked or any(incident.where == "answer" for incident in state["incidents"])
    return (
        [Send("name_answer", {"who": SYNTHESIZER})]
        if is_over and settings.needs_naming and state["turn"] and not is_asked
        else []
    )
