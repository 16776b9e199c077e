"""What a deliberation costs, beside a bare client and a plain LangGraph loop, with a model server that has no model.

    python benchmarks/run.py [--pairs 5] [--turns 320 1000] [--only PART …] [--write]

Prints figures, means of what was measured in turn, and targets with their spread; `--write` puts the figures into
`benchmarks/FIGURES.md` and the targets into `docs/cost.md`. Fails only where a target is missed by a quarter, at the
better end of its spread.
"""

import argparse
import json
import statistics
import sys
import time
import urllib.request
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import many
import real
from measure import abreast, apart, course, crowd, estimates, started, tails, unjournaled, warm
from targets import Figures, Table, Target, targets

SUPPORT = Path(__file__).parents[1] / "tests" / "support"
PAGE = Path(__file__).parents[1] / "docs" / "cost.md"
FIGURES = Path(__file__).with_name("FIGURES.md")
BEGIN, END = "<!-- figures: make bench -->", "<!-- end of figures -->"
MAIN_TARGETS = (
    "discussion 320 turns: CPU",
    "consensus 320 turns: CPU",
    "50 runs at once",
    "discussion 320: tokens that a prefix",
    "a real model",
    "import of a graph",
    "experiments: runs per second",
)
"""Beginnings of the targets that the page of costs shows next to those that are missed."""
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


def loops(pairs: int, turns: list[int]) -> Table:
    """Whole deliberations, loop by loop in turn: so many pairs of the shortest, and fewer of longer ones.

    What eight of the greatest length store is in the row of their loop already.
    """
    found: Table = defaultdict(list)
    with serving() as url:
        for length in turns:
            for _ in range(pairs if length == turns[0] else 1 + pairs // 4):
                for loop in ("bare", "plain", "discussion", "consensus"):
                    one = counted(url, partial(apart, course, loop, url, 8, length, {}))
                    found[f"{loop} {length}"].append(one)
        for loop in ("discussion", "consensus"):
            found[f"{loop} {turns[0]} without a journal"] = [apart(unjournaled, loop, url, 8, turns[0])]
        short, long = min(100, turns[-1]), min(1000, turns[-1])
        for seats, length in ((2, short), (2, long), (8, short)):
            found[f"stored {seats} {length}"] = [apart(course, "discussion", url, seats, length, {})]
    if f"discussion {long}" in found:
        found[f"stored 8 {long}"] = found[f"discussion {long}"][:1]
    return dict(found)


def crowds(pairs: int, turns: int) -> Table:
    """Many deliberations in one process, loop by loop in turn: half as many pairs, since each is of many turns."""
    names = ("bare", "plain", "whole lists", "discussion")
    with serving() as url:
        rounds = [
            [apart(crowd, loop, url, min(50, turns), min(24, turns)) for loop in names] for _ in range(-(-pairs // 2))
        ]
    return {f"crowd {loop}": [row[i] for row in rounds] for i, loop in enumerate(names)}


def waiting(turns: int) -> Table:
    """Wall time at 50 ms a call: sequential turns; a blind round, four sequential ones and ballots; and what a bare
    client waits for so many calls side by side, which share one processor."""
    vote = {"blind_first_round": True, "vote": "plurality", "retry_delays": [0.0]}
    with serving(latency=0.05) as url:
        return {
            "bare at 50 ms": [apart(course, "bare", url, 8, turns, {})],
            "bare side by side at 50 ms": [apart(abreast, url, [1, 5, 8])],
            "discussion at 50 ms": [apart(warm, "discussion", url, 8, turns, {})],
            "consensus, blind and with a vote, at 50 ms": [apart(warm, "consensus", url, 8, turns, vote)],
        }


def justice() -> Table:
    """Wall time of an experiment of five at 50 ms a call; who takes part answers what was asked."""
    sys.path.append(str(SUPPORT))
    from fakeserver import FakeServer
    from runs.five import alone_and_together

    with FakeServer(alone_and_together, latency=0.05, keep_alive=True) as server:
        return {"justice, five in one round, at 50 ms": [apart(warm, "justice", server.url, 5, 5, {})]}


def patient(most: int) -> Table:
    """Wall time at 1.5 s a call."""
    with serving(latency=1.5) as url:
        lengths = sorted({min(turns, most) for turns in (8, 20)})
        return {f"slow {turns}": [apart(course, "discussion", url, 2, turns, {})] for turns in lengths}


def starting() -> Table:
    """Seconds to start."""
    python = sys.executable
    return {
        "start": [
            {
                "help": started(str(Path(python).with_name("moot")), "--help"),
                "graph": started(python, "-c", "import moot.graphs.debate"),
                "langgraph": started(python, "-c", "import langgraph.graph, langchain_core"),
            }
        ]
    }


def remembering(turns: int) -> Table:
    """Memory of a long run that shows its newest statements only."""
    with serving(words="145") as url:
        return {"memory": [apart(course, "discussion", url, 8, turns, {"view": {"policy": "windowed"}})]}


def experiments(most: int) -> Table:
    """Rates of experiments at 0.2 s a call, and how a long plan is listed."""
    runs, items = min(24, most), min(500, 10 * most)
    with serving(latency=0.2) as url:
        rates = apart(many.rates, url, runs)
    return {"experiments": [rates], f"plan of {10 * items:,} runs": [apart(many.listing, items)]}


def real_model(turns: int) -> Table:
    """A real small model: ours beside loops with one text and with the persona first."""
    asked = [(loop, tokens) for tokens in real.SIZES for loop in real.LOOPS]
    return {f"real {loop}, {tokens} tokens": [apart(real.course, loop, tokens, turns)] for loop, tokens in asked}


def measured(pairs: int, turns: list[int], only: list[str]) -> Table:
    """The measurements of these parts, of all if none is named, one after the other.

    Those that wait for a slow server go on beside those of a real model. Nothing is longer than the shortest
    deliberation asked for, but for what is about long ones.
    """
    most = turns[0]
    parts: dict[str, Callable[[], Table]] = {
        "slow": partial(patient, most),
        "real": partial(real_model, min(real.TURNS, most)),
        "loops": partial(loops, pairs, turns),
        "crowds": partial(crowds, pairs, most),
        "retry_delays": partial(waiting, min(40, most)),
        "justice": justice,
        "tails": lambda: {"tail": [apart(tails)]},
        "start": starting,
        "estimates": lambda: {"estimates": [apart(estimates)]},
        "memory": partial(remembering, turns[-1]),
        "experiments": partial(experiments, most),
    }
    assert set(only) <= set(parts), f"the parts are {', '.join(parts)}"
    asked = {name: part for name, part in parts.items() if name in only or not only}
    found: Table = {}
    with ThreadPoolExecutor(1) as beside:
        slow = beside.submit(asked.pop("slow", dict))
        for name, part in asked.items():
            start = time.perf_counter()
            found |= part()
            print(f"{name}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
            if name == "real":
                slow.result()
    return found | slow.result()


COLUMNS = {
    "cpu": "ms a turn",
    "first": "first tenth",
    "last": "last tenth",
    "uncached": "uncached tokens",
    "bytes": "bytes stored per turn",
    "written": "bytes written a turn",
    "rate": "turns/s",
    "seconds": "seconds",
    "memory": "MB",
    "evaluated": "tokens read per turn",
    "seconds a turn": "seconds a turn",
    "first quarter": "first quarter",
    "last quarter": "last quarter",
}


def figures(found: Table) -> list[str]:
    """Tables of the figures: those of a real model stand apart."""
    lines = list[str]()
    for keys in (list(COLUMNS)[:9], list(COLUMNS)[9:]):
        rows = {name: row for name, row in found.items() if set(row[0]) & set(keys)}
        if rows:
            lines += [f"| | {' | '.join(COLUMNS[key] for key in keys)} |", "|---" * (len(keys) + 1) + "|"]
            lines += [f"| {name} | {' | '.join(shown(row, key) for key in keys)} |" for name, row in rows.items()]
            lines.append("")
    return lines


def shown(row: list[Figures], key: str) -> str:
    """The mean of a figure; nothing, if there is none."""
    return f"{statistics.mean(cell[key] for cell in row):,.2f}" if key in row[0] else ""


def judged(rows: list[Target]) -> list[str]:
    """The table of targets, with the spread of what was measured more than once."""
    lines = ["| target | figure | spread | bound | result |", "|---|---|---|---|---|"]
    for row in rows:
        spread = f"{min(row.found):,.2f} to {max(row.found):,.2f}" if len(row.found) > 1 else ""
        sign = "≥" if row.least else "≤"
        lines.append(f"| {row.what} | {row.figure:,.2f} | {spread} | {sign} {row.bound:,.2f} | {row.verdict} |")
    return lines


def put(page: Path, lines: list[str]) -> None:
    """Replace what stands between the page's two marks."""
    before, mark, rest = page.read_text("utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    assert mark, f"{page} has no line {BEGIN}"
    assert end, f"{page} has no line {END}"
    page.write_text("\n".join([before + BEGIN, "", *lines, "", END]) + after, "utf-8")


def main() -> None:
    """Measure and report."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--pairs", type=int, default=5, help="how often what is compared is measured in turn")
    options.add_argument("--turns", type=int, nargs="+", default=[320, 1000], help="lengths of the deliberations")
    options.add_argument("--only", nargs="+", default=[], metavar="PART", help="parts such as loops, waits, real")
    options.add_argument("--write", action="store_true", help="put the tables into docs/cost.md and FIGURES.md")
    args = options.parse_args()
    found = measured(args.pairs, sorted(args.turns), args.only)
    rows = targets(found)
    print("\n".join([*figures(found), *judged(rows)]))
    if args.write:
        put(PAGE, judged([row for row in rows if row.what.startswith(MAIN_TARGETS) or row.verdict != "ok"]))
        put(FIGURES, [*figures(found), *judged(rows)])
    sys.exit(1 if any(row.fails for row in rows) else 0)


if __name__ == "__main__":
    main()
