"""Rates of experiments with and without a queue, and the time to list a long plan."""

import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import yaml
from targets import Figures

MOOT = str(Path(sys.executable).with_name("moot"))
SUPPORT = Path(__file__).parents[1] / "tests" / "support"


def measure_rates(url: str, runs: int = 24) -> Figures:
    """Measure runs per second without a queue, with one worker and with two.

    The time to start is not included.
    """
    with tempfile.TemporaryDirectory() as folder, start_postgres() as make_address:
        plan = write_plan(Path(folder), {"model": f"openai:fake-model@{url}", "retry_delays": [0]}, runs, 1)
        alone = _measure_rate(runs, ["run", plan, "--db", make_address()])
        rates = list[float]()
        for workers in (1, 2):
            address = make_address()
            subprocess.run([MOOT, "experiment", "run", plan, "--workers", "--db", address], check=True, **QUIET)
            rates.append(_measure_rate(runs, ["work", "--exit-when-done", "--db", address], workers))
    return {"alone": alone, "one": rates[0], "two": rates[1]}


def measure_listing(items: int = 500, repeats: int = 10) -> Figures:
    """Measure the seconds and resident MB of `moot experiment status` on a long plan, start included.

    The plan has `items` × `repeats` runs.
    """
    with tempfile.TemporaryDirectory() as folder:
        address = f"{folder}/runs.db"
        settings = {"model": "rehearsal", "budget": {"calls": 3}}
        for size, times in ((1, 1), (items, repeats)):  # the first run spends the cap, so that no other run starts
            plan = write_plan(Path(folder), settings, size, times, cap={"calls": 3})
            subprocess.run([MOOT, "experiment", "run", plan, "--db", address], check=False, **QUIET)
        with sqlite3.connect(address) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
        start = time.perf_counter()
        process = subprocess.Popen([MOOT, "experiment", "status", "many", "--db", address], **QUIET)
        _, process.returncode, usage = os.wait4(process.pid, 0)
        return {"seconds": time.perf_counter() - start, "resident": usage.ru_maxrss / 1024}


QUIET: dict[str, int] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def write_plan(folder: Path, settings: dict[str, object], items: int, repeats: int, **changes: object) -> str:
    """Write a plan of `items` × `repeats` debates of two turns and a synthesis. Return its path."""
    plan = {
        "name": "many",
        "protocol": "debate",
        "items": [f"Topic {number}?" for number in range(items)],
        "repeats": repeats,
        "settings": {"max_turns": 2, **settings},
    }
    path = folder / f"plan-{items}.yaml"
    path.write_text(yaml.safe_dump(plan | changes))
    return str(path)


def _measure_rate(runs: int, arguments: Sequence[str], workers: int = 1) -> float:
    """Measure the runs per second of a command. Its duration without any run left is subtracted.

    `arguments`: arguments of the command. `workers`: number of processes.
    """
    return runs / (_time_command(arguments, workers) - _time_command(arguments, workers))


def _time_command(arguments: Sequence[str], workers: int) -> float:
    start = time.perf_counter()
    processes = [subprocess.Popen([MOOT, "experiment", *arguments], **QUIET) for _ in range(workers)]
    codes = [process.wait() for process in processes]
    assert codes == [0] * workers, f"moot experiment {' '.join(arguments)} ended with {codes}"
    return time.perf_counter() - start


@contextmanager
def start_postgres() -> Iterator[Callable[[], str]]:
    """Start a PostgreSQL server. Yield a function that makes a new database and returns its address."""
    sys.path.append(str(SUPPORT))
    from servers import postgres

    with postgres.cluster() as running:
        yield running.fresh
