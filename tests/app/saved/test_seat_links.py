"""Links to seats in the database: a token opens one seat, what is kept there stays, and nothing of it can be read."""

import asyncio
import base64
from pathlib import Path

import pytest
from seats import linked


def test_a_token_opens_one_seat_until_it_is_revoked(tmp_path: Path) -> None:
    asyncio.run(linked(tmp_path / "moot.db"))


def test_with_a_key_nothing_kept_at_a_seat_can_be_read_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOOT_DB_KEY", base64.b64encode(bytes(range(32))).decode())
    token = asyncio.run(linked(tmp_path / "moot.db"))
    content = b"".join(file.read_bytes() for file in tmp_path.glob("moot.db*"))
    assert not any(word in content for word in (b"zebra", b"Yan", token.encode()))
