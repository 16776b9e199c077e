"""Open database file: its identity, its presence on disk, and locks on names within it.

On Linux, a lock covers a byte of the file itself, far beyond any database. The lock works under every name of the file,
and does not depend on other files. It belongs to the open file, not to the process. SQLite's own locks belong to the
process: if the process closes any descriptor of the file, they are gone. So Moot closes this descriptor only after the
last connection.

On other systems, each lock is a file in the user's data folder, named after the inode of the database file. Such a lock
works between the processes of one user. Windows supports neither kind, so Moot opens no database file there.

For macOS, these semantics of `flock` were checked by reading, not by running:

- It belongs to the open file description. A forked child shares it, so unlocking is explicit. Descriptors close on
  exec, and Moot never forks without exec.
- It conflicts with SQLite's own `fcntl` locks on the same file, so Moot never locks the database file itself with it.
- A check takes a shared lock for a moment. So an attempt to lock is repeated for `PROBE_SECONDS`.
- On NFS, device numbers differ between machines, inodes do not. So the name of a lock file contains no device. Machines
  that share the database, but not the data folder, do not see each other's locks: they need PostgreSQL.
- On a disk without `flock`, locking raises `OSError`, and the run does not start.
"""

import asyncio
import hashlib
import os
import struct
import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import platformdirs

from ..state import InputError

if sys.platform != "win32":
    import fcntl

HAS_BYTE_LOCKS = sys.platform == "linux"
LOCK_OFFSET = 1 << 62
"""Offset in the file at which the bytes for locks begin."""
PROBE_SECONDS, PROBE_INTERVAL = 0.1, 0.01
"""Time for which another process's check may hold a lock file, and seconds between two attempts to lock it."""
_FLOCK_FORMAT = "hhqqi4x"
"""Format of C's `struct flock` on Linux: type, whence, start, length, process."""

_files_lock = threading.Lock()
_open_files: dict[tuple[int, int, int], "DatabaseFile"] = {}


@dataclass
class DatabaseFile:
    """Open database file, with locks on names within it.

    `users`: number of its connections. `locks`: descriptor of each name that this process has locked.
    """

    fd: int
    users: int = 0
    locks: dict[str, int] = field(default_factory=dict)

    def lock_name(self, name: str) -> bool:
        """Lock a name. Return whether this succeeded: `False` if this or another process holds the lock.

        Raises `OSError` if the disk does not support locks.
        """
        with _files_lock:
            if name in self.locks:
                return False
            try:
                if HAS_BYTE_LOCKS:
                    fcntl.fcntl(self.fd, fcntl.F_OFD_SETLK, _pack_lock(name, fcntl.F_WRLCK))
                self.locks[name] = self.fd if HAS_BYTE_LOCKS else _lock_file(self._get_lock_path(name))
            except BlockingIOError:
                return False
            return True

    def unlock_name(self, name: str) -> None:
        """Release this process's lock on a name."""
        with _files_lock:
            lock = self.locks.pop(name)
            if HAS_BYTE_LOCKS:
                fcntl.fcntl(lock, fcntl.F_OFD_SETLK, _pack_lock(name, fcntl.F_UNLCK))
            else:
                self._get_lock_path(name).unlink(missing_ok=True)
                fcntl.flock(lock, fcntl.LOCK_UN)
                os.close(lock)

    def is_locked(self, name: str) -> bool:
        """Return whether this or another process holds the lock on a name."""
        if name in self.locks:
            return True
        if not HAS_BYTE_LOCKS:
            return _is_file_locked(self._get_lock_path(name))
        result = fcntl.fcntl(self.fd, fcntl.F_OFD_GETLK, _pack_lock(name, fcntl.F_WRLCK))
        return bool(struct.unpack(_FLOCK_FORMAT, result)[0] != fcntl.F_UNLCK)

    def is_file_at(self, path: Path) -> bool:
        """Return whether the path leads to this open file."""
        try:
            return _get_identity(os.stat(path)) == _get_identity(os.fstat(self.fd))
        except FileNotFoundError:
            return False

    def _get_lock_path(self, name: str) -> Path:
        digest = hashlib.sha256(name.encode()).hexdigest()[:16]
        folder = Path(platformdirs.user_data_dir("moot", appauthor=False), "locks")
        return folder / f"{os.fstat(self.fd).st_ino}-{digest}"


def _lock_file(path: Path) -> int:
    """Create and lock a lock file, and return its descriptor.

    Raises `BlockingIOError` if another process has locked it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + PROBE_SECONDS
    while True:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _get_identity(os.stat(path)) == _get_identity(os.fstat(fd)):
                return fd
        except FileNotFoundError:
            pass
        except OSError as error:
            if not isinstance(error, BlockingIOError) or time.monotonic() >= deadline:
                os.close(fd)
                raise
            time.sleep(PROBE_INTERVAL)
        os.close(fd)  # checked by another process, or released and deleted by its holder in the meantime


def _is_file_locked(path: Path) -> bool:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


def _pack_lock(name: str, kind: int) -> bytes:
    start = LOCK_OFFSET + int.from_bytes(hashlib.sha256(name.encode()).digest()[:7])
    return struct.pack(_FLOCK_FORMAT, kind, os.SEEK_SET, start, 1, 0)


def _get_identity(file_stat: os.stat_result) -> tuple[int, int]:
    return file_stat.st_dev, file_stat.st_ino


@asynccontextmanager
async def hold_file(path: Path) -> AsyncIterator[DatabaseFile]:
    """Open the file at `path`, and keep it open within the block. Create it if necessary.

    Raises `OSError` if it cannot be opened, and `InputError` on systems without locks.
    """
    if sys.platform == "win32":
        raise InputError(
            "db",
            str(path),
            "a run could not be locked on Windows; use the Windows Subsystem for Linux, or --db postgresql://…",
        )
    file, key = await asyncio.to_thread(_open_file, path)
    try:
        yield file
    finally:
        with _files_lock:
            file.users -= 1
            if not file.users:
                del _open_files[key]
                os.close(file.fd)


def _open_file(path: Path) -> tuple[DatabaseFile, tuple[int, int, int]]:
    with _files_lock:
        if path.exists() and (file := _open_files.get(key := (os.getpid(), *_get_identity(os.stat(path))))):
            file.users += 1
            return file, key
        try:
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError:
            fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        key = (os.getpid(), *_get_identity(os.fstat(fd)))
        return _open_files.setdefault(key, DatabaseFile(fd, 1)), key
