"""`moot settings`: list the settings of a protocol."""

from typing import Annotated

from typer import Argument

from ..display import QUIET_STYLE, TITLE_STYLE, Screen, format_json
from ..protocols.registry import get_protocol, map_protocols
from ..run.command_options import AsJson
from ..schema_fields import list_settings


def settings(
    name: Annotated[str, Argument(metavar="PROTOCOL", help=f"One of {', '.join(map_protocols())}.")],
    json: AsJson = False,
) -> None:
    """List all settings of a protocol with bounds and defaults."""
    entries = list_settings(get_protocol(name).graph.context_schema)
    if json:
        return print(
            format_json(
                [
                    {key: getattr(entry, key) for key in ("name", "type", "bounds", "default", "meaning")}
                    for entry in entries
                ]
            )
        )
    screen = Screen()
    for entry in entries:
        default = "none" if entry.default is None else format_json(entry.default, None)
        screen.show_prose(
            f"{entry.name}: {', '.join(filter(None, [entry.type, entry.bounds, f'default {default}']))}", TITLE_STYLE
        )
        screen.show_prose(f"  {entry.meaning}", QUIET_STYLE)
