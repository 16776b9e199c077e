"""`moot debate`: two speakers, for and against."""

from dataclasses import dataclass
from typing import Annotated

from typer import Option

from ..begin import about, begin
from ..options import Knobs, Material, Text, Topic, View, spread


@dataclass(frozen=True)
class Sides:
    """The two sides' own personas."""

    pro: Annotated[Text, Option("--pro", metavar="PERSONA", help="Who argues for it, in your own words.")] = None
    con: Annotated[Text, Option("--con", metavar="PERSONA", help="Who argues against it.")] = None

    def personas(self) -> dict[str, str]:
        """The personas that were given, by side."""
        return {side: text for side, text in vars(self).items() if text is not None}


@spread
def debate(topic: Topic = None, material: Material = None, *, sides: Sides, knobs: Knobs, view: View) -> None:
    """Two speakers, for and against, until one concedes or they are stuck."""
    begin("debate", about(topic, material) | {"personas": sides.personas() or None}, knobs, view)
