"""Measure what a deliberation costs beside a plain client and a plain LangGraph loop, without a model.

python benchmarks/run.py [--pairs 5] [--turns 320 1000] [--only PART …] [--write]

Prints the mean figures, and the targets with their spread. `--write` puts the figures into `benchmarks/FIGURES.md` and
the targets into `docs/cost.md`. Fails only if even the best measurement misses a target by a quarter.
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

import experiment_rates
import real_model
from measurements import (
    measure_crowd,
    measure_deliberation,
    measure_private_tails,
    measure_warm_deliberation,
    measure_without_journal,
    run_isolated,
    time_command,
    time_estimates,
    time_parallel_calls,
)
from targets import Figures, FiguresByName, Target, list_targets

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
    "time to import a graph",
    "experiments: runs per second",
)
"""Beginnings of the targets that the page of costs shows in addition to the missed ones."""
WORDS = "95"
"""Words of a statement."""


@contextmanager
def serve_fake_model(words: str = WORDS, latency: float = 0.0) -> Iterator[str]:
    """Serve a fake model in another process. Yield its address.

    `words`: length of its answers. `latency`: seconds before an answer.
    """
    sys.path.append(str(SUPPORT))
    from fakeserver import apart as serve_fake

    with serve_fake("--words", words, "--latency", str(latency)) as url:
        yield url


def measure_with_tokens(url: str, measure: Callable[[], Figures]) -> Figures:
    """Return the figures of `measure`, with its calls and the prompt tokens that no cache can serve."""
    root = url.removesuffix("/v1")
    urllib.request.urlopen(urllib.request.Request(f"{root}/reset", method="POST")).close()
    figures = measure()
    with urllib.request.urlopen(f"{root}/stats") as answer:
        counts = json.load(answer)
    return figures | {"uncached": counts["prompt_tokens"] - counts["cached_tokens"], "calls": counts["chats"]}


def compare_loops(pairs: int, turns: list[int]) -> FiguresByName:
    """Measure complete deliberations of each loop, one loop after the other.

    `pairs`: repetitions of the shortest length; longer ones have fewer. The bytes that eight participants store at the
    greatest length come from the row of their loop.
    """
    table: FiguresByName = defaultdict(list)
    with serve_fake_model() as url:
        for length in turns:
            for _ in range(pairs if length == turns[0] else 1 + pairs // 4):
                for loop in ("bare", "plain", "discussion", "consensus"):
                    measure = partial(run_isolated, measure_deliberation, loop, url, 8, length, {})
                    table[f"{loop} {length}"].append(measure_with_tokens(url, measure))
        for loop in ("discussion", "consensus"):
            table[f"{loop} {turns[0]} without a journal"] = [
                run_isolated(measure_without_journal, loop, url, 8, turns[0])
            ]
        short, long = min(100, turns[-1]), min(1000, turns[-1])
        for seats, length in ((2, short), (2, long), (8, short)):
            table[f"stored {seats} {length}"] = [
                run_isolated(measure_deliberation, "discussion", url, seats, length, {})
            ]
    if f"discussion {long}" in table:
        table[f"stored 8 {long}"] = table[f"discussion {long}"][:1]
    return dict(table)


def compare_crowds(pairs: int, turns: int) -> FiguresByName:
    """Measure many deliberations in one process, one loop after the other, with half of the pairs."""
    names = ("bare", "plain", "whole lists", "discussion")
    with serve_fake_model() as url:
        rounds = [
            [run_isolated(measure_crowd, loop, url, min(50, turns), min(24, turns)) for loop in names]
            for _ in range(-(-pairs // 2))
        ]
    return {f"crowd {loop}": [row[i] for row in rounds] for i, loop in enumerate(names)}


def measure_waiting(turns: int) -> FiguresByName:
    """Measure the wall time at 50 ms per call, of sequential turns and of parallel calls.

    Parallel calls are those of a blind round, of four other participants and of ballots. A plain client measures the
    wall time of parallel calls, which share one processor.
    """
    vote = {"blind_first_round": True, "vote": "plurality", "retry_delays": [0.0]}
    with serve_fake_model(latency=0.05) as url:
        return {
            "bare at 50 ms": [run_isolated(measure_deliberation, "bare", url, 8, turns, {})],
            "bare side by side at 50 ms": [run_isolated(time_parallel_calls, url, [1, 5, 8])],
            "discussion at 50 ms": [run_isolated(measure_warm_deliberation, "discussion", url, 8, turns, {})],
            "consensus, blind and with a vote, at 50 ms": [
                run_isolated(measure_warm_deliberation, "consensus", url, 8, turns, vote)
            ],
        }


def measure_justice() -> FiguresByName:
    """Measure the wall time of a justice experiment of five at 50 ms per call, with scripted answers."""
    sys.path.append(str(SUPPORT))
    from fakeserver import FakeServer
    from runs.five import alone_and_together

    with FakeServer(alone_and_together, latency=0.05, keep_alive=True) as server:
        return {
            "justice, five in one round, at 50 ms": [
                run_isolated(measure_warm_deliberation, "justice", server.url, 5, 5, {})
            ]
        }


def measure_slow_calls(max_turns: int) -> FiguresByName:
    """Measure the wall time at 1.5 s per call, of discussions with at most `max_turns` turns."""
    with serve_fake_model(latency=1.5) as url:
        lengths = sorted({min(turns, max_turns) for turns in (8, 20)})
        return {
            f"slow {turns}": [run_isolated(measure_deliberation, "discussion", url, 2, turns, {})] for turns in lengths
        }


def measure_starts() -> FiguresByName:
    """Measure the start times, in seconds, of `moot --help`, of a graph and of LangGraph alone."""
    python = sys.executable
    return {
        "start": [
            {
                "help": time_command(str(Path(python).with_name("moot")), "--help"),
                "graph": time_command(python, "-c", "import moot.graphs.debate"),
                "langgraph": time_command(python, "-c", "import langgraph.graph, langchain_core"),
            }
        ]
    }


def measure_memory(turns: int) -> FiguresByName:
    """Measure the memory of a long discussion whose prompts show only the newest statements."""
    with serve_fake_model(words="145") as url:
        return {
            "memory": [
                run_isolated(measure_deliberation, "discussion", url, 8, turns, {"view": {"policy": "windowed"}})
            ]
        }


def measure_experiments(max_turns: int) -> FiguresByName:
    """Measure the runs per second of experiments at 0.2 s per call, and the time to list a long plan."""
    runs, items = min(24, max_turns), min(500, 10 * max_turns)
    with serve_fake_model(latency=0.2) as url:
        rates = run_isolated(experiment_rates.measure_rates, url, runs)
    return {
        "experiments": [rates],
        f"plan of {10 * items:,} runs": [run_isolated(experiment_rates.measure_listing, items)],
    }


def measure_real_model(turns: int) -> FiguresByName:
    """Measure a small real model with Moot, and in loops with one text or with the persona first."""
    cases = [(loop, tokens) for tokens in real_model.SIZES for loop in real_model.LOOPS]
    return {
        f"real {loop}, {tokens} tokens": [run_isolated(real_model.measure_deliberation, loop, tokens, turns)]
        for loop, tokens in cases
    }


def measure_parts(pairs: int, turns: list[int], only: list[str]) -> FiguresByName:
    """Measure the parts in `only`, or all parts, one after the other.

    The part with a slow server runs while the real model is measured. Parts that are not about long deliberations
    use at most the smallest number of turns.
    """
    max_turns = turns[0]
    parts: dict[str, Callable[[], FiguresByName]] = {
        "slow": partial(measure_slow_calls, max_turns),
        "real": partial(measure_real_model, min(real_model.TURNS, max_turns)),
        "loops": partial(compare_loops, pairs, turns),
        "crowds": partial(compare_crowds, pairs, max_turns),
        "waits": partial(measure_waiting, min(40, max_turns)),
        "justice": measure_justice,
        "tails": lambda: {"tail": [run_isolated(measure_private_tails)]},
        "start": measure_starts,
        "estimates": lambda: {"estimates": [run_isolated(time_estimates)]},
        "memory": partial(measure_memory, turns[-1]),
        "experiments": partial(measure_experiments, max_turns),
    }
    assert set(only) <= set(parts), f"the parts are {', '.join(parts)}"
    chosen_parts = {name: part for name, part in parts.items() if name in only or not only}
    table: FiguresByName = {}
    with ThreadPoolExecutor(1) as executor:
        slow = executor.submit(chosen_parts.pop("slow", dict))
        for name, part in chosen_parts.items():
            start = time.perf_counter()
            table |= part()
            print(f"{name}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
            if name == "real":
                slow.result()
    return table | slow.result()


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


def format_figures(table: FiguresByName) -> list[str]:
    """Format the figures as the lines of Markdown tables. The real model has a table of its own."""
    lines = list[str]()
    for keys in (list(COLUMNS)[:9], list(COLUMNS)[9:]):
        rows = {name: row for name, row in table.items() if set(row[0]) & set(keys)}
        if rows:
            lines += [f"| | {' | '.join(COLUMNS[key] for key in keys)} |", "|---" * (len(keys) + 1) + "|"]
            lines += [f"| {name} | {' | '.join(format_mean(row, key) for key in keys)} |" for name, row in rows.items()]
            lines.append("")
    return lines


def format_mean(row: list[Figures], key: str) -> str:
    """Format the mean of the figure `key` over repetitions; empty without the figure."""
    return f"{statistics.mean(cell[key] for cell in row):,.2f}" if key in row[0] else ""


def format_targets(rows: list[Target]) -> list[str]:
    """Format the lines of the table of targets, with the spread of repeated measurements."""
    lines = ["| target | figure | spread | bound | result |", "|---|---|---|---|---|"]
    for row in rows:
        spread = f"{min(row.values):,.2f} to {max(row.values):,.2f}" if len(row.values) > 1 else ""
        sign = "≥" if row.is_minimum else "≤"
        lines.append(f"| {row.name} | {row.figure:,.2f} | {spread} | {sign} {row.bound:,.2f} | {row.verdict} |")
    return lines


def replace_tables(page: Path, lines: list[str]) -> None:
    """Replace the lines between the two marks in the file `page`."""
    before, mark, rest = page.read_text("utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    assert mark, f"{page} has no line {BEGIN}"
    assert end, f"{page} has no line {END}"
    page.write_text("\n".join([before + BEGIN, "", *lines, "", END]) + after, "utf-8")


def main() -> None:
    """Run the measurements that the command's options select, and print the figures."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--pairs", type=int, default=5, help="measurements of each loop, in turn")
    options.add_argument("--turns", type=int, nargs="+", default=[320, 1000], help="lengths of the deliberations")
    options.add_argument("--only", nargs="+", default=[], metavar="PART", help="parts such as loops, waits, real")
    options.add_argument("--write", action="store_true", help="put the tables into docs/cost.md and FIGURES.md")
    args = options.parse_args()
    table = measure_parts(args.pairs, sorted(args.turns), args.only)
    rows = list_targets(table)
    print("\n".join([*format_figures(table), *format_targets(rows)]))
    if args.write:
        replace_tables(
            PAGE, format_targets([row for row in rows if row.name.startswith(MAIN_TARGETS) or row.verdict != "ok"])
        )
        replace_tables(FIGURES, [*format_figures(table), *format_targets(rows)])
    sys.exit(1 if any(row.fails for row in rows) else 0)


if __name__ == "__main__":
    main()
