"""Which database is meant, and that a file of another application is left as it is."""

import asyncio
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from command import listed, moot
from moot.state import InputError
from moot.storage.database import connect_sqlite


@pytest.mark.parametrize(
    "words",
    [
        ["runs"],
        ["debate", "Tea?", "--model", "rehearsal"],
        ["papers", "list"],
        ["panel", "Tea?", "--model", "rehearsal", "--set", "library={db}"],
    ],
)
def test_nothing_is_added_to_a_database_of_another_application(words: list[str], tmp_path: Path) -> None:
    shop = tmp_path / "shop.db"
    with closing(sqlite3.connect(shop)) as connection:
        connection.execute("CREATE TABLE orders (id INTEGER)")
        connection.commit()
    before = shop.read_bytes()
    texts = [word.format(db=shop) for word in words]
    output = moot(*texts, *([] if "panel" in words else ["--db", str(shop)]))
    assert output.exit_code == 2
    assert "the file holds tables of another application (orders)" in output.stderr
    assert shop.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith("shop")) == ["shop.db"]


def test_the_default_database_is_in_the_user_s_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MOOT_DB")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "mine"))
    assert moot("debate", "Tea?", "--model", "rehearsal", "--max-turns", "2").exit_code == 0
    assert (tmp_path / "mine" / "moot" / "moot.db").is_file()
    assert len(listed()) == 1


@pytest.mark.parametrize("older_size", [None, 4096])
def test_a_new_file_has_small_pages_and_an_older_one_keeps_its_own(older_size: int | None, tmp_path: Path) -> None:
    path = tmp_path / "moot.db"
    if older_size:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA page_size={older_size}")
            connection.execute("PRAGMA user_version=1")
    assert moot("debate", "Tea?", "--model", "rehearsal", "--max-turns", "2", "--db", str(path)).exit_code == 0
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA page_size").fetchone() == (older_size or 1024,)


def list_workers() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if "_connection_worker" in thread.name}


def test_a_database_that_cannot_be_opened_leaves_no_thread_that_reports_to_a_closed_event_loop(tmp_path: Path) -> None:
    async def open_folder() -> None:
        with pytest.raises(InputError, match="cannot be opened"):
            async with connect_sqlite(str(tmp_path)):
                pass

    earlier_workers = list_workers()
    for _ in range(20):
        asyncio.run(open_folder())
        assert list_workers() <= earlier_workers


def test_an_opening_that_is_cancelled_leaves_no_thread_either(tmp_path: Path) -> None:
    async def open_and_close() -> None:
        async with connect_sqlite(str(tmp_path / "moot.db")):
            pass

    async def cancel_after(seconds: float) -> None:
        task = asyncio.create_task(open_and_close())
        await asyncio.sleep(seconds)
        task.cancel()
        await asyncio.wait([task])

    earlier_workers = list_workers()
    for milliseconds in range(10):
        asyncio.run(cancel_after(milliseconds / 1000))
        assert list_workers() <= earlier_workers
