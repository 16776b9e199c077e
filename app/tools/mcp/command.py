"""`moot mcp`: deliberations as tools of an assistant."""

from importlib.util import find_spec
from typing import Annotated

from typer import Option

from ....state.errors import InputError
from ...run.command_options import Database, flatten_options


@flatten_options
async def mcp(
    model: Annotated[str, Option("--model", metavar="SPEC", help="Model, if a tool names none.")] = "",
    db: Database = "",
) -> None:
    """Serve deliberations as tools of an assistant (MCP).

    An assistant starts this server and calls its tools: council, debate, consensus, panel; start, status, result.
    """
    if find_spec("mcp") is None:
        raise InputError("mcp", "", 'an assistant\'s tools need the package mcp: pip install "moot[mcp]"')
    from .server import serve_tools

    await serve_tools(db, model)
