"""`moot mcp`: deliberations as tools of an assistant."""

import asyncio
from importlib.util import find_spec
from typing import Annotated

from typer import Option

from ...state.refused import Refused
from ..options import Database

Model = Annotated[str, Option("--model", metavar="SPEC", help="Model of all who have none, where a tool names none.")]


def mcp(model: Model = "", db: Database = "") -> None:
    """Serve deliberations as tools of an assistant (Model Context Protocol).

    An assistant starts it and asks its tools: council, debate, consensus, panel; start, status, result.
    """
    if find_spec("mcp") is None:
        raise Refused("mcp", "", 'an assistant\'s tools need the package mcp: pip install "moot[mcp]"')
    from .server import serve

    asyncio.run(serve(db, model))
