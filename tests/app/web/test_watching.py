"""Watchers: many cost little more than one, a slow one is cut off, and all are told the same."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from command import document
from moot.app.saved import Store, opened
from moot.app.web.course import START
from moot.app.web.hub import WAITING, Hub, Watcher
from moot.state.refused import Refused


class Counting:
    """A store that counts how often it is read."""

    def __init__(self, store: Store) -> None:
        self.store, self.reads, self.looks = store, 0, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)

    def graph(self, name: str) -> Any:
        """A graph, which is asked for whenever a run is read."""
        self.reads += 1
        return self.store.graph(name)

    async def changes(self) -> object:
        """Another value each time, as if something were saved all the time."""
        self.looks += 1
        return self.looks


async def watched_by(count: int, db: Path, run: str) -> tuple[int, list[list[bytes]]]:
    """How often a run is read for so many watchers, and what each was sent."""
    async with opened(db) as store:
        counting = Counting(store)
        hub = Hub(counting)  # type: ignore[arg-type]
        watchers = [await hub.enter(run, START) for _ in range(count)]
        look = asyncio.create_task(hub.look_on())
        while counting.looks < 5:
            await asyncio.sleep(0.01)
        look.cancel()
        return counting.reads, [[one.queue.get_nowait() for _ in range(one.queue.qsize())] for one in watchers]


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("watching") / "moot.db"


@pytest.fixture(scope="module")
def run(db: Path) -> str:
    return str(document("debate", "Tea?", "--model", "rehearsal", "--db", db)["run"])


def test_fifty_watchers_are_one_look_at_the_database_and_are_told_the_same(db: Path, run: str) -> None:
    alone, (told,) = asyncio.run(watched_by(1, db, run))
    reads, every = asyncio.run(watched_by(50, db, run))
    assert reads <= alone + 1
    assert every == [told] * 50
    assert len(told) > 8


def test_a_slow_reader_is_cut_off_and_costs_no_more() -> None:
    async def full() -> Watcher:
        watcher = Watcher()
        for _ in range(WAITING + 5):
            watcher.give(b"event")
        return watcher

    watcher = asyncio.run(full())
    assert watcher.cut
    assert watcher.queue.qsize() == WAITING


def test_nobody_watches_what_is_not_there(db: Path, run: str) -> None:
    async def enter() -> None:
        async with opened(db) as store:
            await Hub(store).enter(f"{run}x", START)

    with pytest.raises(Refused, match="no such run"):
        asyncio.run(enter())
