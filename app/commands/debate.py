"""`moot debate`: two speakers, for and against."""

from dataclasses import dataclass, field
from typing import Annotated, Any

from typer import Option

from ..begin import about, begin
from ..options import Knobs, Material, People, Text, Topic, View, seats_of, spread


@dataclass(frozen=True)
class Sides:
    """The two sides' own personas."""

    pro: Annotated[Text, Option("--pro", metavar="PERSONA", help="Who argues for it, in your own words.")] = None
    con: Annotated[Text, Option("--con", metavar="PERSONA", help="Who argues against it.")] = None
    people: People = field(default_factory=list)

    def given(self) -> dict[str, Any]:
        """The personas that were given, by side, and who sits there, first for it, then against."""
        personas = {side: text for side, text in (("pro", self.pro), ("con", self.con)) if text is not None}
        return {"personas": personas or None, "participants": seats_of(self.people) or None}


@spread
def debate(topic: Topic = None, material: Material = None, *, sides: Sides, knobs: Knobs, view: View) -> None:
    """Two speakers, for and against, until one concedes or they are stuck."""
    begin("debate", about(topic, material) | sides.given(), knobs, view)
