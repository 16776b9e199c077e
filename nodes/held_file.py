"""A database file, held open while it is in use: which file it is, whether it is still there, and locks on it.

On Linux locks are on bytes far beyond any database, of the file itself: whatever name it is reached by, and whatever is
deleted beside it. They belong to the open file, not to the process: SQLite's own are of the other kind, and are lost
when a descriptor of the file is closed by anybody; so this one is closed after the last connection. Elsewhere each is a
file of its own in the user's data folder, named after the database file, not after its name: it holds between the
processes of one user. On Windows there are neither, and no database file is opened.
"""

import asyncio
import hashlib
import os
import struct
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import platformdirs

from ..state.refused import Refused

if sys.platform != "win32":
    import fcntl

ON_BYTES = sys.platform == "linux"
"""Whether bytes of an open file can be locked for it alone."""
BEYOND = 1 << 62
"""Where the bytes that are locked begin."""
_FLOCK = "hhqqi4x"
"""C's `struct flock` on Linux: type, whence, start, length, process."""

_guard = threading.Lock()
_open: dict[tuple[int, int, int], "HeldFile"] = {}


@dataclass
class HeldFile:
    """One open file. `users`: connections it is held open for; `held`: names that are locked here, each with the
    descriptor of its lock."""

    fd: int
    users: int = 0
    held: dict[str, int] = field(default_factory=dict)

    def take(self, name: str) -> bool:
        """Lock a name, if nobody holds it, in this process or another. Raises `OSError` for a disk without locks."""
        with _guard:
            if name in self.held:
                return False
            try:
                self.held[name] = self._locked(name) if ON_BYTES else _locked_beside(self._beside(name))
            except BlockingIOError:
                return False
            return True

    def free(self, name: str) -> None:
        """Unlock a name."""
        with _guard:
            lock = self.held.pop(name)
            if ON_BYTES:
                fcntl.fcntl(lock, fcntl.F_OFD_SETLK, _range(name, fcntl.F_UNLCK))
            else:
                self._beside(name).unlink(missing_ok=True)
                os.close(lock)

    def is_taken(self, name: str) -> bool:
        """Whether anybody holds a name. Where locks are files, whoever takes it at this very moment may be refused."""
        if name in self.held:
            return True
        if not ON_BYTES:
            return _is_locked_beside(self._beside(name))
        found = fcntl.fcntl(self.fd, fcntl.F_OFD_GETLK, _range(name, fcntl.F_WRLCK))
        return bool(struct.unpack(_FLOCK, found)[0] != fcntl.F_UNLCK)

    def is_at(self, place: Path) -> bool:
        """Whether it is this file, and no other, that has this name."""
        try:
            return _identity(os.stat(place)) == _identity(os.fstat(self.fd))
        except FileNotFoundError:
            return False

    def _locked(self, name: str) -> int:
        """The descriptor that holds the lock. Raises `BlockingIOError` where somebody else does."""
        fcntl.fcntl(self.fd, fcntl.F_OFD_SETLK, _range(name, fcntl.F_WRLCK))
        return self.fd

    def _beside(self, name: str) -> Path:
        """The file that is the lock where bytes cannot be locked."""
        device, inode = _identity(os.fstat(self.fd))
        called = hashlib.sha256(name.encode()).hexdigest()[:16]
        return Path(platformdirs.user_data_dir("moot", appauthor=False)) / "locks" / f"{device}-{inode}-{called}"


def _locked_beside(place: Path) -> int:
    """The descriptor of a lock's own file, made and locked. Raises `BlockingIOError` where somebody else holds it."""
    place.parent.mkdir(parents=True, exist_ok=True)
    while True:
        fd = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if place.exists() and _identity(os.stat(place)) == _identity(os.fstat(fd)):
                return fd
        except OSError:
            os.close(fd)
            raise
        os.close(fd)  # whoever held it has freed and deleted it in between


def _is_locked_beside(place: Path) -> bool:
    try:
        fd = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


def _range(name: str, kind: int) -> bytes:
    start = BEYOND + int.from_bytes(hashlib.sha256(name.encode()).digest()[:7])
    return struct.pack(_FLOCK, kind, os.SEEK_SET, start, 1, 0)


def _identity(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


@asynccontextmanager
async def holding(place: Path) -> AsyncIterator[HeldFile]:
    """The file at `place`, made if need be, held open.

    Raises `OSError` if it cannot be opened at all, and `Refused` where nothing could be locked.
    """
    if sys.platform == "win32":
        remedy = "a run could not be locked on Windows; use the Windows Subsystem for Linux, or --db postgresql://…"
        raise Refused("db", str(place), remedy)
    file, key = await asyncio.to_thread(_opened, place)
    try:
        yield file
    finally:
        with _guard:
            file.users -= 1
            if not file.users:
                del _open[key]
                os.close(file.fd)


def _opened(place: Path) -> tuple[HeldFile, tuple[int, int, int]]:
    with _guard:
        if place.exists() and (known := _open.get(key := (os.getpid(), *_identity(os.stat(place))))):
            known.users += 1
            return known, key
        try:
            fd = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError:
            fd = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
        key = (os.getpid(), *_identity(os.fstat(fd)))
        return _open.setdefault(key, HeldFile(fd, 1)), key
