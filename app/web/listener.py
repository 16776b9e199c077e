"""Socket and limits of a server."""

import socket
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from ...state import InputError
from .connection import RoomConnection

MAX_CONNECTIONS = 1000


def open_listener(host: str, port: int) -> socket.socket:
    """Open a socket that listens on this address. Port 0 is any free port.

    Raises `InputError` if it cannot listen.
    """
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address, family=family, backlog=MAX_CONNECTIONS)
    except OSError as error:
        raise InputError(
            "--port",
            port,
            f"cannot listen there ({error.strerror or error}); choose another with --port, 0: any that is free",
        ) from None


def make_server_config(app: ASGIApp, **options: Any) -> uvicorn.Config:
    """Return the configuration of a server with limits on connections and headers."""
    return uvicorn.Config(
        app,
        log_level="warning",
        server_header=False,
        access_log=False,
        http=RoomConnection,
        ws="none",
        limit_concurrency=MAX_CONNECTIONS,
        **options,
    )
