"""`moot debate`: two speakers argue for and against a motion."""

from dataclasses import dataclass, field
from typing import Annotated, Any

from typer import Option

from ..run import (
    Material,
    OptionalText,
    People,
    RunOptions,
    Topic,
    ViewOptions,
    build_topic_input,
    flatten_options,
    parse_seats,
    start_run,
)


@dataclass(frozen=True)
class SideOptions:
    """Options for the personas of the two sides, and for the participants."""

    pro: Annotated[OptionalText, Option("--pro", metavar="PERSONA", help="Persona of the side in favour.")] = None
    con: Annotated[OptionalText, Option("--con", metavar="PERSONA", help="Persona of the side against.")] = None
    people: People = field(default_factory=list)

    def collect_values(self) -> dict[str, Any]:
        """Return the input: personas by side, and the participants, the one for the motion first."""
        personas = {side: text for side, text in (("pro", self.pro), ("con", self.con)) if text is not None}
        return {"personas": personas or None, "participants": parse_seats(self.people) or None}


@flatten_options
def debate(
    topic: Topic = None, material: Material = None, *, sides: SideOptions, options: RunOptions, view: ViewOptions
) -> None:
    """Debate a motion until one side concedes or both are stuck."""
    start_run("debate", build_topic_input(topic, material) | sides.collect_values(), options, view)
