"""In which order things are put before participants: principles, distributions, and the question who starts a vote.

The number of a principle and the name of a distribution stay its own: what moves is the place where it is told. So a
digit in an answer means the same principle for everyone, in every order, and no answer has to be mapped back.
"""

import random
from collections.abc import Sequence
from typing import Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from ..draw import Draw, drawn
from ..floor import shuffled
from .income import DISTRIBUTION_IDS, DistributionId
from .principle import PRINCIPLES, Principle, number_of
from .rules import JusticeRules

T = TypeVar("T", bound=str)

BALANCED: Final = ("1243", "2314", "3421", "4132")
"""Four orders of four: each stands in each place once, and each follows each other once (Williams, 1949)."""


class Presentation(BaseModel):
    """The order in which one participant is told of principles and distributions."""

    model_config = ConfigDict(frozen=True)

    principles: list[Principle] = Field(default=list(PRINCIPLES), description="The principles, as they are listed.")
    distributions: list[DistributionId] = Field(
        default=list(DISTRIBUTION_IDS), description="The distributions, as the columns of tables stand."
    )

    @property
    def numbers(self) -> str:
        """The principles by number: "3, 1, 4, 2"."""
        return ", ".join(str(number_of(each)) for each in self.principles)

    @property
    def columns(self) -> str:
        """The distributions by name: "D2, D1, D4, D3"."""
        return ", ".join(self.distributions)


def presentation(rules: JusticeRules, participant: str) -> tuple[Presentation, list[Draw]]:
    """The orders of the participant with this id, and the draws behind them: the same whenever it is asked for.

    Four in a row of the roster share a draw, which is handed out with the first of them; fixed orders draw nothing.
    """
    checks, place = rules.checks, rules.ids.index(participant)
    principles, distributions, draws = list(PRINCIPLES), list(DISTRIBUTION_IDS), list[Draw]()
    if checks.principle_order == "counterbalanced":
        principles, draw = _balanced(rules.run_seed, "principles", PRINCIPLES, place)
        draws.append(draw)
    if checks.distribution_order == "counterbalanced":
        distributions, draw = _balanced(rules.run_seed, "distributions", DISTRIBUTION_IDS, place)
        draws.append(draw)
    shown = Presentation(principles=principles, distributions=distributions)
    return shown, [] if place % len(BALANCED) else draws


def _balanced(seed: int, what: str, items: Sequence[T], place: int) -> tuple[list[T], Draw]:
    """The order for this place in the roster, from 0, and the draw of the four orders it is one of."""
    block, row = divmod(place, len(BALANCED))
    orders, draw = drawn(seed, ["phase1", "order", what, block], "order", _square)
    return [items[int(number) - 1] for number in orders[row]], draw


def _square(rng: random.Random) -> list[str]:
    """The balanced orders with their numbers exchanged at random, in random order."""
    labels = shuffled(list("1234"), rng)
    return shuffled(["".join(labels[int(number) - 1] for number in row) for row in BALANCED], rng)


def initiation_order(rules: JusticeRules, round: int) -> tuple[list[str], list[Draw]]:
    """In which order ids are asked after a round whether to start a vote, and the draw behind it, if any."""
    if rules.voting.initiation_order == "roster":
        return rules.ids, []
    order, draw = drawn(rules.run_seed, ["phase2", "initiation", round], "order", lambda rng: shuffled(rules.ids, rng))
    return order, [draw]
