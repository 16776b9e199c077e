"""Saved runs on a disk on which nothing can be written: they are read all the same, or it is said why not."""

import os
import resource
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from command import document, listed, moot

NOBODY = 65534


@contextmanager
def full(db: Path) -> Iterator[None]:
    """No file can become longer than nothing."""
    _, most = limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@contextmanager
def read_only(db: Path) -> Iterator[None]:
    """Neither the folder nor what is in it can be written by whoever runs this; root becomes nobody."""
    for path in [*db.parent.rglob("*"), db.parent]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    me = os.geteuid()
    if not me:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(me)
        db.parent.chmod(0o755)


@pytest.fixture
def db(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file in a folder that anybody may enter."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        monkeypatch.setenv("MOOT_DB", f"{folder}/moot.db")
        yield Path(folder) / "moot.db"


@pytest.mark.parametrize("trouble", [full, read_only])
def test_what_is_saved_can_be_listed_and_shown_where_nothing_can_be_written(db: Path, trouble: object) -> None:
    run = document("debate", "Tea or coffee?", "--model", "rehearsal", "--max-turns", "3")["run"]
    with sqlite3.connect(db) as connection:
        connection.execute("UPDATE moot_runs SET about = json_set(about, '$.is_finished', json('false'))")
    connection.close()
    before = document("show", run), listed(), moot("checkpoints", run).stdout
    with trouble(db):  # type: ignore[operator]
        now = document("show", run), listed(), moot("checkpoints", run).stdout
    assert now == before


@pytest.mark.parametrize("trouble", [full, read_only])
def test_what_still_stands_in_the_log_cannot_be_read_there_and_one_line_says_so(db: Path, trouble: object) -> None:
    run = document("debate", "Tea or coffee?", "--model", "rehearsal", "--max-turns", "3")["run"]
    Path(f"{db}-shm").unlink(missing_ok=True)
    Path(f"{db}-wal").write_bytes(b"something that was saved last")
    with trouble(db):  # type: ignore[operator]
        result = moot("show", run)
    assert result.exit_code == 2
    assert "cannot be read on a full or read-only disk" in result.stderr
    assert "moot.db-wal" in result.stderr
    assert len(result.stderr.splitlines()) == 1
