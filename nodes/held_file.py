"""A database file, held open while it is in use: which file it is, whether it is still there, and locks on it.

Locks are on bytes far beyond any database, of the file itself: whatever name it is reached by, and whatever is deleted
beside it. They belong to the open file, not to the process: SQLite's own are of the other kind, and are lost when a
descriptor of the file is closed by anybody; so this one is closed after the last connection.
"""

import asyncio
import fcntl
import hashlib
import os
import struct
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

BEYOND = 1 << 62
"""Where the bytes that are locked begin."""
_FLOCK = "hhqqi4x"
"""C's `struct flock` on Linux: type, whence, start, length, process."""

_guard = threading.Lock()
_open: dict[tuple[int, int, int], "HeldFile"] = {}


@dataclass
class HeldFile:
    """One open file. `users`: connections it is held open for; `held`: names that are locked here."""

    fd: int
    users: int = 0
    held: set[str] = field(default_factory=set)

    def take(self, name: str) -> bool:
        """Lock a name, if nobody holds it, in this process or another. Raises `OSError` for a disk without locks."""
        with _guard:
            if name in self.held:
                return False
            try:
                fcntl.fcntl(self.fd, fcntl.F_OFD_SETLK, _range(name, fcntl.F_WRLCK))
            except BlockingIOError:
                return False
            self.held.add(name)
            return True

    def free(self, name: str) -> None:
        """Unlock a name."""
        with _guard:
            fcntl.fcntl(self.fd, fcntl.F_OFD_SETLK, _range(name, fcntl.F_UNLCK))
            self.held.discard(name)

    def is_taken(self, name: str) -> bool:
        """Whether anybody holds a name."""
        found = fcntl.fcntl(self.fd, fcntl.F_OFD_GETLK, _range(name, fcntl.F_WRLCK))
        return name in self.held or struct.unpack(_FLOCK, found)[0] != fcntl.F_UNLCK

    def is_at(self, place: Path) -> bool:
        """Whether it is this file, and no other, that has this name."""
        try:
            return _identity(os.stat(place)) == _identity(os.fstat(self.fd))
        except FileNotFoundError:
            return False


def _range(name: str, kind: int) -> bytes:
    start = BEYOND + int.from_bytes(hashlib.sha256(name.encode()).digest()[:7])
    return struct.pack(_FLOCK, kind, os.SEEK_SET, start, 1, 0)


def _identity(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


@asynccontextmanager
async def holding(place: Path) -> AsyncIterator[HeldFile]:
    """The file at `place`, made if need be, held open. Raises `OSError` if it cannot be opened at all."""
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
