"""Experiments of many runs: with and without a queue while the model waits, and how fast a long plan is listed."""

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


def rates(url: str, runs: int = 24) -> Figures:
    """Runs a second: in one process without a queue, by one worker, by two; what each takes to start is left out."""
    with tempfile.TemporaryDirectory() as folder, database() as address:
        plan = written(Path(folder), {"model": f"openai:fake-model@{url}", "retry_delays": [0]}, runs, 1)
        alone = _rate(runs, ["run", plan, "--db", address()])
        rates = list[float]()
        for workers in (1, 2):
            place = address()
            subprocess.run([MOOT, "experiment", "run", plan, "--workers", "--db", place], check=True, **QUIET)
            rates.append(_rate(runs, ["work", "--exit-when-done", "--db", place], workers))
    return {"alone": alone, "one": rates[0], "two": rates[1]}


def listing(items: int = 500, repeats: int = 10) -> Figures:
    """Seconds and resident MB in which `status` lists a plan of 5,000 runs, its start included."""
    with tempfile.TemporaryDirectory() as folder:
        place = f"{folder}/runs.db"
        settings = {"model": "rehearsal", "budget": {"calls": 3}}
        for size, times in ((1, 1), (items, repeats)):  # the first run spends the cap, so that no other is begun
            plan = written(Path(folder), settings, size, times, cap={"calls": 3})
            subprocess.run([MOOT, "experiment", "run", plan, "--db", place], check=False, **QUIET)
        with sqlite3.connect(place) as connect:
            connect.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connect.close()
        start = time.perf_counter()
        popen = subprocess.Popen([MOOT, "experiment", "status", "many", "--db", place], **QUIET)
        _, popen.returncode, used = os.wait4(popen.pid, 0)
        return {"seconds": time.perf_counter() - start, "resident": used.ru_maxrss / 1024}


QUIET: dict[str, int] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def written(folder: Path, settings: dict[str, object], items: int, repeats: int, **more: object) -> str:
    """A plan of so many debates of two turns and a synthesis."""
    plan = {
        "name": "many",
        "protocol": "debate",
        "items": [f"Topic {number}?" for number in range(items)],
        "repeats": repeats,
        "settings": {"max_turns": 2, **settings},
    }
    path = folder / f"plan-{items}.yaml"
    path.write_text(yaml.safe_dump(plan | more))
    return str(path)


def _rate(runs: int, words: Sequence[str], workers: int = 1) -> float:
    """Runs a second of a command, over what it takes when nothing is left to do."""
    return runs / (_seconds(words, workers) - _seconds(words, workers))


def _seconds(words: Sequence[str], workers: int) -> float:
    start = time.perf_counter()
    at_work = [subprocess.Popen([MOOT, "experiment", *words], **QUIET) for _ in range(workers)]
    codes = [one.wait() for one in at_work]
    assert codes == [0] * workers, f"moot experiment {' '.join(words)} ended with {codes}"
    return time.perf_counter() - start


@contextmanager
def database() -> Iterator[Callable[[], str]]:
    """Addresses of fresh databases on a PostgreSQL server of its own."""
    sys.path.append(str(SUPPORT))
    from servers import postgres

    with postgres.cluster() as running:
        yield running.fresh
