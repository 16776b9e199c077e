"""One measurement each, made in a process of its own: `figures(...)` gives a flat table of numbers."""

import asyncio
import math
import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from targets import Figures


def apart(measurement: Callable[..., Figures], *about: object) -> Figures:
    """The measurement, made in a fresh process."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(measurement, *about).result()


def course(loop: str, url: str, seats: int, turns: int, settings: dict[str, object]) -> Figures:
    """A whole deliberation: own CPU per turn in ms, seconds, bytes stored and bytes handed to `write` per turn, MB of
    memory over the first turn.

    `loop`: `bare`, `plain`, or the name of one of our protocols.
    """
    return asyncio.run(_course(loop, url, seats, turns, settings))


async def _course(loop: str, url: str, seats: int, turns: int, settings: dict[str, object]) -> Figures:
    with tempfile.TemporaryDirectory() as folder:
        path, before = f"{folder}/runs.db", written()
        done = await _played(loop, "run", path, (url, seats, turns), settings)
        return done.tenths() | {
            "seconds": done.seconds,
            "memory": peak() - done.memory,
            "bytes": size(path) / turns,
            "written": (written() - before) / turns,
            **{wide(width): calls for width, calls in done.critical.items()},
        }


def warm(loop: str, url: str, seats: int, turns: int, settings: dict[str, object]) -> Figures:
    """The same in a process that has played one round of it before: what starts up is a target of its own."""
    course(loop, url, seats, seats, settings)
    return course(loop, url, seats, turns, settings)


def unjournaled(loop: str, url: str, seats: int, turns: int) -> Figures:
    """The same without the journal of spending."""
    from moot.storage import suspend_journal

    with suspend_journal():
        return course(loop, url, seats, turns, {})


def estimates() -> Figures:
    """Seconds of each protocol's estimate, the quicker of two."""
    from moot.app.protocols.protocol import PROTOCOLS, get_protocol
    from moot.app.run import RunOptions, build_request
    from moot.app.run.estimate import estimate_cost

    found = dict[str, float]()
    for name in [*PROTOCOLS] * 2:
        given = {} if name == "justice" else {"query" if name == "panel" else "topic": "Tea or coffee?"}
        capped = ["max_turns=20"] if name == "discussion" else []
        request = build_request(get_protocol(name), given, RunOptions(set=["model=openai:gpt-5-mini", *capped]))
        start = time.perf_counter()
        asyncio.run(estimate_cost(request))
        found[name] = min(time.perf_counter() - start, found.get(name, math.inf))
    return found


def abreast(url: str, widths: list[int]) -> Figures:
    """Seconds in which a bare client has the answers to so many calls made side by side."""
    import bare

    return {wide(width): asyncio.run(bare.abreast(url, width)) for width in widths}


def wide(width: int) -> str:
    """The name of figures about so many calls side by side."""
    return f"{width} wide"


def tails() -> Figures:
    """The longest private tail of a turn's prompt beyond persona and memory, in every talk and language, as its test
    takes it: words, and in Chinese characters."""
    tests = Path(__file__).parents[1] / "tests"
    sys.path += [str(tests / "support"), str(tests / "graphs")]
    import test_tail

    def longest(languages: list[str], counted: Callable[[str], int]) -> float:
        asked = [(talk, language) for talk in test_tail.TALKS for language in languages]
        return max(counted(test_tail.tail(turn, to)) for talk, to in asked for turn in test_tail.turns(talk, to))

    return {
        "words": longest(["en", "es"], lambda text: len(text.split())),
        "characters": longest(["zh"], lambda text: len("".join(text.split()))),
    }


def crowd(loop: str, url: str, runs: int, turns: int) -> Figures:
    """Turns per second of several deliberations of eight at once."""
    with tempfile.TemporaryDirectory() as folder:
        done = asyncio.run(_played(loop, "many", f"{folder}/runs.db", (url, runs, turns), {}))
    return {"rate": runs * turns / done.seconds}


async def _played(loop: str, play: str, path: str, size: tuple[str, int, int], settings: dict[str, object]) -> Any:
    """The course of a loop's `run` with so many seats, or of so many at once (`many`), saved at `path`."""
    import bare
    import ours
    import plain
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    url, number, turns = size
    if loop == "bare":
        return await getattr(bare, play)(url, number, turns)
    if loop in plain.STATES:
        async with AsyncSqliteSaver.from_conn_string(path) as saver:
            return await getattr(plain, play)(url, number, turns, saver, loop)
    async with ours.store(path) as store:
        rules = ours.rules(loop, url, number if play == "run" else 8, turns, **settings)
        return await getattr(ours, play)(store, number, rules)


def peak() -> float:
    """The most memory this process ever had resident, in MB."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 * 1024 if sys.platform == "darwin" else 1024)


def written() -> int:
    """Bytes this process has handed to `write` so far; 0 where the system does not count them."""
    counts = Path("/proc/self/io")
    return int(counts.read_text().split()[3]) if counts.exists() else 0


def size(path: str) -> int:
    """Bytes of a database once its log is written back; 0 if there is none."""
    if not Path(path).exists():
        return 0
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return Path(path).stat().st_size


def started(*command: str) -> float:
    """Seconds until a command has ended, the quickest of five."""
    return min(_timed(command) for _ in range(5))


def _timed(command: tuple[str, ...]) -> float:
    usual = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=usual)
    return time.perf_counter() - start
