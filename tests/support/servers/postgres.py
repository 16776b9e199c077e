"""A PostgreSQL server of a test's own, from the programs the system has, in a folder that goes away."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from ports import free_port

OWNER = "postgres"
"""Who runs the server when the tests run as root, which it refuses."""

OPTIONS = ["-c", "fsync=off", "-c", "listen_addresses=127.0.0.1"]


def programs() -> Path:
    """The folder of the newest server there is; raises RuntimeError with the remedy if there is none."""
    newest = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[4]))
    found = newest[-1] if newest else shutil.which("postgres")
    if not found:
        raise RuntimeError("needs PostgreSQL: apt-get install postgresql")
    return Path(found).parent


@dataclass
class Cluster:
    """A server that can be halted and started again at the same address, with the same data."""

    folder: Path
    port: int
    user: str | None
    names: Iterator[int] = field(default_factory=count)

    @property
    def address(self) -> str:
        """The address of the database that is always there."""
        return self.database("postgres")

    def database(self, name: str) -> str:
        """The address of a database."""
        return f"postgresql://{OWNER}@127.0.0.1:{self.port}/{name}"

    def fresh(self) -> str:
        """The address of a new and empty database."""
        name = f"moot_{next(self.names)}"
        self.tell(f"CREATE DATABASE {name}")
        return self.database(name)

    def tell(self, statement: str) -> None:
        """Run one statement, connected to none of the fresh databases."""
        import psycopg

        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute(statement.encode())

    def disconnect(self) -> None:
        """End every connection but the one that says so."""
        self.tell("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")

    def make(self) -> None:
        """Lay out the folder of data."""
        self._run("initdb", "-D", self.folder / "data", "-U", OWNER, "-A", "trust", "-E", "UTF8", "--no-sync")

    def start(self) -> None:
        """Start, and wait until it answers."""
        run = [programs() / "postgres", "-D", self.folder / "data", "-k", self.folder, "-p", str(self.port), *OPTIONS]
        with (self.folder / "log").open("a") as log:
            self.process = subprocess.Popen(run, user=self.user, cwd=self.folder, stderr=log)
        ready(self.address)

    def halt(self) -> None:
        """Stop at once, as after a crash: what is under way is broken off, and mended at the next start."""
        self._run("pg_ctl", "stop", "-D", self.folder / "data", "-m", "immediate")
        self.process.wait()

    def _run(self, program: str, *words: object) -> None:
        called = [programs() / program, *(str(word) for word in words)]
        subprocess.run(called, user=self.user, cwd=self.folder, check=True, capture_output=True)


@contextmanager
def cluster() -> Iterator[Cluster]:
    """A server that lives as long as the block."""
    user, folder = OWNER if os.geteuid() == 0 else None, Path(tempfile.mkdtemp(prefix="moot-pg-"))
    if user:
        shutil.chown(folder, user)
    made = Cluster(folder, free_port(), user)
    made.make()
    made.start()
    try:
        yield made
    finally:
        if made.process.poll() is None:
            made.halt()
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
