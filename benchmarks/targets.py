"""What a deliberation may cost: every target as a ratio to its bound, and the verdict."""

from dataclasses import dataclass

SLACK = 1.25
"""Times its bound at which a target fails the run: machines differ, and so do two runs on one machine."""

STATEMENT = 650
"""Bytes of a statement in these runs, about."""


@dataclass(frozen=True)
class Target:
    """A figure and its bound, in the same unit.

    `least`: the bound is a floor instead of a ceiling. `judged`: whether missing it says anything of us; a bound that
    the plain loop misses, without a line of ours, lies below what its libraries cost.
    """

    what: str
    figure: float
    bound: float
    least: bool = False
    judged: bool = True

    @property
    def ratio(self) -> float:
        """How much of the bound is used; over 1: missed."""
        return self.bound / self.figure if self.least else self.figure / self.bound

    @property
    def verdict(self) -> str:
        """Whether the target is met."""
        return "ok" if self.ratio <= 1 else "over" if self.judged else "over, as the plain loop is"

    @property
    def fails(self) -> bool:
        """Whether it is missed by more than chance explains."""
        return self.judged and self.ratio > SLACK


Table = dict[str, dict[str, float]]
"""Figures by measurement, such as `discussion 320` or `bare 320`."""


def targets(found: Table) -> list[Target]:
    """Every target that `found` has figures for."""
    return [*_cpu(found), *_stored(found), *_served(found), *_waited(found), *_rest(found)]


def _cpu(found: Table) -> list[Target]:
    rows = []
    for name in found:
        protocol, _, turns = name.partition(" ")
        if protocol in ("discussion", "consensus") and turns.isdigit():
            ours, bare, plain = found[name], found[f"bare {turns}"], found[f"plain {turns}"]
            early, late = ours["first"] - bare["first"], ours["last"] - bare["last"]
            twice = 2.1 * bare["cpu"]
            cheap = plain["cpu"] <= twice
            rows += [
                Target(f"{name} turns: own CPU, ms a turn, to 1.25 plain", ours["cpu"], 1.25 * plain["cpu"]),
                Target(f"{name} turns: own CPU, ms a turn, to 2.1 bare", ours["cpu"], twice, judged=cheap),
                Target(f"{name} turns: last tenth over bare, ms", late, 1.2 * early + 0.3),
            ]
    return rows


def _stored(found: Table) -> list[Target]:
    rows = []
    for seats in (2, 8):
        short, long = found.get(f"stored {seats} 100"), found.get(f"stored {seats} 1000")
        if short and long:
            own = 3 * STATEMENT + 6000
            rows += [
                Target(f"{seats} seats, 100 turns: bytes stored a turn", short["bytes"], own),
                Target(f"{seats} seats, 1,000 turns: bytes stored a turn", long["bytes"], own),
                Target(f"{seats} seats: bytes a turn, 1,000 to 1.3 × 100 turns", long["bytes"], 1.3 * short["bytes"]),
            ]
    grown = [(name, row["bytes"]) for name, row in found.items() if name.startswith("consensus ")]
    return rows + [Target(f"{name}: bytes stored a turn", size, 3 * STATEMENT + 6000) for name, size in grown if size]


def _served(found: Table) -> list[Target]:
    return [
        Target(f"{name}: tokens no prefix cache serves", row["uncached"], 1.1 * found["bare 320"]["uncached"])
        for name, row in found.items()
        if name in ("discussion 320", "consensus 320")
    ]


def _waited(found: Table) -> list[Target]:
    """A call's time is what a bare client waits in the same run for as many calls side by side."""
    waits = found.get("bare side by side at 50 ms", {})
    return [
        Target(f"{name}: seconds, to 1.15 critical path", row["seconds"], 1.15 * path(row, waits))
        for name, row in found.items()
        if "seconds" in row and name.endswith("at 50 ms") and path(row, waits)
    ]


def path(row: dict[str, float], waits: dict[str, float]) -> float:
    """Seconds of a run's critical path: its calls that waited for one another, each as long as its like."""
    return sum(calls * waits[width] for width, calls in row.items() if width in waits)


def _rest(found: Table) -> list[Target]:
    rows = []
    if crowd := found.get("crowd discussion"):
        rows.append(Target("50 at once: turns/s, 0.8 plain", crowd["rate"], 0.8 * found["crowd plain"]["rate"], True))
    if start := found.get("start"):
        rows.append(Target("moot --help: seconds", start["help"], 0.5))
        rows.append(Target("import of a graph: seconds, to 1.25 langgraph", start["graph"], 1.25 * start["langgraph"]))
    if memory := found.get("memory"):
        rows.append(Target("1,000 turns of 1 kB, windowed: MB", memory["memory"], 30))
    for turns, bound in ((8, 15.0), (20, 35.0)):
        if slow := found.get(f"slow {turns}"):
            rows.append(Target(f"{turns} turns at 1.5 s a call: seconds", slow["seconds"], bound))
    return rows
