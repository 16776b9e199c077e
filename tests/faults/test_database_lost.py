"""An SQLite file lost in the middle of a run: it stops and says why, nothing is half-written, and it goes on later."""

import re
import resource
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from command import listed, moot
from fakeserver import FakeServer, Fault
from moot.app.saved import database as saved_database
from moot.storage import database
from runs.losing import CALLS, MANY, Trouble, stops_and_goes_on
from sampling import sample_cases

FULL = re.compile("disk is full|disk I/O error")
"""How SQLite tells that a file cannot grow."""


@contextmanager
def locked(db: Path) -> Iterator[None]:
    """Somebody else writes for longer than a run waits."""
    connect = sqlite3.connect(db, isolation_level=None, check_same_thread=False)
    connect.execute("BEGIN IMMEDIATE")
    yield
    connect.close()


@contextmanager
def no_longer(size: int) -> Iterator[None]:
    """No file can become longer than so many bytes."""
    _, most = limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def no_growth(db: Path) -> AbstractContextManager[None]:
    """No file can become longer than the log of the database is now."""
    return no_longer(Path(f"{db}-wal").stat().st_size)


@pytest.fixture
def read_only(monkeypatch: pytest.MonkeyPatch, db: Path) -> Trouble:
    """The connections to the database may only read from now on."""
    found: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def noted(path: Any, **settings: Any) -> sqlite3.Connection:
        connection = connect(path, **settings, check_same_thread=False)
        if path == db:
            found.append(connection)
        return connection

    @contextmanager
    def refused() -> Iterator[None]:
        for connection in found:
            connection.execute("PRAGMA query_only=1")
        yield

    monkeypatch.setattr(sqlite3, "connect", noted)
    return refused


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file, for which nobody waits long."""
    for module in (saved_database, database):
        monkeypatch.setattr(module, "BUSY_SECONDS", 0.2)
    return tmp_path / "moot.db"


@pytest.mark.parametrize(("name", "call"), sample_cases(MANY, kinds=0))
def test_a_file_that_another_process_writes_to_for_too_long(name: str, call: int, db: Path) -> None:
    assert "database is locked" in stops_and_goes_on(name, call, partial(locked, db), str(db))


@pytest.mark.parametrize(("name", "call"), sample_cases(MANY, kinds=0))
def test_a_file_that_cannot_grow(name: str, call: int, db: Path) -> None:
    assert FULL.search(stops_and_goes_on(name, call, partial(no_growth, db), str(db)))


@pytest.mark.parametrize(("name", "call"), sample_cases(MANY, kinds=0))
def test_a_file_that_may_not_be_written_to(name: str, call: int, db: Path, read_only: Trouble) -> None:
    assert "readonly database" in stops_and_goes_on(name, call, read_only, str(db))


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own, small; a folder where none can be mounted, which needs root."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", place]
    mounted = shutil.which("mount") and subprocess.run(mount, capture_output=True).returncode == 0
    yield place
    if mounted:
        subprocess.run(["umount", place], check=True)


@contextmanager
def full(disk: Path) -> Iterator[None]:
    """Something else takes all the room there is; in a folder, no file can become longer than nothing."""
    if not disk.is_mount():
        with no_longer(0):
            yield
        return
    rest = disk / "rest"
    with suppress(OSError), rest.open("wb", buffering=0) as file:
        while file.write(bytes(4096)):
            pass
    yield
    rest.unlink()


@pytest.mark.long
@pytest.mark.parametrize(("name", "call"), sample_cases(CALLS))
def test_a_disk_that_is_full(name: str, call: int, disk: Path) -> None:
    assert FULL.search(stops_and_goes_on(name, call, partial(full, disk), str(disk / "moot.db")))


def test_what_was_stopped_is_listed_and_shown_from_a_disk_that_is_full(disk: Path) -> None:
    db = ["--db", str(disk / "moot.db")]
    with FakeServer(faults={2: Fault.status(401)}) as server:
        moot("debate", "Tea?", "--model", f"openai:fake@{server.url}", *db)
    before = listed(*db)
    with full(disk):
        assert listed(*db) == before
        assert [run["state"] for run in before] == ["stopped"]
        assert moot("show", before[0]["run"], *db).exit_code == 0
