"""Route to the next answers, until there are enough."""

from langgraph.types import Send

from ...state.budget import is_budget_spent
from ...state.independent import IndependentSettings, IndependentState, compute_sample_count, get_last_draw
from ...state.random_streams import make_rng
from ...state.statement import list_names


def route_to_answers(state: IndependentState, settings: IndependentSettings) -> str | list[Send]:
    """Route to the next answers at the same time, or to `over` if there are enough or the budget is spent."""
    if is_budget_spent(settings, state["calls"]):
        return "over"
    draw_count = get_last_draw(state["calls"], state["incidents"])
    return [
        Send("answer_alone", {"who": name, "draw": draw}) for name, draw in plan_draws(state, settings, draw_count)
    ] or "over"


def plan_draws(state: IndependentState, settings: IndependentSettings, draw_count: int) -> list[tuple[str, int]]:
    """Plan whom to ask next, with the numbers of the answers, after `draw_count` answers."""
    seats = list_names(state["participants"])
    if settings.arm == "samples":
        target_count = compute_sample_count(settings, draw_count, state["calls"])
        # the cost of one is known better after half of them
        last_draw = target_count if draw_count else -(-target_count // 2)
        return [
            (make_rng(settings.seed or 0, settings.arm, "participant", draw).choice(seats), draw)
            for draw in range(draw_count + 1, last_draw + 1)
        ]
    if settings.arm in ("alone", "noise"):
        return [(name, draw_count + 1) for name in seats] if draw_count < settings.rounds else []
    return [] if draw_count else [(seats[0], 1)]
