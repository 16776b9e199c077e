"""`moot mcp`: deliberations as tools of an assistant."""

from importlib.util import find_spec
from typing import Annotated

from typer import Option

from ....state import InputError
from ...run.command_options import Database, flatten_options


@flatten_options
async def mcp(
    model: Annotated[str, Option("--model", metavar="SPEC", help="Model for calls that name no model.")] = "",
    port: Annotated[
        int | None, Option("--port", metavar="N", min=0, max=65_535, help="Serve HTTP on this port; 0: any free port.")
    ] = None,
    host: Annotated[
        str,
        Option(
            "--host",
            metavar="ADDRESS",
            help="Address to listen on; for other machines, set MOOT_MCP_TOKEN.",
        ),
    ] = "127.0.0.1",
    db: Database = "",
) -> None:
    """Serve deliberations as tools of an assistant (MCP).

    An assistant starts this server, or connects to its port, and uses its tools, prompts and resources.
    """
    if find_spec("mcp") is None:
        raise InputError("mcp", "", 'an assistant\'s tools need the package mcp: pip install "moot[mcp]"')
    from .server import serve_tools

    if port is None:
        return await serve_tools(db, model)
    from .http_server import serve_http

    await serve_http(db, model, host, port)
