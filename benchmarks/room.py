"""Cost of a room: CPU with many watchers, delay of a statement, size of its pages. On Linux.

    python benchmarks/room.py [--watchers 0 1 50] [--turns 20]

Prints the figures without targets. A rehearsal speaks, so that the room uses all the time.
"""

import argparse
import asyncio
import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import httpx
from moot.app.saved import list_checkpoints, load_saved_run, open_database

sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))

from servers.room import Room, open_room

REHEARSAL_DELAY = "0.2"
"""Seconds before a rehearsed answer."""
PAGES = ["/", "/new", "/new?protocol=consensus", "/runs/{run}", "/runs/{run}/fork", "/compare?a={run}&b={run}"]
TurnTimes = dict[int, float]
"""Time of each turn by its number, in seconds of the clock."""


@dataclass(frozen=True)
class RoomClient:
    """HTTP client that is signed in to an open room."""

    room: Room
    client: httpx.AsyncClient

    @property
    def cpu(self) -> float:
        """Return the CPU seconds that the room's process has used."""
        fields = Path(f"/proc/{self.room.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@asynccontextmanager
async def open_room_client(folder: Path) -> AsyncIterator[RoomClient]:
    """Open a room on the database in `folder`. Yield a client that is signed in."""
    limits = httpx.Limits(max_connections=None)
    with open_room(folder, "--rehearsal-delay", REHEARSAL_DELAY) as room:
        headers = {"origin": room.root}
        async with httpx.AsyncClient(
            base_url=room.root, headers=headers, limits=limits, timeout=60, trust_env=False
        ) as client:
            await client.get(room.address)
            yield RoomClient(room, client)


async def start_rehearsal(client: httpx.AsyncClient, turns: int) -> str:
    """Start a rehearsal of `turns` turns in the room, and return the run's name."""
    form = {"topic": "Is tea better than coffee?", "max_turns": str(turns), "dynamic_termination": "false"}
    answer = await client.post("/new?protocol=debate", data={**form, "do": "rehearse"})
    return answer.headers["location"].rpartition("/")[2]


async def watch_run(client: httpx.AsyncClient, run: str) -> TurnTimes:
    """Read a run's events until it ends, and return when the room sent each turn."""
    shown_times: TurnTimes = {}
    async with client.stream("GET", f"/runs/{run}/events") as stream:
        async for kind, data in _events(stream):
            if kind == "said" and (turn := re.search(r'"turn": (\d+)', data)):
                shown_times.setdefault(int(turn[1]), time.time())
            if kind == "ended":
                break
    return shown_times


async def _events(stream: httpx.Response) -> AsyncIterator[tuple[str, str]]:
    kind = ""
    async for line in stream.aiter_lines():
        if line.startswith("event: "):
            kind = line[7:]
        elif line.startswith("data: "):
            yield kind, line[6:]


async def load_saved_times(db: Path, run: str) -> TurnTimes:
    """Return for each turn when its checkpoint was saved."""
    async with open_database(db) as store:
        saved_times: TurnTimes = {}
        for checkpoint in await list_checkpoints(store, await load_saved_run(store, run)):
            for statement in checkpoint.values.get("history", []):
                saved_times.setdefault(statement.turn, datetime.fromisoformat(checkpoint.at).timestamp())
        return saved_times


async def measure_run(
    driving: RoomClient, watching: RoomClient, watchers: int, turns: int, db: Path
) -> tuple[float, list[float]]:
    """Measure a run with watchers. Return the watching room's CPU seconds and the delay of each statement.

    `driving`: room that starts the run. `watching`: room that shows it. A delay is in ms, from saving the statement to
    showing it.
    """
    before = watching.cpu
    run = await start_rehearsal(driving.client, turns)
    tasks = [asyncio.create_task(watch_run(watching.client, run)) for _ in range(watchers)]
    async with open_database(db) as store:
        while not (await store.runs.get_run(run)).is_finished:
            await asyncio.sleep(0.2)
    shown_times = await asyncio.gather(*tasks)
    cpu, saved_times = watching.cpu - before, await load_saved_times(db, run)
    return cpu, [1000 * (times[turn] - saved_times[turn]) for times in shown_times for turn in times if turn > 2]


async def measure_page_sizes(client: httpx.AsyncClient, run: str) -> dict[str, int]:
    """Return the size of each page in bytes, with everything that it loads."""
    page_sizes = {}
    for path in PAGES:
        page = (await client.get(path.format(run=run))).text
        parts = set(re.findall(r'(?:href|src)="(/assets/[^"]+)"', page))
        page_sizes[path] = len(page.encode()) + sum([len((await client.get(part)).content) for part in parts])
    return page_sizes


async def print_measurements(watchers: list[int], turns: int, folder: Path) -> None:
    """Measure and print CPU and delays for each number of watchers, then the size of each page."""
    db = folder / "moot.db"
    async with open_room_client(folder) as room, open_room_client(folder) as other:
        await measure_run(room, room, 1, 2, db)  # warm
        print("| room | watchers | CPU, s | shown after, ms: median | most |\n|---|---|---|---|---|")
        for driving, label in ((room, "drives it"), (other, "follows another process")):
            for count in watchers:
                cpu, delays = await measure_run(driving, room, count, turns, db)
                text = f"{statistics.median(delays):.0f} | {max(delays):.0f}" if delays else "– | –"
                print(f"| {label} | {count} | {cpu:.2f} | {text} |", flush=True)
        async with open_database(db) as store:
            run = (await store.runs.list_runs())[0].run
        for path, size in (await measure_page_sizes(room.client, run)).items():
            print(f"{path}: {size / 1000:.0f} kB")


def main() -> None:
    """Run the measurement that the command's options select."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--watchers", type=int, nargs="+", default=[0, 1, 50])
    parser.add_argument("--turns", type=int, default=20)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(print_measurements(args.watchers, args.turns, Path(folder)))


if __name__ == "__main__":
    main()
