"""Speaking orders of the justice experiment, drawn for one round at a time."""

from collections import Counter
from collections.abc import Sequence

from ..draw import Draw, drawn
from ..floor import conversational, rotation, shuffled, spread_endings
from .rules import JusticeRules


def speaking_order(rules: JusticeRules, round: int, former: Sequence[Sequence[str]]) -> tuple[list[str], list[Draw]]:
    """The order of participant ids in a round, and the draw behind it; a fixed rotation draws nothing.

    `former` holds the orders of the rounds before: the last of each has finished it, also where that turn was skipped.
    """
    strategy = rules.discussion.speaking_order
    if strategy == "fixed":
        return rotation(rules.ids, round), []
    finisher = former[-1][-1] if former else None
    shuffle, draw = drawn(
        rules.run_seed,
        ["phase2", "order", round],
        "order",
        lambda rng: (
            conversational(rules.ids, rng, finisher) if strategy == "conversational" else shuffled(rules.ids, rng)
        ),
    )
    return spread_endings(shuffle, finisher_counts(former), rules.finish_cap, finisher), [draw]


def finisher_counts(orders: Sequence[Sequence[str]]) -> dict[str, int]:
    """How often each has had the last place of a round."""
    return dict(Counter(order[-1] for order in orders if order))
