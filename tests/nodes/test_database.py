"""A file of another application is left as it is."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from command import moot


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
    given = [word.format(db=shop) for word in words]
    refused = moot(*given, *([] if "panel" in words else ["--db", str(shop)]))
    assert refused.exit_code == 2
    assert "another application keeps its tables there (orders)" in refused.stderr
    assert shop.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith("shop")) == ["shop.db"]
