"""`moot consensus`: three or more look for common ground."""

from dataclasses import dataclass, field
from typing import Annotated, Any

from typer import Option

from ..begin import about, begin
from ..options import Knobs, Material, People, Text, Topic, View, seats_of, spread


@dataclass(frozen=True)
class Group:
    """Who takes part in a group, and how it agrees."""

    people: People = field(default_factory=list)
    max_rounds: Annotated[int | None, Option("--max-rounds", metavar="N", help="Rounds at most.")] = None
    turn_order: Annotated[
        Text, Option("--turn-order", metavar="ORDER", help="round_robin, least_spoken, yield_floor or shuffled.")
    ] = None
    convergence: Annotated[
        Text, Option("--convergence", metavar="HOW", help="Measured by: declared, lexical, embedding or judge.")
    ] = None
    vote: Annotated[Text, Option("--vote", metavar="RULE", help="Counting rule of a closing vote, or off.")] = None

    def given(self) -> dict[str, Any]:
        """The input and knobs that were given."""
        knobs = {key: value for key, value in vars(self).items() if key != "people"}
        return knobs | {"participants": seats_of(self.people) or None}


@spread
def consensus(topic: Topic = None, material: Material = None, *, group: Group, knobs: Knobs, view: View) -> None:
    """Three or more look for common ground; dissent is kept."""
    begin("consensus", about(topic, material) | group.given(), knobs, view)
