"""What a command writes with `-o` is there whole, or what was there before is."""

import resource
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from moot.app.run.config_file import write_text
from moot.state.errors import InputError


@pytest.fixture
def full_disk() -> Iterator[None]:
    """No file can become longer than 100 bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.usefixtures("full_disk")
def test_an_older_file_stays_whole_if_the_disk_is_full(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("the older report")
    with pytest.raises(InputError, match=r"-o = .*: cannot be written"):
        write_text(path, "x" * 1000)
    assert path.read_text() == "the older report"
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.html"]


def test_no_command_writes_over_a_database(tmp_path: Path) -> None:
    path, link = tmp_path / "moot.db", tmp_path / "link.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE paid (answer)")
    link.symlink_to(path)
    database = path.read_bytes()
    for target in (path, link):
        with pytest.raises(InputError, match=r"-o = .*: must be no database; name another file"):
            write_text(target, "the report")
        assert path.read_bytes() == database


def test_a_file_is_replaced_with_its_permissions_and_a_link_with_its_target(tmp_path: Path) -> None:
    path, link = tmp_path / "report.html", tmp_path / "link.html"
    path.write_text("the older report")
    path.chmod(0o604)
    link.symlink_to(path)
    for target, text in ((path, "a newer one"), (link, "the newest")):
        write_text(target, text)
        assert path.read_text() == text
    assert path.stat().st_mode & 0o777 == 0o604
    assert link.is_symlink()
