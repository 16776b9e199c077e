"""`moot diagram`: print the diagram of a protocol's graph."""

from typing import Annotated

from typer import Argument, Option

from ..protocols.registry import get_protocol, map_protocols
from ..report import render_diagram


def diagram(
    name: Annotated[str, Argument(metavar="PROTOCOL", help=f"One of {', '.join(map_protocols())}.")],
    all_nodes: Annotated[bool, Option("--all", help="Show every node instead of every phase.")] = False,
) -> None:
    """Print the diagram of a protocol as Mermaid text."""
    print(render_diagram(get_protocol(name).module.graph, all_nodes=all_nodes), end="")
