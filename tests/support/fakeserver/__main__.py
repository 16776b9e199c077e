"""The server as a program."""

import argparse
import signal
import threading
from functools import partial

from fakeserver.echo import echo_by_hash
from fakeserver.server import FakeServer


def main() -> None:
    """Serve until interrupted or terminated."""
    options = argparse.ArgumentParser(description="An OpenAI-compatible model server that needs no model.")
    options.add_argument("--port", type=int, default=0, help="0: any that is free")
    options.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    options.add_argument("--words", type=int, default=60, help="words of a reply")
    args = options.parse_args()
    event = threading.Event()
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, lambda *_: event.set())
    reply = partial(echo_by_hash, words=args.words)
    with FakeServer(reply=reply, latency=args.latency, port=args.port, keep=False, keep_alive=True) as server:
        print(server.url, flush=True)
        event.wait()


if __name__ == "__main__":
    main()
