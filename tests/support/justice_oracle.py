"""What a justice experiment has to pay, worked out anew from its settings alone: fractions, hashes, no code of Moot."""

import hashlib
import json
import random
from dataclasses import dataclass
from fractions import Fraction
from math import floor

CLASSES = ["high", "medium_high", "medium", "medium_low", "low"]
BASE = [
    [32000, 27000, 24000, 13000, 12000],
    [28000, 22000, 20000, 17000, 13000],
    [31000, 24000, 21000, 16000, 14000],
    [21000, 20000, 19000, 16000, 15000],
]
WEIGHTS = [0.05, 0.10, 0.50, 0.25, 0.10]
SITUATIONS = [
    (
        [[28, 25, 20, 15, 12], [35, 30, 25, 15, 10], [30, 29, 28, 27, 6], [25, 22, 19, 16, 13]],
        [0.10, 0.20, 0.40, 0.20, 0.10],
    ),
    (
        [[17, 16, 15, 14, 13], [30, 25, 20, 15, 12.5], [40, 30, 25, 20, 8], [26, 24, 22, 20, 11]],
        [0.063060, 0.208333, 0.283333, 0.345274, 0.10],
    ),
    (
        [[100, 30, 20, 15, 13], [35, 30, 25, 20, 8], [30, 25, 23, 15, 12], [24, 23, 22, 21, 11]],
        [0.013334, 0.043333, 0.583333, 0.26, 0.10],
    ),
    (
        [[35, 30, 25, 20, 13], [30, 28, 26, 24, 12], [20, 18, 16, 14, 12], [30, 28, 24, 20, 14]],
        [0.05, 0.208333, 0.283333, 0.358334, 0.10],
    ),
]
Rule = tuple[int, int | None]


def stream(*purpose: object) -> random.Random:
    """The generator of one purpose: seeded by the first eight bytes of the hash of its name."""
    name = json.dumps(list(purpose), ensure_ascii=False, separators=(",", ":")).encode()
    return random.Random(int.from_bytes(hashlib.sha256(name).digest()[:8], "big"))


def cents(income: int) -> int:
    """Half up: a dollar for every 10,000."""
    return floor(Fraction(income, 100) + Fraction(1, 2))


@dataclass(frozen=True)
class Set:
    """Four distributions and the class weights in force; none: equal."""

    rows: list[list[int]]
    weights: list[float] | None

    def averages(self) -> list[Fraction]:
        shares = [Fraction(1, 5)] * 5 if self.weights is None else [Fraction(str(weight)) for weight in self.weights]
        return [sum((cell * share for cell, share in zip(row, shares, strict=True)), Fraction(0)) for row in self.rows]

    def floors(self) -> list[int]:
        return [row[4] for row in self.rows]

    def ranges(self) -> list[int]:
        return [row[0] - row[4] for row in self.rows]

    def times(self, multiplier: float) -> "Set":
        return Set([[int(cell * multiplier) for cell in row] for row in self.rows], self.weights)

    def apart(self, factor: float) -> "Set":
        far, means = Fraction(str(factor)), self.averages()
        rows = [
            [floor(mean + far * (cell - mean) + Fraction(1, 2)) for cell in row]
            for row, mean in zip(self.rows, means, strict=True)
        ]
        return Set(rows, self.weights)

    def pick(self, rule: Rule) -> int:
        """The index of the distribution a rule picks; of equals the first."""
        number, amount = rule
        means, floors, ranges = self.averages(), self.floors(), self.ranges()
        if number == 1:
            return floors.index(max(floors))
        if number == 2:
            return means.index(max(means))
        bounds = [one >= (amount or 0) for one in floors] if number == 3 else [one <= (amount or 0) for one in ranges]
        if not any(bounds):
            return floors.index(max(floors)) if number == 3 else ranges.index(min(ranges))
        return max((index for index in range(4) if bounds[index]), key=lambda index: (means[index], -index))

    def median(self, number: int) -> Rule:
        """A principle with the third smallest floor or range, where it has an amount."""
        values = {3: self.floors(), 4: self.ranges()}.get(number)
        return number, sorted(values)[2] if values else None

    def pays(self, rule: Rule, place: str) -> int:
        """What a class receives under a rule, in cents."""
        return cents(self.rows[self.pick(rule)][CLASSES.index(place)])

    def drawn_class(self, generator: random.Random) -> str:
        """The first class whose running sum of weights exceeds a number in [0, 1)."""
        return generator.choices(CLASSES, self.weights or [1, 1, 1, 1, 1])[0]


def base(tables: dict[str, object]) -> Set:
    """The set everything is scaled from."""
    found = Set(tables.get("custom_tables") or BASE, tables.get("income_class_probabilities", WEIGHTS))  # type: ignore[arg-type]
    return found.apart(tables["table_spread"]) if "table_spread" in tables else found  # type: ignore[arg-type]


def dealt(tables: dict[str, object], seed: int, who: str, round: int) -> Set:
    """The set of an application."""
    if tables.get("original_values_mode"):
        rows, weights = SITUATIONS[round - 1]
        return Set([[int(cell * 1000) for cell in row] for row in rows], weights)
    if round == 1 and tables.get("phase1_first_round_unscaled", True):
        return base(tables)
    low, high = tables.get("distribution_range_phase1", [0.5, 2.0])  # type: ignore[misc]
    return base(tables).times(stream(seed, "phase1", "multiplier", who, round).uniform(low, high))  # type: ignore[has-type]


def at_stake(tables: dict[str, object], seed: int) -> Set:
    """The set of the group."""
    low, high = tables.get("distribution_range_phase2", [0.5, 2.0])  # type: ignore[misc]
    return base(tables).times(stream(seed, "phase2", "multiplier").uniform(low, high))  # type: ignore[has-type]
