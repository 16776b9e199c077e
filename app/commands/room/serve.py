"""`moot serve`: the room, saved runs and live ones in the browser."""

import os
from typing import Annotated

from typer import Option

from ....state.refused import Refused
from ...options import Database
from ...workers import work_of

Host = Annotated[
    str, Option("--host", metavar="ADDRESS", help="Where to listen; beyond this machine only with MOOT_ROOM_TOKEN set.")
]
Port = Annotated[int, Option("--port", metavar="N", min=0, max=65_535, help="The port; 0: any that is free.")]
Names = Annotated[
    list[str], Option("--allow-host", metavar="NAME", help="Another name it is called by; again for more.")
]
Pace = Annotated[
    float, Option("--pace", metavar="SECONDS", min=0, max=60, help="What a rehearsed answer takes, to be followed.")
]

Handed = Annotated[bool, Option("--workers", help="Leave runs to workers: `moot experiment work`.")]


def serve(
    host: Host = "127.0.0.1",
    port: Port = 8765,
    allow_host: Names = [],  # noqa: B006 - typer needs the list
    pace: Pace = 0.7,
    workers: Handed = False,
    db: Database = "",
) -> None:
    """Open the room in the browser: begin, watch, stop, fork and compare deliberations."""
    try:
        from ...web.serve import Place, serve_until_interrupted  # needs the extra `web`
    except ImportError:
        raise Refused("serve", None, 'the room needs packages of its own: pip install "moot[web]"') from None
    place = Place(host, port, allow_host, os.environ.get("MOOT_ROOM_TOKEN", "").strip())
    serve_until_interrupted(place, db, pace, work_of(db) if workers else None)
