"""Measurements of deliberations and commands. Each returns its figures by name.

The caller runs each in a new process.
"""

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


def run_isolated(measurement: Callable[..., Figures], *arguments: object) -> Figures:
    """Run a measurement in a new process, and return its figures."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(measurement, *arguments).result()


def measure_deliberation(loop: str, url: str, seats: int, turns: int, settings: dict[str, object]) -> Figures:
    """Measure one deliberation.

    Figures: own CPU per turn in ms, seconds, bytes stored and bytes passed to `write` per turn, MB of memory beyond
    the first turn. `loop`: `bare` (no LangGraph), a key of `plain_loop.STATES`, or the name of a protocol.
    """
    return asyncio.run(_measure_deliberation(loop, url, seats, turns, settings))


async def _measure_deliberation(loop: str, url: str, seats: int, turns: int, settings: dict[str, object]) -> Figures:
    with tempfile.TemporaryDirectory() as folder:
        path, before = f"{folder}/runs.db", count_written_bytes()
        meter = await _run_loop(loop, "run_deliberation", path, (url, seats, turns), settings)
        return meter.compute_cpu_per_turn() | {
            "seconds": meter.seconds,
            "memory": get_peak_memory() - meter.memory,
            "bytes": get_database_size(path) / turns,
            "written": (count_written_bytes() - before) / turns,
            **{format_width(width): calls for width, calls in meter.critical_calls.items()},
        }


def measure_warm_deliberation(loop: str, url: str, seats: int, turns: int, settings: dict[str, object]) -> Figures:
    """Measure a deliberation after another one in the same process, so without the time to start.

    Parameters and figures are those of `measure_deliberation`.
    """
    measure_deliberation(loop, url, seats, seats, settings)
    return measure_deliberation(loop, url, seats, turns, settings)


def measure_without_journal(loop: str, url: str, seats: int, turns: int) -> Figures:
    """Measure a deliberation without the journal of paid requests.

    Parameters and figures are those of `measure_deliberation`.
    """
    from moot.storage import suspend_journal

    with suspend_journal():
        return measure_deliberation(loop, url, seats, turns, {})


def time_estimates() -> Figures:
    """Measure the seconds that the cost estimate of each protocol takes, the faster of two times."""
    from moot.app.protocols.registry import PROTOCOLS, get_protocol
    from moot.app.run import RunOptions, build_request
    from moot.app.run.estimate import estimate_cost

    seconds_by_protocol = dict[str, float]()
    for name in [*PROTOCOLS] * 2:
        values = {} if name == "justice" else {"query" if name == "panel" else "topic": "Tea or coffee?"}
        settings = ["max_turns=20"] if name == "discussion" else []
        request = build_request(get_protocol(name), values, RunOptions(set=["model=openai:gpt-5-mini", *settings]))
        start = time.perf_counter()
        asyncio.run(estimate_cost(request))
        seconds_by_protocol[name] = min(time.perf_counter() - start, seconds_by_protocol.get(name, math.inf))
    return seconds_by_protocol


def time_parallel_calls(url: str, widths: list[int]) -> Figures:
    """Measure the seconds until a plain client has the answers to parallel calls.

    `widths`: numbers of parallel calls. There is a figure for each.
    """
    import bare_loop

    return {format_width(width): asyncio.run(bare_loop.time_parallel_calls(url, width)) for width in widths}


def format_width(width: int) -> str:
    """Return the name of the figure for `width` parallel calls."""
    return f"{width} wide"


def measure_private_tails() -> Figures:
    """Measure the longest part of a prompt that only one participant gets, by protocol and language.

    Personas and memory are left out. Units: words, for Chinese characters.
    """
    tests = Path(__file__).parents[1] / "tests"
    sys.path += [str(tests / "support"), str(tests / "graphs")]
    import test_tail

    def find_longest(languages: list[str], count_units: Callable[[str], int]) -> float:
        cases = [(talk, language) for talk in test_tail.TALKS for language in languages]
        return max(
            count_units(test_tail.tail(turn, language))
            for talk, language in cases
            for turn in test_tail.turns(talk, language)
        )

    return {
        "words": find_longest(["en", "es"], lambda text: len(text.split())),
        "characters": find_longest(["zh"], lambda text: len("".join(text.split()))),
    }


def measure_crowd(loop: str, url: str, runs: int, turns: int) -> Figures:
    """Measure the turns per second of `runs` deliberations of eight participants at the same time."""
    with tempfile.TemporaryDirectory() as folder:
        meter = asyncio.run(_run_loop(loop, "run_many", f"{folder}/runs.db", (url, runs, turns), {}))
    return {"rate": runs * turns / meter.seconds}


async def _run_loop(
    loop: str, function: str, path: str, size: tuple[str, int, int], settings: dict[str, object]
) -> Any:
    """Run one function of a loop's module with a database at `path`, and return the measured times.

    `size`: address of the model, number of seats or of runs, and turns.
    """
    import bare_loop
    import moot_loop
    import plain_loop
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    url, number, turns = size
    if loop == "bare":
        return await getattr(bare_loop, function)(url, number, turns)
    if loop in plain_loop.STATES:
        async with AsyncSqliteSaver.from_conn_string(path) as saver:
            return await getattr(plain_loop, function)(url, number, turns, saver, loop)
    async with moot_loop.open_store(path) as store:
        seats = number if function == "run_deliberation" else 8
        run_settings = moot_loop.build_settings(loop, url, seats, turns, **settings)
        return await getattr(moot_loop, function)(store, number, run_settings)


def get_peak_memory() -> float:
    """Return the maximum resident memory of this process, in MB."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 * 1024 if sys.platform == "darwin" else 1024)


def count_written_bytes() -> int:
    """Return the bytes that this process has passed to `write`; 0 if the system does not count them."""
    counts = Path("/proc/self/io")
    return int(counts.read_text().split()[3]) if counts.exists() else 0


def get_database_size(path: str) -> int:
    """Return the bytes of a database after its log is written back; 0 without a database."""
    if not Path(path).exists():
        return 0
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return Path(path).stat().st_size


def time_command(*command: str) -> float:
    """Return the duration of a command in seconds, the shortest of five runs."""
    return min(_time_command(command) for _ in range(5))


def _time_command(command: tuple[str, ...]) -> float:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    return time.perf_counter() - start
