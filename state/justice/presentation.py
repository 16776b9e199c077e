"""Order in which prompts present principles, distributions, and the question whether to start a vote.

The order changes only positions in a prompt: each principle keeps its number, and each distribution its name. So the
same digit means the same principle in every answer.
"""

import random
from collections.abc import Sequence
from typing import Final, TypeVar

from pydantic import Field

from ..floor import shuffle_seats
from ..frozen_models import FrozenModel
from ..random_streams import Draw, draw_value
from .income import DISTRIBUTION_IDS, DistributionId
from .principle import PRINCIPLES, Principle, get_ballot_number
from .settings import JusticeSettings

T = TypeVar("T", bound=str)

BALANCED_ORDERS: Final = ("1243", "2314", "3421", "4132")
"""Four orders of four items, balanced for position and sequence (Williams, 1949).

Each item stands once in each position, and once directly after each other item.
"""


class Presentation(FrozenModel):
    """Order of principles and distributions in the prompts of one participant."""

    principles: list[Principle] = Field(
        default=list(PRINCIPLES), description="Principles, in the order of the prompts."
    )
    distributions: list[DistributionId] = Field(
        default=list(DISTRIBUTION_IDS), description="Distributions, in the order of the table columns."
    )

    @property
    def numbers(self) -> str:
        """Return the numbers of the principles in order, as in "3, 1, 4, 2"."""
        return ", ".join(str(get_ballot_number(principle)) for principle in self.principles)

    @property
    def columns(self) -> str:
        """Return the names of the distributions in order, as in "D2, D1, D4, D3"."""
        return ", ".join(self.distributions)


def draw_presentation(settings: JusticeSettings, participant: str) -> tuple[Presentation, list[Draw]]:
    """Return the order of presentation for a participant, and the draws behind it.

    Repeated calls return the same. Each block of four participants in the roster shares its draws. Only the first
    participant of a block returns them. A fixed order has no draws.
    """
    checks, position = settings.checks, settings.ids.index(participant)
    principles, distributions, draws = list(PRINCIPLES), list(DISTRIBUTION_IDS), list[Draw]()
    if checks.principle_order == "counterbalanced":
        principles, draw = _pick_balanced_order(settings.run_seed, "principles", PRINCIPLES, position)
        draws.append(draw)
    if checks.distribution_order == "counterbalanced":
        distributions, draw = _pick_balanced_order(settings.run_seed, "distributions", DISTRIBUTION_IDS, position)
        draws.append(draw)
    presentation = Presentation(principles=principles, distributions=distributions)
    return presentation, [] if position % len(BALANCED_ORDERS) else draws


def _pick_balanced_order(seed: int, kind: str, items: Sequence[T], position: int) -> tuple[list[T], Draw]:
    block, row = divmod(position, len(BALANCED_ORDERS))
    orders, draw = draw_value(seed, ["phase1", "order", kind, block], "order", _shuffle_balanced_orders)
    return [items[int(number) - 1] for number in orders[row]], draw


def _shuffle_balanced_orders(rng: random.Random) -> list[str]:
    labels = shuffle_seats(list("1234"), rng)
    return shuffle_seats(["".join(labels[int(number) - 1] for number in row) for row in BALANCED_ORDERS], rng)


def draw_initiation_order(settings: JusticeSettings, round: int) -> tuple[list[str], list[Draw]]:
    """Draw the order in which participants are asked whether to start a vote. Return ids and draw.

    The draw is a list, for the record. For a fixed order, the list is empty.
    """
    if settings.voting.initiation_order == "roster":
        return settings.ids, []
    order, draw = draw_value(
        settings.run_seed, ["phase2", "initiation", round], "order", lambda rng: shuffle_seats(settings.ids, rng)
    )
    return order, [draw]
