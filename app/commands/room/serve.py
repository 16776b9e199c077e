"""`moot serve`: the room, saved runs and live ones in the browser."""

import os
from pathlib import Path
from typing import Annotated

from typer import Option

from ....state.errors import InputError
from ...run.command_options import Database
from ...workers import load_workers


def serve(
    host: Annotated[
        str,
        Option("--host", metavar="ADDRESS", help="Where to listen; beyond this machine only with MOOT_ROOM_TOKEN set."),
    ] = "127.0.0.1",
    port: Annotated[
        int, Option("--port", metavar="N", min=0, max=65_535, help="The port; 0: any that is free.")
    ] = 8765,
    allow_host: Annotated[
        list[str], Option("--allow-host", metavar="NAME", help="Another name it is called by; again for more.")
    ] = [],  # noqa: B006 - typer needs the list
    pace: Annotated[
        float, Option("--pace", metavar="SECONDS", min=0, max=60, help="What a rehearsed answer takes, to be followed.")
    ] = 0.7,
    workers: Annotated[bool, Option("--workers", help="Leave runs to workers: `moot experiment work`.")] = False,
    model: Annotated[
        list[str],
        Option("--model", metavar="SPEC", help="A model that programs' questions are asked of; again for more."),
    ] = [],  # noqa: B006 - typer needs the list
    language: Annotated[
        str, Option("--language", metavar="TAG", help="Language of what programs ask; none: English.")
    ] = "",
    api_key_file: Annotated[
        Path | None, Option("--api-key-file", metavar="FILE", help="Keys for programs, one a line; none: one is made.")
    ] = None,
    new_api_key: Annotated[
        bool, Option("--new-api-key", help="Make another key for programs; the one before opens no more.")
    ] = False,
    allow_origin: Annotated[
        list[str],
        Option("--allow-origin", metavar="ORIGIN", help="Web pages that may ask as programs do; again for more."),
    ] = [],  # noqa: B006 - typer needs the list
    db: Database = "",
) -> None:
    """Open the room in the browser: begin, watch, stop, fork and compare deliberations.

    Programs ask it as they ask OpenAI: at /v1, of models such as moot/council.
    """
    try:
        from ...web.server import (  # needs the extra `web`
            Clients,
            Keys,
            ListenAddress,
            ModelDefaults,
            serve_until_interrupted,
        )
    except ImportError:
        raise InputError("serve", None, 'the room needs packages of its own: pip install "moot[web]"') from None
    address = ListenAddress(host, port, allow_host, os.environ.get("MOOT_ROOM_TOKEN", "").strip())
    clients = Clients(Keys(api_key_file, new_api_key), ModelDefaults(model, language), frozenset(allow_origin))
    serve_until_interrupted(address, db, pace, clients, load_workers(db) if workers else None)
