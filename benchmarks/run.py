"""What a deliberation costs, beside a bare client and a plain LangGraph loop, with a model server that has no model.

    python benchmarks/run.py [--runs 3] [--turns 320 1000] [--slow]

Prints one table of figures, medians of the runs, and one of targets. Fails only where a target is missed by a quarter.
"""

import argparse
import json
import statistics
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from measure import Figures, abreast, apart, course, crowd, started, warm
from targets import Table, targets

SUPPORT = Path(__file__).parents[1] / "tests" / "support"
WORDS = "95"
"""Words of a statement."""


@contextmanager
def serving(words: str = WORDS, latency: float = 0.0) -> Iterator[str]:
    """A model server in a process of its own."""
    sys.path.append(str(SUPPORT))
    from fakeserver import apart as server

    with server("--words", words, "--latency", str(latency)) as url:
        yield url


def counted(url: str, measure: Callable[[], Figures]) -> Figures:
    """A measurement, with the prompt tokens that no prefix cache could have served."""
    root = url.removesuffix("/v1")
    urllib.request.urlopen(urllib.request.Request(f"{root}/reset", method="POST")).close()
    found = measure()
    with urllib.request.urlopen(f"{root}/stats") as answer:
        spent = json.load(answer)
    return found | {"uncached": spent["prompt_tokens"] - spent["cached_tokens"], "calls": spent["chats"]}


def median(runs: list[Table]) -> Table:
    """Figure by figure, the median of several runs."""
    return {
        name: {key: statistics.median(run[name][key] for run in runs) for key in row} for name, row in runs[0].items()
    }


def once(turns: list[int], slow: bool) -> Table:
    """All measurements, one after the other."""
    found: Table = {}
    with serving() as url:
        for length in turns:
            for loop in ("bare", "plain", "discussion", "consensus"):
                found[f"{loop} {length}"] = counted(url, lambda a=loop, n=length: apart(course, a, url, 8, n, {}))
        for seats in (2, 8):
            for length in sorted({min(100, turns[-1]), min(1000, turns[-1])}):
                found[f"stored {seats} {length}"] = apart(course, "discussion", url, seats, length, {})
        for loop in ("bare", "plain", "discussion"):
            found[f"crowd {loop}"] = apart(crowd, loop, url, min(50, turns[0]), min(40, turns[0]))
    found |= waiting() | experimenting() | starting() | remembering(turns[-1])
    return found | (patient() if slow else {})


def waiting() -> Table:
    """Wall time at 50 ms a call: sequential turns; a blind round, four sequential ones and ballots; and what a bare
    client waits for so many calls side by side, which share one processor."""
    vote = {"blind_first_round": True, "vote": "plurality", "waits": [0.0]}
    with serving(latency=0.05) as url:
        return {
            "bare at 50 ms": apart(course, "bare", url, 8, 40, {}),
            "bare side by side at 50 ms": apart(abreast, url, [1, 5, 8]),
            "discussion at 50 ms": apart(warm, "discussion", url, 8, 40, {}),
            "consensus, blind and with a vote, at 50 ms": apart(warm, "consensus", url, 8, 40, vote),
        }


def experimenting() -> Table:
    """Wall time of an experiment of five at 50 ms a call; who takes part answers what was asked."""
    sys.path.append(str(SUPPORT))
    from fakeserver import FakeServer
    from runs.five import alone_and_together

    with FakeServer(alone_and_together, latency=0.05, keep_alive=True) as server:
        return {"justice, five in one round, at 50 ms": apart(warm, "justice", server.url, 5, 5, {})}


def patient() -> Table:
    """Wall time at 1.5 s a call."""
    with serving(latency=1.5) as url:
        return {f"slow {turns}": apart(course, "discussion", url, 2, turns, {}) for turns in (8, 20)}


def starting() -> Table:
    """Seconds to start."""
    python = sys.executable
    return {
        "start": {
            "help": started(str(Path(python).with_name("moot")), "--help"),
            "graph": started(python, "-c", "import moot.graphs.debate"),
            "langgraph": started(python, "-c", "import langgraph.graph, langchain_core"),
        }
    }


def remembering(turns: int) -> Table:
    """Memory of a long run that shows its newest statements only."""
    with serving(words="145") as url:
        return {"memory": apart(course, "discussion", url, 8, turns, {"view": {"policy": "windowed"}})}


def report(found: Table) -> bool:
    """Print figures and targets; whether none fails."""
    print("| | ms a turn | first tenth | last tenth | uncached tokens | bytes a turn | turns/s | seconds | MB |")
    print("|---|---|---|---|---|---|---|---|---|")
    keys = ("cpu", "first", "last", "uncached", "bytes", "rate", "seconds", "memory")
    for name, row in found.items():
        print(f"| {name} |", " | ".join(f"{row[key]:,.2f}" if key in row else "" for key in keys), "|")
    rows = targets(found)
    print("\n| target | figure | bound | ratio | |\n|---|---|---|---|---|")
    for one in rows:
        print(f"| {one.what} | {one.figure:,.2f} | {one.bound:,.2f} | {one.ratio:.2f} | {one.verdict} |")
    return not any(one.fails for one in rows)


def main() -> None:
    """Measure and report."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--runs", type=int, default=3, help="how often everything is measured; medians are shown")
    options.add_argument("--turns", type=int, nargs="+", default=[320, 1000], help="lengths of the deliberations")
    options.add_argument("--slow", action="store_true", help="also at 1.5 s a call")
    given = options.parse_args()
    found = median([once(sorted(given.turns), given.slow) for _ in range(given.runs)])
    sys.exit(0 if report(found) else 1)


if __name__ == "__main__":
    main()
