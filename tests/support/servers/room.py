"""`moot serve` as a process of its own, on a free port, and what a browser or another program asks of it."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from command import PROGRAM


class Room:
    """An open room. `address`: as it was printed, with the token that opens once."""

    def __init__(self, process: "subprocess.Popen[str]", address: str) -> None:
        self.process, self.address = process, address
        self.root = address.partition("/enter")[0].rstrip("/")

    @contextmanager
    def client(self) -> Iterator[httpx.Client]:
        """Somebody who has come in, and writes from the room's own pages."""
        with httpx.Client(base_url=self.root, headers={"origin": self.root}, timeout=30, trust_env=False) as client:
            assert client.get(self.address).headers["location"] == "/"
            yield client

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate(timeout=30)


@contextmanager
def open_room(folder: Path, *words: str, port: int = 0, **env: str) -> Iterator[Room]:
    """A room on the database of a folder; `words`: further options."""
    called = [PROGRAM, "serve", "--port", str(port), "--db", str(folder / "moot.db"), *words]
    place = {"XDG_DATA_HOME": str(folder / "data"), "XDG_CONFIG_HOME": str(folder / "config")}
    pipe = subprocess.PIPE
    process = subprocess.Popen(called, stdout=pipe, stderr=pipe, text=True, env={**os.environ, **place, **env})
    assert process.stdout
    line = process.stdout.readline().strip()
    assert line.startswith("http://"), process.communicate(timeout=30)
    try:
        yield Room(process, line)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=30)


def page_with(client: httpx.Client, path: str, sign: str) -> str:
    """The page of a run or a seat once it shows this; it is looked at whenever its events tell of something."""
    with client.stream("GET", f"{path}/events") as events:
        for line in events.iter_lines():
            assert line != ": here", f"nothing happens, and the page shows no {sign!r}"
            if line.startswith("event:") and sign in (page := client.get(path).text):
                return page
    raise AssertionError(f"the events of {path} have ended")
