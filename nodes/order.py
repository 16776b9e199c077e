"""Fill the floor: who speaks in the round to come, in which order."""

import math
from collections.abc import Callable, Sequence

from ..state.deliberation import Floor, Given, Record
from ..state.draw import stream
from ..state.floor import check_floor, least_spoken, round_robin, shuffled, spread_endings
from ..state.incident import Incident, passed_over
from ..state.installed.chosen import chosen
from ..state.requirements import choosing, reading
from ..state.rules import TurnOrderRules
from ..state.statement import Statement, names
from ..state.writes import Update


class Ordering(Given, Floor, Record):
    """What an order may depend on."""


Order = Callable[[Ordering], list[str]]
"""A pure function of the state: the speakers of the round to come, first one first; a `reading` if it names rules."""


def seats(state: Ordering) -> list[str]:
    """Everyone once, in seat order."""
    return [one.name for one in state["participants"]]


def order(fill: Order) -> Callable[[Ordering], object]:
    """The step that opens a round whose speakers are given by `fill`."""

    async def order(state: Ordering) -> Update:
        """Open a round and fill its floor.

        Reads participants, rules, round, history, incidents; writes floor and round.
        """
        floor = fill(state)
        check_floor(floor, names(state["participants"]))
        return Update(floor=floor, round=state["round"] + 1)

    return reading(order, fill)


@choosing("turn_order")
def by_turn_order(state: Ordering, rules: TurnOrderRules) -> list[str]:
    """The floor under the run's `turn_order`."""
    seats = names(state["participants"])
    if rules.turn_order == "least_spoken":
        return least_spoken(seats, [statement.speaker for statement in state["history"]])
    if rules.turn_order == "shuffled":
        return _shuffled(state, seats, rules)
    own: Order | None = chosen(rules, "turn_order")
    return own(state) if own else round_robin(seats)


def _shuffled(state: Ordering, seats: list[str], rules: TurnOrderRules) -> list[str]:
    """A shuffle from the round's own stream, with the last words spread over the participants."""
    drawn = shuffled(seats, stream(rules.seed or 0, "order", state["round"] + 1))
    last = finishers(state["history"], state["incidents"])
    rounds = rules.max_rounds or math.ceil((rules.max_turns or 4 * len(seats)) / len(seats))
    cap = rules.max_finishes_per_participant or math.ceil(rounds / len(seats))
    counts = {name: last.count(name) for name in seats}
    return spread_endings(drawn, counts, cap, last[-1] if last else None)


def finishers(history: Sequence[Statement], incidents: Sequence[Incident]) -> list[str]:
    """Who had the last turn of each round so far, whether or not it was used."""
    turns = [(statement.turn, statement.round, statement.speaker) for statement in history]
    turns += [(missed.turn, missed.round, missed.who) for missed in passed_over(incidents) if missed.turn]
    last: dict[int, str] = {round: who for _, round, who in sorted(turns)}
    return [last[round] for round in sorted(last) if round]
