"""Who is asked next for an answer of its own, and when there are enough."""

from langgraph.types import Send

from ...state.budget import is_spent
from ...state.draw import stream
from ...state.independent import AnswersAlone, IndependentRules, last_draw, samples_wanted
from ...state.statement import names


def next_answers(state: AnswersAlone, rules: IndependentRules) -> str | list[Send]:
    """The next answers, side by side; `over` where there are enough, or no more can be paid for."""
    if is_spent(rules, state["calls"]):
        return "over"
    drawn = last_draw(state["calls"], state["incidents"])
    return [Send("answer_alone", {"who": who, "draw": draw}) for who, draw in asked_next(state, rules, drawn)] or "over"


def asked_next(state: AnswersAlone, rules: IndependentRules, drawn: int) -> list[tuple[str, int]]:
    """Who is asked, and for which answer, once `drawn` of them were asked."""
    seats = names(state["participants"])
    if rules.arm == "samples":
        wanted = samples_wanted(rules, drawn, state["calls"])
        batch = wanted if drawn else -(-wanted // 2)  # what one costs is known better after half of them
        return [(_by_lot(seats, rules, draw), draw) for draw in range(drawn + 1, batch + 1)]
    if rules.arm in ("alone", "noise"):
        return [(who, drawn + 1) for who in seats] if drawn < rules.rounds else []
    return [] if drawn else [(seats[0], 1)]


def _by_lot(seats: list[str], rules: IndependentRules, draw: int) -> str:
    """A participant drawn with replacement."""
    return stream(rules.seed or 0, rules.arm, "participant", draw).choice(seats)
