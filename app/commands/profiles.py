"""`moot profiles`: list the personas available to a protocol's participants."""

from typing import Annotated

from typer import Argument, Option

from ...prompts import load_profiles
from ..display import QUIET_STYLE, TITLE_STYLE, Screen, format_json
from ..protocols.registry import get_protocol, map_protocols
from ..run.command_options import AsJson


def profiles(
    name: Annotated[str, Argument(metavar="[PROTOCOL]", help="Protocol [default: all].", show_default=False)] = "",
    language: Annotated[str, Option("--language", metavar="TAG", help="Language of the profiles.")] = "en",
    json: AsJson = False,
) -> None:
    """List the persona profiles of the protocols."""
    protocol_names = [get_protocol(name).name] if name else list(map_protocols())
    protocol_profiles = {protocol_name: load_profiles(protocol_name, language) for protocol_name in protocol_names}
    if json:
        return print(format_json(protocol_profiles))
    screen = Screen()
    for protocol_name, seats_by_title in protocol_profiles.items():
        for title, seats in seats_by_title.items():
            screen.show_line(f"{protocol_name} --profile {title}", TITLE_STYLE)
            for seat in seats:
                screen.show_line(f"  {seat.seat}: {seat.role}")
                screen.show_line(f"     {seat.text}", QUIET_STYLE)
