"""A run is driven by one process, by whatever name its file is reached; a file that vanishes stops it."""

import asyncio
import errno
import fcntl
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from subprocess import PIPE
from types import SimpleNamespace

import pytest
from command import apart, ended, listed, moot
from fakeserver import FakeServer, Fault
from moot.state.errors import InputError
from moot.storage import file_lock
from runs.killing import forked
from sampling import sample_cases


def words(server: FakeServer, db: Path) -> list[str]:
    model = ["--model", f"openai:fake@{server.url}", "--max-turns", "4", "--set", "dynamic_termination=false"]
    return ["debate", "Tea?", *model, "--db", str(db)]


def by_a_symlink(db: Path) -> Path:
    with_name = db.with_name("other.db")
    with_name.symlink_to(db)
    return with_name


def by_a_hard_link(db: Path) -> Path:
    parent = db.parent / "links" / "moot.db"
    parent.parent.mkdir()
    os.link(db, parent)
    for log in ("-wal", "-shm"):
        os.link(f"{db}{log}", f"{parent}{log}")
    return parent


def beside_nothing_else(db: Path) -> Path:
    """By its name, when every file and folder beside it that the run could do without is gone."""
    for beside in db.parent.iterdir():
        if beside.is_dir():
            shutil.rmtree(beside)
        elif beside.name not in ("moot.db", "moot.db-wal", "moot.db-shm"):
            beside.unlink()
    return db


@pytest.mark.long
@pytest.mark.parametrize("way", [by_a_symlink, by_a_hard_link, beside_nothing_else])
def test_nobody_else_drives_a_run_whichever_name_its_file_goes_by(way: Callable[[Path], Path], tmp_path: Path) -> None:
    db = tmp_path / "db" / "moot.db"
    with FakeServer(faults={2: Fault.stall(after=2)}) as server:
        with forked(words(server, db), tmp_path / "journal") as process:
            server.wait_for(2, within=30)
            other = way(db)
            (run,) = listed("--db", str(other))
            assert run["state"] == "running"
            output = moot("resume", run["run"], "--db", str(other))
            assert (output.exit_code, len(server.chats)) == (3, 2)
            assert f"in use by process {process.pid} on " in output.stderr
        assert moot("resume", run["run"], "--db", str(other)).exit_code == 0


def deleted(db: Path) -> None:
    for file in db.parent.glob("moot.db*"):
        file.unlink()


def renamed(db: Path) -> None:
    db.rename(db.with_name("other.db"))


def replaced(db: Path) -> None:
    deleted(db)
    db.write_bytes(b"")


LOSSES = [
    pytest.param(loss, call, id=f"{place}-{loss.__name__}")
    for loss in (deleted, renamed, replaced)
    for place, call in {"on the way": 2, "at the end": 5}.items()
]


@pytest.mark.long
@pytest.mark.parametrize(("loss", "call"), sample_cases(LOSSES, kinds=0))
def test_a_database_that_vanishes_stops_the_run_with_that_reason(
    loss: Callable[[Path], None], call: int, tmp_path: Path
) -> None:
    db = tmp_path / "db" / "moot.db"
    with FakeServer(faults={call: Fault.stall(after=2)}) as server:
        process = apart(words(server, db))
        server.wait_for(call, within=30)
        loss(db)
        server.release()
        code, output, errors = ended(process)
    assert (code, "run saved" in output) == (3, False)
    assert "the file was deleted or renamed while it was in use" in errors.splitlines()[-1]
    assert "Saved" not in errors
    assert "Continue: " in errors
    assert len(server.chats) == call


HOLDER = """
import asyncio, sys
from pathlib import Path
from subprocess import PIPE
from types import SimpleNamespace
from moot.storage import file_lock

file_lock.HAS_BYTE_LOCKS = False

async def hold():
    async with file_lock.hold_file(Path(sys.argv[1])) as file:
        print(file.lock_name("tea"), flush=True)
        sys.stdin.read()

asyncio.run(hold())
"""


def taken(db: Path, name: str = "tea") -> list[bool]:
    """Whether others are told that it is taken, whether it can be taken here, and is told to be taken then."""

    async def try_lock() -> list[bool]:
        async with file_lock.hold_file(db) as file:
            told = [file.is_locked(name), file.lock_name(name)]
            if told[1]:
                told.append(file.is_locked(name))
                file.unlock_name(name)
            return told

    return asyncio.run(try_lock())


def test_where_bytes_cannot_be_locked_a_file_of_the_same_user_is_by_whatever_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_lock, "HAS_BYTE_LOCKS", False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    db, other = tmp_path / "moot.db", tmp_path / "other.db"
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(db)], stdin=PIPE, stdout=PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "True\n"
        other.symlink_to(db)
        assert taken(other) == [True, False]
        assert taken(db, "coffee") == [False, True, True], "another run is free"
        process.kill()
    assert taken(db) == [False, True, True], "the system freed it"
    assert list((tmp_path / "data" / "moot" / "locks").iterdir()) == [], "and what is free leaves no file"


def test_where_nothing_can_be_locked_no_database_file_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_lock, "sys", SimpleNamespace(platform="win32"))
    with pytest.raises(InputError, match=r"could not be locked on Windows; use .* or --db postgresql://"):
        taken(tmp_path / "moot.db")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def flocked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A database on a system whose locks are files, as on macOS."""
    monkeypatch.setattr(file_lock, "HAS_BYTE_LOCKS", False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "moot.db"


def test_a_look_at_a_lock_file_keeps_nobody_from_taking_it(flocked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_lock, "PROBE_SECONDS", 60.0)  # a look takes longer on a busy machine

    async def take() -> bool:
        async with file_lock.hold_file(flocked) as file:
            path = file._get_lock_path("tea")
            path.parent.mkdir(parents=True)
            fd = os.open(path, os.O_RDWR | os.O_CREAT)
            fcntl.flock(fd, fcntl.LOCK_SH)
            timer = threading.Timer(0.03, os.close, [fd])
            timer.start()
            taken = file.lock_name("tea")
            timer.join()
            file.unlock_name("tea")
            return taken

    assert asyncio.run(take())


def test_what_is_released_is_free_though_a_forked_child_still_shares_the_descriptor(flocked: Path) -> None:
    async def release() -> None:
        async with file_lock.hold_file(flocked) as file:
            assert file.lock_name("tea")
            path = file._get_lock_path("tea")
            shared, waiting = os.dup(file.locks["tea"]), os.open(path, os.O_RDWR)
            file.unlock_name("tea")
            fcntl.flock(waiting, fcntl.LOCK_EX | fcntl.LOCK_NB)
            assert file.lock_name("tea"), "a file that was deleted is no lock"
            file.unlock_name("tea")
            for fd in (shared, waiting):
                os.close(fd)

    asyncio.run(release())


def test_a_lock_file_that_goes_away_while_it_is_taken_is_made_anew(
    flocked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flock, gone = fcntl.flock, list[Path]()

    def flock_then_lose(fd: int, operation: int) -> None:
        flock(fd, operation)
        if not gone:
            gone.extend((flocked.parent / "data" / "moot" / "locks").iterdir())
            gone[0].unlink()

    monkeypatch.setattr(file_lock, "fcntl", SimpleNamespace(**{**vars(fcntl), "flock": flock_then_lose}))
    assert taken(flocked) == [False, True, True]
    assert len(gone) == 1


def test_a_disk_without_locks_is_told_and_nothing_is_held(flocked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(fd: int, operation: int) -> None:
        raise OSError(errno.ENOTSUP, "Operation not supported")

    monkeypatch.setattr(file_lock, "fcntl", SimpleNamespace(**{**vars(fcntl), "flock": refuse}))
    with pytest.raises(OSError, match="not supported"):
        taken(flocked)


def test_a_lock_goes_by_the_file_and_not_by_the_device_it_is_seen_on(flocked: Path) -> None:
    async def name() -> str:
        async with file_lock.hold_file(flocked) as file:
            return file._get_lock_path("tea").name

    name_of_lock = asyncio.run(name())
    assert name_of_lock.partition("-")[0] == str(os.stat(flocked).st_ino)
    assert name_of_lock.count("-") == 1
