"""Socket of a server."""

import socket

from ...state import InputError

MAX_CONNECTIONS = 1000


def open_listener(host: str, port: int) -> socket.socket:
    """Open a socket that listens on this address. Port 0 is any free port.

    Raises `InputError` if it cannot listen.
    """
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address, family=family, backlog=MAX_CONNECTIONS)
    except OSError as error:
        remedy = f"cannot listen there ({error.strerror or error}); choose another with --port, 0: any that is free"
        raise InputError("--port", port, remedy) from None
