"""A PostgreSQL server of a test's own, from the programs the system has, in a folder that goes away."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

OWNER = "postgres"
"""Who runs the server when the tests run as root, which it refuses."""


def programs() -> Path:
    """The folder of the newest server there is; raises RuntimeError with the remedy if there is none."""
    newest = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda found: int(found.parts[4]))
    found = newest[-1] if newest else shutil.which("postgres")
    if not found:
        raise RuntimeError("needs PostgreSQL: apt-get install postgresql")
    return Path(found).parent


@contextmanager
def server() -> Iterator[str]:
    """The address of a server that lives as long as the block."""
    user = OWNER if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="moot-pg-"))
    if user:
        shutil.chown(folder, user)
    data, port = folder / "data", free_port()
    make = [programs() / "initdb", "-D", data, "-U", OWNER, "-A", "trust", "-E", "UTF8", "--no-sync"]
    subprocess.run(make, user=user, cwd=folder, check=True, capture_output=True)
    options = ["-c", "fsync=off", "-c", "listen_addresses=127.0.0.1"]
    run = [programs() / "postgres", "-D", data, "-k", folder, "-p", str(port), *options]
    with (folder / "log").open("w") as log, subprocess.Popen(run, user=user, cwd=folder, stderr=log) as process:
        try:
            yield ready(f"postgresql://{OWNER}@127.0.0.1:{port}/postgres")
        finally:
            process.terminate()
    shutil.rmtree(folder)


def ready(address: str) -> str:
    """The address, once the server answers."""
    import psycopg

    until = time.monotonic() + 30
    while True:
        try:
            psycopg.connect(address).close()
            return address
        except psycopg.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port
