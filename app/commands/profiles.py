"""`moot profiles`: the personas a protocol's participants can have."""

from typing import Annotated

from typer import Argument, Option

from ...prompts import profiles as profiles_of
from ..display.plain import as_json
from ..display.screen import QUIET, TITLE, Screen
from ..options import AsJson
from ..protocols import every_protocol, protocol


def profiles(
    name: Annotated[str, Argument(metavar="[PROTOCOL]", help="Only this protocol's.", show_default=False)] = "",
    language: Annotated[str, Option("--language", metavar="TAG", help="In this language.")] = "en",
    json: AsJson = False,
) -> None:
    """Persona profiles: who argues, and how."""
    chosen = [protocol(name).name] if name else list(every_protocol())
    found = {one: profiles_of(one, language) for one in chosen}
    if json:
        print(as_json(found))
        return
    screen = Screen()
    for one, named in found.items():
        for title, seats in named.items():
            screen.line(f"{one} --profile {title}", TITLE)
            for seat in seats:
                screen.line(f"  {seat.seat}: {seat.role}")
                screen.line(f"     {seat.text}", QUIET)
