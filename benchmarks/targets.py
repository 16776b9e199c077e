"""Targets for the cost of a deliberation, each with its bound, measured values and verdict."""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import mean

SLACK = 1.25
"""Factor of a bound above which a target fails the run, because machines and runs differ."""

STATEMENT = 650
"""Approximate bytes of a statement in these runs."""

Figures = dict[str, float]
FiguresByName = dict[str, list[Figures]]
"""Figures of each repetition by measurement, such as `discussion 320`."""


@dataclass(frozen=True)
class Target:
    """Target for one figure: its measured values, and their bound in the same unit.

    `is_minimum`: whether the bound is a minimum instead of a maximum.
    """

    name: str
    values: list[float]
    bound: float
    is_minimum: bool = False

    @property
    def figure(self) -> float:
        """Return the mean of the measured values."""
        return mean(self.values)

    @property
    def ratio(self) -> float:
        """Return the used share of the bound; above 1 the target is missed."""
        return self._compute_ratio(self.figure)

    @property
    def best_ratio(self) -> float:
        """Return the used share of the bound by the best value, which decides the verdict."""
        return self._compute_ratio(max(self.values) if self.is_minimum else min(self.values))

    @property
    def verdict(self) -> str:
        """Return the verdict: `ok` or `over`."""
        return "ok" if self.best_ratio <= 1 else "over"

    @property
    def fails(self) -> bool:
        """Return whether the target is missed by more than the measurements vary."""
        return self.best_ratio > SLACK

    def _compute_ratio(self, figure: float) -> float:
        return self.bound / figure if self.is_minimum else figure / self.bound


def list_targets(table: FiguresByName) -> list[Target]:
    """Return the targets that have figures in `table`."""
    return [
        row
        for rows in (
            _list_cpu_targets,
            _list_storage_targets,
            _list_prompt_targets,
            _list_waiting_targets,
            _list_real_model_targets,
            _list_other_targets,
        )
        for row in rows(table)
    ]


def compute_ratios(table: FiguresByName, ours: str, other: str, key: str) -> list[float]:
    """Return the ratio of Moot's figure `key` to that of another loop, for each repetition.

    `ours`, `other`: names of the two rows.
    """
    return [own[key] / other[key] for own, other in zip(table[ours], table[other], strict=True)]


def get_values(table: FiguresByName, name: str, key: str) -> list[float]:
    """Return the figure `key` of the measurement `name`, for each repetition."""
    return [figures[key] for figures in table.get(name, [])]


def _list_cpu_targets(table: FiguresByName) -> Iterator[Target]:
    for name in table:
        protocol, _, turns = name.partition(" ")
        if protocol not in ("discussion", "consensus") or not turns.isdigit():
            continue
        plain = f"plain {turns}"
        bound = 1.1 if protocol == "discussion" else 1.25
        yield Target(f"{name} turns: CPU per turn, Moot ÷ plain loop", compute_ratios(table, name, plain, "cpu"), bound)
        growths = [
            (ours["last"] - ours["first"]) - (other["last"] - other["first"])
            for ours, other in zip(table[name], table[plain], strict=True)
        ]
        yield Target(f"{name} turns: growth of ms per turn, Moot − plain loop", growths, 1.0)
    if "crowd discussion" in table:
        for loop, bound in (("plain", 1.0), ("whole lists", 1.3)):
            rates = compute_ratios(table, "crowd discussion", f"crowd {loop}", "rate")
            name = "plain loop" if loop == "plain" else "loop that saves whole lists"
            yield Target(f"50 runs at once: turns per second, Moot ÷ {name}", rates, bound, is_minimum=True)


def _list_storage_targets(table: FiguresByName) -> Iterator[Target]:
    max_bytes = 3 * STATEMENT + 6000
    for seats in (2, 8):
        short, long = (get_values(table, f"stored {seats} {turns}", "bytes") for turns in (100, 1000))
        if short and long:
            yield Target(f"{seats} seats, 100 turns: bytes stored per turn", short, max_bytes)
            yield Target(f"{seats} seats, 1,000 turns: bytes stored per turn", long, max_bytes)
            yield Target(f"{seats} seats: bytes stored per turn, 1,000 turns ÷ 100 turns", [long[0] / short[0]], 1.3)
    for name in table:
        if name.startswith("consensus ") and name[10:].isdigit():
            yield Target(f"{name}: bytes stored per turn", get_values(table, name, "bytes"), max_bytes)
        if f"{name} without a journal" in table:
            without, plain = (
                get_values(table, row, "written")
                for row in (f"{name} without a journal", f"plain {name.partition(' ')[2]}")
            )
            written = [own / other for own, other in zip(without, plain, strict=False)]
            yield Target(f"{name}: bytes written per turn without the journal, Moot ÷ plain loop", written, 1.35)
            journal = [own - other for own, other in zip(get_values(table, name, "written"), without, strict=False)]
            yield Target(f"{name}: bytes written per turn to the journal of spending", journal, 4500)


def _list_prompt_targets(table: FiguresByName) -> Iterator[Target]:
    for name in ("discussion 320", "consensus 320"):
        if name in table:
            uncached = compute_ratios(table, name, "bare 320", "uncached")
            yield Target(f"{name}: tokens not in the prefix cache, Moot ÷ bare client", uncached, 1.1)
    for unit, bound in (("words", 45), ("characters", 80)):
        if lengths := get_values(table, "tail", unit):
            yield Target(f"text of a prompt that only its speaker gets: most {unit}", lengths, bound)


def _list_waiting_targets(table: FiguresByName) -> Iterator[Target]:
    """Yield the targets for wall time: total time ÷ time of the calls that wait for one another."""
    for name, rows in table.items():
        if not name.endswith("at 50 ms") or "seconds" not in rows[0]:
            continue
        waits = table.get("bare side by side at 50 ms", [{}])[0]
        used = [row["seconds"] / seconds for row in rows if (seconds := compute_critical_seconds(row, waits))]
        if used:
            yield Target(f"{name}: total time ÷ longest chain of calls", used, 1.15)


def compute_critical_seconds(row: Figures, waits: Figures) -> float:
    """Compute the duration of a run's calls that had to wait for one another, in seconds.

    `row`: number of these calls by the number of parallel calls. `waits`: seconds of parallel calls by their number.
    """
    return sum(calls * waits[width] for width, calls in row.items() if width in waits)


def _list_real_model_targets(table: FiguresByName) -> Iterator[Target]:
    for name in table:
        loop, _, tokens = name.partition(", ")
        if loop != "real discussion":
            continue
        evaluated = compute_ratios(table, name, f"real one text, {tokens}", "evaluated")
        bound = 1.15 if tokens.startswith("150 ") else 1.25
        yield Target(f"a real model, {tokens}: tokens read per turn, Moot ÷ one-text loop", evaluated, bound)
        if tokens.startswith("150 "):
            evaluated = compute_ratios(table, name, f"real persona first, {tokens}", "evaluated")
            yield Target(f"a real model, {tokens}: tokens read per turn, Moot ÷ persona-first loop", evaluated, 1.0)


def _list_other_targets(table: FiguresByName) -> Iterator[Target]:
    start = table.get("start", [])
    if start:
        yield Target("moot --help: seconds", get_values(table, "start", "help"), 0.5)
        imports = [row["graph"] / row["langgraph"] for row in start]
        yield Target("time to import a graph ÷ langgraph and langchain_core", imports, 1.1)
    for protocol, seconds in table.get("estimates", [{}])[0].items():
        yield Target(f"moot estimate {protocol}: seconds", [seconds], 0.5)
    if memory := get_values(table, "memory", "memory"):
        yield Target("1,000 turns of 1 kB, windowed: MB", memory, 30)
    for turns, bound in ((8, 15.0), (20, 35.0)):
        if slow := get_values(table, f"slow {turns}", "seconds"):
            yield Target(f"{turns} turns at 1.5 s a call: seconds", slow, bound)
    if rates := table.get("experiments"):
        queued = [row["one"] / row["alone"] for row in rates]
        yield Target("experiments: runs per second, one worker ÷ no worker", queued, 0.95, is_minimum=True)
        two = [row["two"] / row["one"] for row in rates]
        yield Target("experiments: runs per second, two workers ÷ one", two, 1.8, is_minimum=True)
    if listing := table.get("plan of 5,000 runs"):
        yield Target("a plan of 5,000 runs: seconds to list it", [row["seconds"] for row in listing], 2.0)
        yield Target("a plan of 5,000 runs: resident MB to list it", [row["resident"] for row in listing], 200)
