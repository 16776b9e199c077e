"""`moot serve`: the room, saved runs and live ones in the browser."""

import os
from pathlib import Path
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
Models = Annotated[
    list[str], Option("--model", metavar="SPEC", help="A model that programs' questions are asked of; again for more.")
]
Language = Annotated[str, Option("--language", metavar="TAG", help="Language of what programs ask; none: English.")]
KeyFile = Annotated[
    Path | None, Option("--api-key-file", metavar="FILE", help="Keys for programs, one a line; none: one is made.")
]
NewKey = Annotated[bool, Option("--new-api-key", help="Make another key for programs; the one before opens no more.")]
Origins = Annotated[
    list[str], Option("--allow-origin", metavar="ORIGIN", help="Web pages that may ask as programs do; again for more.")
]

Handed = Annotated[bool, Option("--workers", help="Leave runs to workers: `moot experiment work`.")]


def serve(
    host: Host = "127.0.0.1",
    port: Port = 8765,
    allow_host: Names = [],  # noqa: B006 - typer needs the list
    pace: Pace = 0.7,
    workers: Handed = False,
    model: Models = [],  # noqa: B006 - typer needs the list
    language: Language = "",
    api_key_file: KeyFile = None,
    new_api_key: NewKey = False,
    allow_origin: Origins = [],  # noqa: B006 - typer needs the list
    db: Database = "",
) -> None:
    """Open the room in the browser: begin, watch, stop, fork and compare deliberations.

    Programs ask it as they ask OpenAI: at /v1, of models such as moot/council.
    """
    try:
        from ...web.serve import Clients, Keys, Place, Seating, serve_until_interrupted  # needs the extra `web`
    except ImportError:
        raise Refused("serve", None, 'the room needs packages of its own: pip install "moot[web]"') from None
    place = Place(host, port, allow_host, os.environ.get("MOOT_ROOM_TOKEN", "").strip())
    clients = Clients(Keys(api_key_file, new_api_key), Seating(model, language), frozenset(allow_origin))
    serve_until_interrupted(place, db, pace, clients, work_of(db) if workers else None)
