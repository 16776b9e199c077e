"""What a room costs: its CPU with many watchers, how soon a statement is shown, what its pages weigh. On Linux.

    python benchmarks/room.py [--watchers 0 1 50] [--turns 20]

Prints the figures; nothing is judged. A rehearsal speaks, so that all time is the room's own.
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

PACE = "0.2"
"""Seconds that a rehearsed answer takes."""
PAGES = ["/", "/new", "/new?protocol=consensus", "/runs/{run}", "/runs/{run}/fork", "/compare?a={run}&b={run}"]
Shown = dict[int, float]
"""When each turn was shown, by its number: seconds of the clock."""


@dataclass(frozen=True)
class Open:
    """An open room, and somebody who has come in."""

    room: Room
    client: httpx.AsyncClient

    @property
    def cpu(self) -> float:
        """Seconds of CPU that the room's process has used so far."""
        fields = Path(f"/proc/{self.room.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@asynccontextmanager
async def opened_room(folder: Path) -> AsyncIterator[Open]:
    """A room on the database of a folder."""
    limits = httpx.Limits(max_connections=None)
    with open_room(folder, "--rehearsal-delay", PACE) as room:
        head = {"origin": room.root}
        async with httpx.AsyncClient(
            base_url=room.root, headers=head, limits=limits, timeout=60, trust_env=False
        ) as client:
            await client.get(room.address)
            yield Open(room, client)


async def begun(client: httpx.AsyncClient, turns: int) -> str:
    """A rehearsal of so many turns; its name."""
    filled = {"topic": "Is tea better than coffee?", "max_turns": str(turns), "dynamic_termination": "false"}
    answer = await client.post("/new?protocol=debate", data={**filled, "do": "rehearse"})
    return answer.headers["location"].rpartition("/")[2]


async def watched(client: httpx.AsyncClient, run: str) -> Shown:
    """Read a run's events to its end."""
    shown: Shown = {}
    async with client.stream("GET", f"/runs/{run}/events") as stream:
        async for kind, data in _events(stream):
            if kind == "said" and (turn := re.search(r'"turn": (\d+)', data)):
                shown.setdefault(int(turn[1]), time.time())
            if kind == "ended":
                break
    return shown


async def _events(stream: httpx.Response) -> AsyncIterator[tuple[str, str]]:
    kind = ""
    async for line in stream.aiter_lines():
        if line.startswith("event: "):
            kind = line[7:]
        elif line.startswith("data: "):
            yield kind, line[6:]


async def saved_at(db: Path, run: str) -> Shown:
    """When the checkpoint with each turn was written."""
    async with open_database(db) as store:
        found: Shown = {}
        for checkpoint in await list_checkpoints(store, await load_saved_run(store, run)):
            for statement in checkpoint.values.get("history", []):
                found.setdefault(statement.turn, datetime.fromisoformat(checkpoint.at).timestamp())
        return found


async def followed(driving: Open, watching: Open, watchers: int, turns: int, db: Path) -> tuple[float, list[float]]:
    """CPU of the watching room during one run, and how many ms after it was saved each statement was shown."""
    before = watching.cpu
    run = await begun(driving.client, turns)
    tasks = [asyncio.create_task(watched(watching.client, run)) for _ in range(watchers)]
    async with open_database(db) as store:
        while not (await store.runs.get_run(run)).finished:
            await asyncio.sleep(0.2)
    shown = await asyncio.gather(*tasks)
    used, written = watching.cpu - before, await saved_at(db, run)
    return used, [1000 * (one[turn] - written[turn]) for one in shown for turn in one if turn > 2]


async def weights(client: httpx.AsyncClient, run: str) -> dict[str, int]:
    """The bytes of each page with all that it loads."""
    found = {}
    for path in PAGES:
        page = (await client.get(path.format(run=run))).text
        parts = set(re.findall(r'(?:href|src)="(/assets/[^"]+)"', page))
        found[path] = len(page.encode()) + sum([len((await client.get(part)).content) for part in parts])
    return found


async def measured(watchers: list[int], turns: int, folder: Path) -> None:
    """Make all measurements, and print them."""
    db = folder / "moot.db"
    async with opened_room(folder) as room, opened_room(folder) as other:
        await followed(room, room, 1, 2, db)  # warm
        print("| room | watchers | CPU, s | shown after, ms: median | most |\n|---|---|---|---|---|")
        for driving, label in ((room, "drives it"), (other, "follows another process")):
            for count in watchers:
                used, late = await followed(driving, room, count, turns, db)
                text = f"{statistics.median(late):.0f} | {max(late):.0f}" if late else "– | –"
                print(f"| {label} | {count} | {used:.2f} | {text} |", flush=True)
        async with open_database(db) as store:
            run = (await store.runs.list_runs())[0].run
        for path, size in (await weights(room.client, run)).items():
            print(f"{path}: {size / 1000:.0f} kB")


def main() -> None:
    """Read what is asked, and measure it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--watchers", type=int, nargs="+", default=[0, 1, 50])
    parser.add_argument("--turns", type=int, default=20)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measured(args.watchers, args.turns, Path(folder)))


if __name__ == "__main__":
    main()
