"""`moot knobs`: every knob of a protocol."""

from typing import Annotated

from typer import Argument

from ..display.plain import as_json
from ..display.screen import QUIET, TITLE, Screen
from ..knobs import knobs_of
from ..options import AsJson
from ..protocols import every_protocol, protocol


def knobs(
    name: Annotated[str, Argument(metavar="PROTOCOL", help=f"One of {', '.join(every_protocol())}.")],
    json: AsJson = False,
) -> None:
    """Every knob of a protocol: type, bounds, default and meaning."""
    found = knobs_of(protocol(name).build().context_schema)
    if json:
        print(as_json([one._asdict() for one in found]))
        return
    screen = Screen()
    for one in found:
        default = "none" if one.default is None else as_json(one.default, None)
        screen.prose(f"{one.name}: {', '.join(filter(None, [one.type, one.bounds, f'default {default}']))}", TITLE)
        screen.prose(f"  {one.meaning}", QUIET)
