"""Ports for servers of a test's own."""

import random
import socket

AT = range(15_000, 32_000)
"""Below those from which systems take the near end of a connection: nobody comes upon one of these by chance, neither
before a server has started nor while it is down."""


def free_port() -> int:
    """One that nobody listens on."""
    while True:
        port = random.SystemRandom().choice(AT)
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        return port
