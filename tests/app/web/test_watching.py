"""Watchers: many cost little more than one, a slow one is cut off, and all are told the same."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command import document
from moot import aopen_session
from moot.app.saved import SavedRun, Store, load_saved_run, open_database
from moot.app.saved.store import ChangeWaiter
from moot.app.session.api import AsyncSession
from moot.app.web.run_events import FIRST_CURSOR
from moot.app.web.run_subscribers import MAX_BACKLOG, Subscriber, SubscriberHub
from moot.state.errors import InputError
from servers import postgres


class Counting:
    """A store that counts how often it is read."""

    def __init__(self, store: Store) -> None:
        self.store, self.reads, self.looks = store, 0, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)

    def graph(self, name: str) -> Any:
        """A graph, which is asked for whenever a run is read."""
        self.reads += 1
        return self.store.get_graph(name)

    @asynccontextmanager
    async def changes(self) -> AsyncIterator[ChangeWaiter]:
        """As if something were saved all the time."""

        async def changed(seconds: float) -> bool:
            self.looks += 1
            return True

        yield changed


async def watched_by(count: int, db: Path, run: str) -> tuple[int, list[list[bytes]]]:
    """How often a run is read for so many watchers, and what each was sent."""
    async with open_database(db) as store:
        counting = Counting(store)
        hub = SubscriberHub(counting)  # type: ignore[arg-type]
        watchers = [await hub.add_subscriber(run, FIRST_CURSOR) for _ in range(count)]
        look = asyncio.create_task(hub.watch_store())
        while counting.looks < 5:
            await asyncio.sleep(0.01)
        look.cancel()
        return counting.reads, [
            [watcher.queue.get_nowait() for _ in range(watcher.queue.qsize())] for watcher in watchers
        ]


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("watching") / "moot.db"


@pytest.fixture(scope="module")
def run(db: Path) -> str:
    return str(document("debate", "Tea?", "--seed", "7", "--model", "rehearsal", "--db", db)["run"])


@pytest.mark.long
def test_fifty_watchers_are_one_look_at_the_database_and_are_told_the_same(db: Path, run: str) -> None:
    alone, (told,) = asyncio.run(watched_by(1, db, run))
    reads, every = asyncio.run(watched_by(50, db, run))
    assert reads <= alone + 1
    assert every == [told] * 50
    assert b"".join(told).count(b"event: ") > 8


def test_a_page_that_many_watch_is_made_once_until_something_is_saved(db: Path, run: str) -> None:
    async def pages() -> list[str]:
        async with open_database(db) as store:
            hub, count = SubscriberHub(store), iter(range(9))
            reuse_pages = [
                hub.reuse_page(await hub.load_latest_run(run), "live", lambda: str(next(count))) for _ in range(2)
            ]
            await hub.add_subscriber(run, FIRST_CURSOR)
            reuse_pages += [
                hub.reuse_page(await hub.load_latest_run(run), of, lambda: str(next(count)))
                for of in ("live", "live", "stopped")
            ]
            await hub._reload_run(hub.watched_runs[run])
            return [*reuse_pages, hub.reuse_page(await hub.load_latest_run(run), "stopped", lambda: str(next(count)))]

    assert asyncio.run(pages()) == ["0", "1", "2", "2", "3", "4"]


def test_a_slow_reader_is_cut_off_and_costs_no_more() -> None:
    async def full() -> Subscriber:
        watcher = Subscriber()
        for _ in range(MAX_BACKLOG + 5):
            watcher.put_event(b"event")
        return watcher

    watcher = asyncio.run(full())
    assert watcher.is_dropped
    assert watcher.queue.qsize() == MAX_BACKLOG


def test_nobody_watches_what_is_not_there(db: Path, run: str) -> None:
    async def enter() -> None:
        async with open_database(db) as store:
            await SubscriberHub(store).add_subscriber(f"{run}x", FIRST_CURSOR)

    with pytest.raises(InputError, match="no such run"):
        asyncio.run(enter())


async def begun(place: str) -> AsyncSession:
    """A session that waits for Yan."""
    yan = {"name": "Yan", "kind": "person"}
    return await aopen_session("Tea?", ["Ada"], creator=yan, db=place, settings={"model": "rehearsal"})


@pytest.fixture(scope="module")
def server() -> Iterator[postgres.Cluster]:
    with postgres.cluster() as running:
        yield running


@pytest.fixture(params=["file", pytest.param("server", marks=pytest.mark.postgres)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database that two processes share."""
    if request.param == "file":
        return str(tmp_path / "moot.db")
    server: postgres.Cluster = request.getfixturevalue("server")
    return server.fresh()


@pytest.mark.long
def test_what_another_process_saves_is_told_to_all_watchers_by_one_look(place: str) -> None:
    asyncio.run(asyncio.wait_for(follow(place), 60))


async def follow(place: str) -> None:
    """Watch a session with fifty, while somebody with a connection of their own speaks in it."""
    session = await begun(place)
    async with open_database(place) as store:
        hub = SubscriberHub(store)
        watchers = [await hub.add_subscriber(session.run, FIRST_CURSOR) for _ in range(50)]
        look = asyncio.create_task(hub.watch_store())
        await session.send("Yan", "Tea keeps the office calm.")
        told = [await told_until(b'"who": "Ada"', watcher) for watcher in watchers]
        look.cancel()
    assert told == [told[0]] * 50
    assert b"Tea keeps the office calm." in told[0]
    assert told[0].count(b"event: said") == 2


async def told_until(last: bytes, watcher: Subscriber) -> bytes:
    """All that a watcher is sent up to something."""
    text = b""
    while last not in text:
        text += await watcher.queue.get()
    return text


def test_a_server_tells_of_what_is_saved_at_once_and_says_nothing_while_nothing_is(place: str) -> None:
    async def waited() -> list[bool]:
        async with open_database(place) as store, store.changes() as changed:
            quiet = await changed(0)
            await begun(place)
            return [quiet, await changed(60), await changed(0)]

    assert asyncio.run(waited()) == [False, True, False]


def test_all_statements_of_a_blind_round_are_told_whoever_is_done_first(
    db: Path, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def watch_changes() -> set[int]:
        async with open_database(db) as store:
            whole = await load_saved_run(store, run)
            first, second, third = whole.state["history"][:3]
            seen = [[third], [second, third], [first, second, third]]
            standing = [replace(whole, state=whole.state | {"history": one}, next=["speak"]) for one in seen]

            async def next_one(store: Store, name: str) -> SavedRun:
                return standing.pop(0)

            monkeypatch.setattr("moot.app.web.run_subscribers.load_saved_run", next_one)
            hub = SubscriberHub(store)
            watcher = await hub.add_subscriber(run, FIRST_CURSOR)
            while standing:
                await hub._reload_run(hub.watched_runs[run])
            sent = b"".join(watcher.queue.get_nowait() for _ in range(watcher.queue.qsize())).decode()
            return {int(turn) for turn in re.findall(r'event: said\ndata: \{"turn": (\d+)', sent)}

    assert asyncio.run(watch_changes()) == {1, 2, 3}
