"""Route to the next answers, until there are enough."""

from langgraph.types import Send

from ...state import (
    ANSWER_PURPOSE,
    ROUND_ARMS,
    SAMPLE_ARMS,
    WRITING_ARMS,
    IndependentSettings,
    IndependentState,
    compute_sample_count,
    draw_sampled_participant,
    get_last_draw,
    is_budget_spent,
    list_names,
)


def route_to_answers(state: IndependentState, settings: IndependentSettings) -> str | list[Send]:
    """Route to the next statements or answers, which run in parallel, or to `over` if there are enough.

    A spent budget also leads to `over`.
    """
    if is_budget_spent(settings, state["calls"]):
        return "over"
    answer_count, statement_count = (
        get_last_draw(state["calls"], state["incidents"], purpose) for purpose in (ANSWER_PURPOSE, "statement")
    )
    if settings.arm == "rethought" and statement_count < settings.rounds:
        return _send_draws("write_alone", [(name, statement_count + 1) for name in list_names(state["participants"])])
    draws = plan_draws(state, settings, answer_count)
    if settings.arm in WRITING_ARMS and draws and statement_count < draws[-1][1] and settings.arm != "rethought":
        return _send_draws("write_alone", draws)
    return _send_draws("answer_alone", draws) or "over"


def _send_draws(node: str, draws: list[tuple[str, int]]) -> list[Send]:
    return [Send(node, {"who": name, "draw": draw}) for name, draw in draws]


def plan_draws(state: IndependentState, settings: IndependentSettings, draw_count: int) -> list[tuple[str, int]]:
    """Return the next answers to ask for: each participant with the number of its answer.

    `draw_count`: number of the last answer so far.
    """
    seats = list_names(state["participants"])
    if settings.arm in SAMPLE_ARMS:
        groups, draws = settings.sampled_groups or [seats], list[tuple[str, int]]()
        for position in range(1, len(groups) + 1):  # the groups take turns: every so many draws are of the same one
            calls = [call for call in state["calls"] if (call.turn - position) % len(groups) == 0]
            incidents = [incident for incident in state["incidents"] if (incident.turn - position) % len(groups) == 0]
            count = -(-get_last_draw(calls, incidents) // len(groups))
            target_count = compute_sample_count(settings, count, calls)
            # the cost of one is known better after half of them
            next_count = target_count if count else -(-target_count // 2)
            for draw in range(count * len(groups) + position, next_count * len(groups) + 1, len(groups)):
                draws.append((draw_sampled_participant(settings, seats, draw), draw))
        return draws
    if settings.arm in ("alone", "noise", "twice"):
        return [(name, draw_count + 1) for name in seats] if draw_count < settings.rounds else []
    if settings.arm in ROUND_ARMS:
        return [] if draw_count else [(name, max(1, settings.rounds)) for name in seats]
    return [] if draw_count else [(seats[0], 1)]
