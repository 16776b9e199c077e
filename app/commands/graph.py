"""`moot graph`: the diagram of a protocol."""

from typing import Annotated

from typer import Argument

from ..protocols.protocol import get_protocol, list_protocols
from ..report.diagram import render_diagram


def graph(name: Annotated[str, Argument(metavar="PROTOCOL", help=f"One of {', '.join(list_protocols())}.")]) -> None:
    """The drawing of a protocol, as mermaid text."""
    print(render_diagram(get_protocol(name).module.graph), end="")
