"""Node that opens a round: it lists the round's speakers in order in the channel `floor`."""

import math
from collections.abc import Callable

from ..state import (
    FloorState,
    RecordState,
    TaskState,
    TurnOrderSettings,
    Update,
    check_floor,
    list_missed_turns,
    list_names,
    load_chosen_plugin,
    make_rng,
    mark_reads,
    order_least_spoken,
    order_round_robin,
    select_by_setting,
    shuffle_seats,
    spread_last_words,
)


class TurnOrderState(TaskState, FloorState, RecordState):
    """Channels that a turn order may read."""


TurnOrder = Callable[[TurnOrderState], list[str]]
"""Pure function of the state that lists the speakers of the next round in order.

A turn order that names settings is wrapped by `mark_reads`.
"""


def order_by_seat(state: TurnOrderState) -> list[str]:
    """Return the names of all participants in seat order."""
    return [participant.name for participant in state["participants"]]


def fill_floor(turn_order: TurnOrder) -> Callable[[TurnOrderState], object]:
    """Build the node that opens a round with the speakers that `turn_order` returns."""

    async def fill_floor(state: TurnOrderState) -> Update:
        """Open a round and list its speakers.

        Reads participants, settings, round, history, incidents; writes floor and round.
        """
        speakers = turn_order(state)
        check_floor(speakers, list_names(state["participants"]))
        return Update(floor=speakers, round=state["round"] + 1)

    return mark_reads(fill_floor, turn_order)


@select_by_setting("turn_order")
def order_by_setting(state: TurnOrderState, settings: TurnOrderSettings) -> list[str]:
    """Return the speakers of a round in the order that the setting `turn_order` selects."""
    seats = list_names(state["participants"])
    if settings.turn_order == "least_spoken":
        return order_least_spoken(seats, [statement.speaker for statement in state["history"]])
    if settings.turn_order == "shuffled":
        speakers = shuffle_seats(seats, make_rng(settings.seed or 0, "order", state["round"] + 1))
        turns = [(statement.turn, statement.round, statement.speaker) for statement in state["history"]]
        turns += [
            (incident.turn, incident.round, incident.who)
            for incident in list_missed_turns(state["incidents"])
            if incident.turn
        ]
        speaker_by_round: dict[int, str] = {round: name for _, round, name in sorted(turns)}
        last_speakers = [speaker_by_round[round] for round in sorted(speaker_by_round) if round]
        rounds = settings.max_rounds or math.ceil((settings.max_turns or 4 * len(seats)) / len(seats))
        cap = settings.max_finishes_per_participant or math.ceil(rounds / len(seats))
        counts = {name: last_speakers.count(name) for name in seats}
        return spread_last_words(speakers, counts, cap, last_speakers[-1] if last_speakers else None)
    plugin_order: TurnOrder | None = load_chosen_plugin(settings, "turn_order")
    return plugin_order(state) if plugin_order else order_round_robin(seats)
