"""What a deliberation may cost: every target as a ratio to its bound, and the verdict."""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import mean

SLACK = 1.25
"""Times its bound at which a target fails the run: machines differ, and so do two runs on one machine."""

STATEMENT = 650
"""Bytes of a statement in these runs, about."""

Figures = dict[str, float]
Table = dict[str, list[Figures]]
"""Figures by measurement, such as `discussion 320`: as often as it was made, those of one place made one after the
other."""


@dataclass(frozen=True)
class Target:
    """What was found, each time it was measured, and its bound, in the same unit.

    `least`: the bound is a floor instead of a ceiling.
    """

    what: str
    found: list[float]
    bound: float
    least: bool = False

    @property
    def figure(self) -> float:
        """The mean."""
        return mean(self.found)

    @property
    def ratio(self) -> float:
        """How much of the bound is used; over 1: missed."""
        return self._used(self.figure)

    @property
    def lower(self) -> float:
        """The same of the best that was measured: a row is over when this is."""
        return self._used(max(self.found) if self.least else min(self.found))

    @property
    def verdict(self) -> str:
        """Whether the target is met."""
        return "ok" if self.lower <= 1 else "over"

    @property
    def fails(self) -> bool:
        """Whether it is missed by more than chance explains."""
        return self.lower > SLACK

    def _used(self, figure: float) -> float:
        return self.bound / figure if self.least else figure / self.bound


def targets(found: Table) -> list[Target]:
    """Every target that `found` has figures for."""
    return [row for rows in (_cpu, _saved, _served, _waited, _real, _rest) for row in rows(found)]


def pairs(found: Table, ours: str, other: str, key: str) -> list[float]:
    """Our figure to that of another loop, in each pair."""
    return [one[key] / two[key] for one, two in zip(found[ours], found[other], strict=True)]


def alone(found: Table, name: str, key: str) -> list[float]:
    """One figure of a measurement, each time it was made."""
    return [one[key] for one in found.get(name, [])]


def _cpu(found: Table) -> Iterator[Target]:
    for name in found:
        protocol, _, turns = name.partition(" ")
        if protocol not in ("discussion", "consensus") or not turns.isdigit():
            continue
        plain = f"plain {turns}"
        bound = 1.1 if protocol == "discussion" else 1.25
        yield Target(f"{name} turns: CPU per turn, Moot ÷ plain loop", pairs(found, name, plain, "cpu"), bound)
        grown = [
            (ours["last"] - ours["first"]) - (other["last"] - other["first"])
            for ours, other in zip(found[name], found[plain], strict=True)
        ]
        yield Target(f"{name} turns: ms more per turn at the end than at the start, Moot − plain loop", grown, 1.0)
    if "crowd discussion" in found:
        for loop, bound in (("plain", 1.0), ("whole lists", 1.3)):
            rates = pairs(found, "crowd discussion", f"crowd {loop}", "rate")
            what = "plain loop" if loop == "plain" else "loop that saves whole lists"
            yield Target(f"50 runs at once: turns per second, Moot ÷ {what}", rates, bound, least=True)


def _saved(found: Table) -> Iterator[Target]:
    own = 3 * STATEMENT + 6000
    for seats in (2, 8):
        short, long = (alone(found, f"stored {seats} {turns}", "bytes") for turns in (100, 1000))
        if short and long:
            yield Target(f"{seats} seats, 100 turns: bytes stored per turn", short, own)
            yield Target(f"{seats} seats, 1,000 turns: bytes stored per turn", long, own)
            yield Target(f"{seats} seats: bytes stored per turn, 1,000 turns ÷ 100 turns", [long[0] / short[0]], 1.3)
    for name in found:
        if name.startswith("consensus ") and name[10:].isdigit():
            yield Target(f"{name}: bytes stored per turn", alone(found, name, "bytes"), own)
        if f"{name} without a journal" in found:
            without, plain = (
                alone(found, row, "written") for row in (f"{name} without a journal", f"plain {name.partition(' ')[2]}")
            )
            written = [one / other for one, other in zip(without, plain, strict=False)]
            yield Target(f"{name}: bytes written per turn without the journal, Moot ÷ plain loop", written, 1.35)
            journal = [one - other for one, other in zip(alone(found, name, "written"), without, strict=False)]
            yield Target(f"{name}: bytes written per turn to the journal of spending", journal, 4500)


def _served(found: Table) -> Iterator[Target]:
    for name in ("discussion 320", "consensus 320"):
        if name in found:
            uncached = pairs(found, name, "bare 320", "uncached")
            yield Target(f"{name}: tokens that a prefix cache cannot serve, Moot ÷ bare client", uncached, 1.1)
    for unit, bound in (("words", 45), ("characters", 80)):
        if longest := alone(found, "tail", unit):
            yield Target(f"text of a prompt that only its speaker gets: most {unit}", longest, bound)


def _waited(found: Table) -> Iterator[Target]:
    """A call's time is what a bare client waits in the same run for as many calls side by side."""
    for name, rows in found.items():
        if not name.endswith("at 50 ms") or "seconds" not in rows[0]:
            continue
        waits = found.get("bare side by side at 50 ms", [{}])[0]
        used = [row["seconds"] / path(row, waits) for row in rows if path(row, waits)]
        if used:
            yield Target(f"{name}: total time ÷ calls that wait for each other", used, 1.15)


def path(row: Figures, waits: Figures) -> float:
    """Seconds of a run's critical path: its calls that waited for one another, each as long as its like."""
    return sum(calls * waits[width] for width, calls in row.items() if width in waits)


def _real(found: Table) -> Iterator[Target]:
    for name in found:
        loop, _, tokens = name.partition(", ")
        if loop != "real discussion":
            continue
        evaluated = pairs(found, name, f"real one text, {tokens}", "evaluated")
        bound = 1.15 if tokens.startswith("150 ") else 1.25
        yield Target(f"a real model, {tokens}: tokens read per turn, Moot ÷ one-text loop", evaluated, bound)
        if tokens.startswith("150 "):
            evaluated = pairs(found, name, f"real persona first, {tokens}", "evaluated")
            yield Target(f"a real model, {tokens}: tokens read per turn, Moot ÷ persona-first loop", evaluated, 1.0)


def _rest(found: Table) -> Iterator[Target]:
    start = found.get("start", [])
    if start:
        yield Target("moot --help: seconds", alone(found, "start", "help"), 0.5)
        imports = [row["graph"] / row["langgraph"] for row in start]
        yield Target("import of a graph ÷ of langgraph and langchain_core", imports, 1.1)
    for protocol, seconds in found.get("estimates", [{}])[0].items():
        yield Target(f"estimate of a {protocol}: seconds", [seconds], 0.5)
    if memory := alone(found, "memory", "memory"):
        yield Target("1,000 turns of 1 kB, windowed: MB", memory, 30)
    for turns, bound in ((8, 15.0), (20, 35.0)):
        if slow := alone(found, f"slow {turns}", "seconds"):
            yield Target(f"{turns} turns at 1.5 s a call: seconds", slow, bound)
    if rates := found.get("experiments"):
        queued = [row["one"] / row["alone"] for row in rates]
        yield Target("experiments: runs per second, with the queue ÷ without", queued, 0.95, least=True)
        two = [row["two"] / row["one"] for row in rates]
        yield Target("experiments: runs per second, two workers ÷ one", two, 1.8, least=True)
    if listing := found.get("plan of 5,000 runs"):
        yield Target("a plan of 5,000 runs: seconds to list it", [row["seconds"] for row in listing], 2.0)
        yield Target("a plan of 5,000 runs: resident MB to list it", [row["resident"] for row in listing], 200)
