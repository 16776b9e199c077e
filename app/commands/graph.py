"""`moot graph`: the drawing of a protocol."""

from typing import Annotated

from typer import Argument

from ..drawing import draw
from ..protocols import every_protocol, protocol


def graph(name: Annotated[str, Argument(metavar="PROTOCOL", help=f"One of {', '.join(every_protocol())}.")]) -> None:
    """The drawing of a protocol, as mermaid text."""
    print(draw(protocol(name).module.graph), end="")
