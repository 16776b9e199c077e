"""A database that is lost in the middle of a run: it stops and says why, nothing is half-written, and it goes on later.

What happens to the database happens while a model is being asked, so that the run meets it when it next saves.
"""

import resource
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

import postgres
import pytest
from command import listed, moot
from fakereply import Request
from fakeserver import Answer, FakeServer
from five import ALL
from moot.app import store_sqlite
from moot.nodes import database
from undisturbed import goes_on

Trouble = Callable[[], AbstractContextManager[object]]
"""What happens to a database, until the end of its block."""

CALLS = [("debate", 3), ("voted consensus", 2), ("discussion", 4), ("panel", 3), ("justice", 5), ("justice", 30)]
"""The call during which it happens, by protocol: alone, among siblings, among those who are each in their own graph."""

MANY = [pytest.param(*call, marks=[] if call[0] == "debate" else [pytest.mark.long]) for call in CALLS]


def stops_and_goes_on(name: str, call: int, trouble: Trouble, db: str) -> str:
    """Run a protocol into a trouble and, when that is over, to its end; gives the line it stopped with."""
    striking = Lock()
    with ExitStack() as until_relieved, FakeServer() as server:

        def reply(request: Request) -> Answer:
            if request.n == call:
                with striking:
                    until_relieved.enter_context(trouble())
            return ALL[name].reply(request)

        server.reply = reply
        stopped = moot(*ALL[name].on(server), "--db", db, "--json")
        assert (stopped.exit_code, stopped.stdout) == (3, "")
        with striking:
            until_relieved.close()
        assert [run["state"] for run in listed("--db", db)] == ["stopped"]
        goes_on(name, server, db)
    *_, line = stopped.stderr.splitlines()
    assert stopped.stderr.count("moot: ") == 1
    assert line.startswith(f"moot: db = {db}: ")
    return line


# SQLite


@contextmanager
def locked(db: Path) -> Iterator[None]:
    """Somebody else writes for longer than a run waits."""
    other = sqlite3.connect(db, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    yield
    other.close()


@contextmanager
def no_growth(db: Path) -> Iterator[None]:
    """No file can become longer than the log of the database is now."""
    _, most = limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (Path(f"{db}-wal").stat().st_size, most))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)


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
    for module in (store_sqlite, database):
        monkeypatch.setattr(module, "BUSY_SECONDS", 0.2)
    return tmp_path / "moot.db"


@pytest.mark.parametrize(("name", "call"), MANY)
def test_a_file_that_another_process_writes_to_for_too_long(name: str, call: int, db: Path) -> None:
    assert "database is locked" in stops_and_goes_on(name, call, partial(locked, db), str(db))


@pytest.mark.parametrize(("name", "call"), MANY)
def test_a_file_that_cannot_grow(name: str, call: int, db: Path) -> None:
    line = stops_and_goes_on(name, call, partial(no_growth, db), str(db))
    assert "disk I/O error" in line or "disk is full" in line


@pytest.mark.parametrize(("name", "call"), MANY)
def test_a_file_that_may_not_be_written_to(name: str, call: int, db: Path, read_only: Trouble) -> None:
    assert "readonly database" in stops_and_goes_on(name, call, read_only, str(db))


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own, small."""
    place = tmp_path / "disk"
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", place], capture_output=True).returncode:
        pytest.skip("not run: no disk can be mounted here, which needs root")
    yield place
    subprocess.run(["umount", place], check=True)


@contextmanager
def full(disk: Path) -> Iterator[None]:
    """Something else takes all the room there is."""
    rest = disk / "rest"
    with suppress(OSError), rest.open("wb", buffering=0) as file:
        while file.write(bytes(4096)):
            pass
    yield
    rest.unlink()


@pytest.mark.long
@pytest.mark.parametrize(("name", "call"), CALLS)
def test_a_disk_that_is_full(name: str, call: int, disk: Path) -> None:
    assert "disk is full" in stops_and_goes_on(name, call, partial(full, disk), str(disk / "moot.db"))


# PostgreSQL


@pytest.fixture(scope="module")
def cluster() -> Iterator[postgres.Cluster]:
    with postgres.cluster() as running:
        yield running


@contextmanager
def down(cluster: postgres.Cluster) -> Iterator[None]:
    """The server crashes, and is started again."""
    cluster.halt()
    yield
    cluster.start()


@contextmanager
def cut_off(cluster: postgres.Cluster) -> Iterator[None]:
    """The server ends the connection."""
    cluster.disconnect()
    yield


@pytest.mark.postgres
@pytest.mark.parametrize(("name", "call"), MANY)
@pytest.mark.parametrize("trouble", [down, cut_off])
def test_a_server_that_goes_away(
    name: str, call: int, trouble: Callable[[postgres.Cluster], AbstractContextManager[None]], cluster: postgres.Cluster
) -> None:
    line = stops_and_goes_on(name, call, partial(trouble, cluster), cluster.fresh())
    assert "terminat" in line or "closed the connection" in line
