"""`moot serve`: show saved and running deliberations in the browser."""

import asyncio
import os
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from ....state import InputError
from ...run.command_options import Database
from ...workers import load_workers


def serve(
    host: Annotated[
        str,
        Option(
            "--host",
            metavar="ADDRESS",
            help="Address to listen on; for other machines, set MOOT_ROOM_TOKEN.",
        ),
    ] = "127.0.0.1",
    port: Annotated[int, Option("--port", metavar="N", min=0, max=65_535, help="Port; 0: any free port.")] = 8765,
    allow_host: Annotated[
        list[str], Option("--allow-host", metavar="NAME", help="Additional host name of the room; repeatable.")
    ] = [],  # noqa: B006 - typer needs the list
    pace: Annotated[
        float,
        Option("--rehearsal-delay", metavar="SECONDS", min=0, max=60, help="Seconds that a rehearsed answer takes."),
    ] = 0.7,
    a2a: Annotated[bool, Option("--a2a", help="Also serve agents to other programs, by A2A at /a2a/NAME.")] = False,
    workers: Annotated[bool, Option("--workers", help="Leave runs to workers (`moot experiment work`).")] = False,
    model: Annotated[
        list[str],
        Option("--model", metavar="SPEC", help="Model of runs that programs start; repeatable."),
    ] = [],  # noqa: B006 - typer needs the list
    language: Annotated[
        str, Option("--language", metavar="TAG", help="Language of runs that programs start [default: English].")
    ] = "",
    api_key_file: Annotated[
        Path | None,
        Option("--api-key-file", metavar="FILE", help="File of keys for programs, one a line [default: a new key]."),
    ] = None,
    new_api_key: Annotated[
        bool, Option("--new-api-key", help="Create a new key for programs, and revoke the old one.")
    ] = False,
    max_starts: Annotated[
        int, Option("--max-starts", metavar="N", min=1, help="Maximum runs that each key may start per minute.")
    ] = 20,
    allow_origin: Annotated[
        list[str],
        Option("--allow-origin", metavar="ORIGIN", help="Origin of a web page that may send questions; repeatable."),
    ] = [],  # noqa: B006 - typer needs the list
    db: Database = "",
) -> None:
    """Use Moot in the browser: start, watch, stop and fork runs.

    Programs can use it as an OpenAI-compatible API at /v1, with models such as moot/council.
    """
    try:
        from ...web.server import (  # needs the extra `web`
            ApiKeys,
            ClientSettings,
            ListenAddress,
            ModelDefaults,
            serve_room,
        )
    except ImportError:
        raise InputError("serve", None, 'the room needs additional packages: pip install "moot[web]"') from None
    build_agents: Any = None
    if a2a:
        try:
            from ...web.a2a_endpoint import build_a2a_endpoint as build_agents  # needs the extra `a2a`
        except ImportError:
            raise InputError("serve", "--a2a", 'agents need additional packages: pip install "moot[a2a]"') from None
    address = ListenAddress(host, port, allow_host, os.environ.get("MOOT_ROOM_TOKEN", "").strip())
    keys, defaults = ApiKeys(api_key_file, new_api_key, db), ModelDefaults(model, language)
    clients = ClientSettings(keys, defaults, frozenset(allow_origin), max_starts)
    with suppress(KeyboardInterrupt):
        asyncio.run(serve_room(address, db, pace, clients, load_workers(db) if workers else None, build_agents))
