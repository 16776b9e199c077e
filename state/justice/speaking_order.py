"""Speaking orders of the justice experiment, drawn for one round at a time."""

from collections import Counter
from collections.abc import Sequence

from ..floor import rotate_seats, shuffle_after_finisher, shuffle_seats, spread_last_words
from ..random_streams import Draw, draw_value
from .settings import JusticeSettings


def draw_speaking_order(
    settings: JusticeSettings, round: int, past_orders: Sequence[Sequence[str]]
) -> tuple[list[str], list[Draw]]:
    """Draw the speaking order of a round. Return the participants' ids in order, and the draw.

    `past_orders`: the orders of earlier rounds. The last id of an order counts as the last speaker of its round, even
    after a missed turn. The draw is a list, for the record. For a fixed rotation, the list is empty.
    """
    strategy = settings.discussion.speaking_order
    if strategy == "fixed":
        return rotate_seats(settings.ids, round), []
    finisher = past_orders[-1][-1] if past_orders else None
    shuffled_order, draw = draw_value(
        settings.run_seed,
        ["phase2", "order", round],
        "order",
        lambda rng: (
            shuffle_after_finisher(settings.ids, rng, finisher)
            if strategy == "conversational"
            else shuffle_seats(settings.ids, rng)
        ),
    )
    return spread_last_words(shuffled_order, count_finishes(past_orders), settings.finish_cap, finisher), [draw]


def count_finishes(orders: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return in how many speaking orders each participant is last."""
    return dict(Counter(order[-1] for order in orders if order))
