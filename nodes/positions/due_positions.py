"""Questions about positions that are due before the first turn, after a round, or at the end."""

from collections.abc import Callable

from ...state import (
    SYNTHESIZER,
    AnswerState,
    Branch,
    DecisionState,
    PositionSettings,
    PositionsState,
    Update,
    compute_answer,
    is_budget_spent,
    list_asked_seats,
    mark_reads,
)

ROUND_END_LABELS = ("next round", "a model's turn", "waiting")
"""Labels of next steps after which a round can be complete."""


class DuePositionsState(PositionsState, DecisionState):
    """Channels that determine whose positions to ask for."""


async def measure_answer(state: AnswerState) -> Update:
    """Return the update with the run's answer so far; empty if the answer has not changed."""
    answer = compute_answer(state)
    return Update() if answer == state["answer"] else Update(answer=answer)


def make_position_lister(*, open_rounds: int = 0) -> Callable[[DuePositionsState], list[Branch]]:
    """Make the function that lists the questions about positions to ask before the decided step.

    `open_rounds`: number of rounds that have begun and are not complete. It is 1 in a session, whose floor is never
    empty. The decided step comes after the questions, even if nobody answers them.
    """

    def list_branches(state: DuePositionsState, settings: PositionSettings) -> list[Branch]:
        decision = state["decision"]
        assert decision is not None
        if is_budget_spent(settings, state["calls"]):
            return []
        is_over, count = decision.ending is not None, state["round"] - open_rounds
        moment = ""
        if is_over or decision.next in ROUND_END_LABELS:
            moment = get_due_moment(state, settings, is_over, count)
        seats = list_asked_seats(settings, state["participants"]) if moment else []
        branches = [Branch(node="take_position", who=name, when=moment, round=count) for name in seats]
        if is_over and needs_named_answer(state, settings):
            branches.append(Branch(node="name_answer", who=SYNTHESIZER))
        return branches

    return mark_reads(list_branches)


def get_due_moment(state: PositionsState, settings: PositionSettings, is_over: bool, rounds: int) -> str:
    """Return `before`, `round` or `after` if Moot should ask all participants now, or an empty text.

    `is_over`: whether an ending was found. `rounds`: number of complete rounds.
    """
    turn, round = get_last_question(state, settings)
    if settings.positions == "off":
        return ""
    if state["turn"] == 0:
        return "before" if turn < 0 and not is_over else ""
    if is_over:
        return "after" if turn < state["turn"] else ""
    return "round" if settings.positions == "rounds" and rounds > round else ""


def get_last_question(state: PositionsState, settings: PositionSettings) -> tuple[int, int]:
    """Return the turn and the round in which Moot last asked for positions.

    It does not matter whether anybody answered. Before the first question, return (−1, −1).
    """
    questions = ("declaration", "position") if settings.positions == "rounds" else ("declaration",)
    answer_moments = [
        (position.turn, position.round)
        for position in state["positions"]
        if position.answer and position.who != SYNTHESIZER
    ]
    unanswered = [(incident.turn, incident.round) for incident in state["incidents"] if incident.where in questions]
    return max([*answer_moments, *unanswered], default=(-1, -1))


def needs_named_answer(state: PositionsState, settings: PositionSettings) -> bool:
    """Return whether Moot still has to ask the synthesizer for the run's answer."""
    is_asked = any(position.who == SYNTHESIZER for position in state["positions"])
    is_asked = is_asked or any(incident.where == "answer" for incident in state["incidents"])
    return settings.needs_named_answer and bool(state["turn"]) and not is_asked
