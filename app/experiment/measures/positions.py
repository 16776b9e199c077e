"""What participants answered over the time of a deliberation, as plain data, and its measures of change.

Every function gives its values by item, so that their interval can be computed over items.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .answers import TOLERANCE, Answer, credit, plurality, same

Values = dict[str, list[float]]
"""Values by item."""


@dataclass(frozen=True)
class Declared:
    """A participant's answer at one time, and how sure it was (0–100)."""

    answer: Answer
    certainty: float | None = None


@dataclass(frozen=True)
class Positions:
    """The answers of one run: before the talk, after each round (or only after it), blind each time."""

    item: str
    declared: Mapping[str, Sequence[Declared | None]]
    """By participant, one for each time; None where it gave no usable answer. All are of one length."""
    truth: Answer | None = None
    options: Sequence[str] = ()
    """What could be answered; empty for numbers."""
    tolerance: float = TOLERANCE
    midpoint: float | None = None
    """Between for and against, where answers are numbers; in their unit."""

    @property
    def times(self) -> int:
        """How often they were asked."""
        return max((len(row) for row in self.declared.values()), default=0)

    def at(self, time: int) -> dict[str, Declared]:
        """What those who answered at a time declared (−1: the last)."""
        found = {name: row[time] for name, row in self.declared.items() if row}
        return {name: one for name, one in found.items() if one is not None}

    def answers(self, time: int) -> list[Answer]:
        """The answers given at a time."""
        return [one.answer for one in self.at(time).values()]

    def right(self, answer: Answer) -> bool:
        """Whether an answer is the truth, which must be known."""
        assert self.truth is not None
        return same(answer, self.truth, self.tolerance)


@dataclass(frozen=True)
class Flips:
    """First answers against last ones, participants × items: n01 were wrong first and right last."""

    n00: int
    n01: int
    n10: int
    n11: int
    unanswered: int
    """Participants left out, because their first or last answer is missing."""
    corrected: Values
    """1 for each wrong first answer that ended right, else 0; n01/(n00 + n01) is the mean."""
    corrupted: Values
    """1 for each right first answer that ended wrong, else 0; n10/(n10 + n11) is the mean."""
    net: Values
    """1, 0 or −1 for every participant; (n01 − n10)/n is the mean."""


def flips(runs: Sequence[Positions]) -> Flips:
    """How answers turned between the first time and the last, over runs whose truth is known."""
    counted: dict[tuple[bool, bool], int] = defaultdict(int)
    corrected, corrupted, net = _by_item(runs), _by_item(runs), _by_item(runs)
    asked = 0
    for run in runs:
        first, last = run.at(0), run.at(-1)
        asked += len(run.declared)
        for name in [one for one in first if one in last]:
            before, after = run.right(first[name].answer), run.right(last[name].answer)
            counted[before, after] += 1
            net[run.item].append(float(after) - float(before))
            if before:
                corrupted[run.item].append(float(not after))
            else:
                corrected[run.item].append(float(after))
    n00, n01, n10, n11 = (counted[pair] for pair in ((False, False), (False, True), (True, False), (True, True)))
    return Flips(n00, n01, n10, n11, asked - n00 - n01 - n10 - n11, corrected, corrupted, net)


@dataclass(frozen=True)
class Conformity:
    """How often somebody who differs from the others' mode takes it over at the next time."""

    rate: Values
    """1 for each step to the mode, 0 for each that was not, among participants who differed from it."""
    harmful: Values
    """1 where the step left a right answer for a wrong mode, among the same; empty lists without a truth."""
    tied: int
    """Steps left out because the others had no single mode."""


def conformity(runs: Sequence[Positions]) -> Conformity:
    """P(next answer = mode of the others | own answer is another), and the harmful part of it.

    The excess is this rate in the talk minus the same in the arm `alone`, where nobody saw the others.
    """
    rate, harmful, tied = _by_item(runs), _by_item(runs), 0
    for run in runs:
        for own, modes, after in _steps(run):
            if len(modes) != 1:
                tied += 1
            elif not same(own, modes[0], run.tolerance):
                followed = same(after, modes[0], run.tolerance)
                rate[run.item].append(float(followed))
                if run.truth is not None:
                    harmful[run.item].append(float(followed and run.right(own) and not run.right(modes[0])))
    return Conformity(rate, harmful, tied)


def _steps(run: Positions) -> Iterator[tuple[Answer, list[Answer], Answer]]:
    """For each participant and time: its answer, the modes of the others, its answer at the next time."""
    for time in range(run.times - 1):
        now, after = run.at(time), run.at(time + 1)
        for name in [one for one in now if one in after]:
            others = [one.answer for other, one in now.items() if other != name]
            if others:
                yield now[name].answer, plurality(others, run.tolerance), after[name].answer


def drift(runs: Sequence[Positions], time: int) -> Values:
    """The share that is right at a time minus the share right at first, for each run in which both are known."""
    values = _by_item(runs)
    for run in runs:
        if run.answers(0) and -run.times <= time < run.times and run.answers(time):
            values[run.item].append(_share_right(run, time) - _share_right(run, 0))
    return values


def _share_right(run: Positions, time: int) -> float:
    answers = run.answers(time)
    return sum(map(run.right, answers)) / len(answers)


def oracle_gap(runs: Sequence[Positions], time: int = -1) -> Values:
    """Whether some member is right at a time, minus the credit of their plurality."""
    values = _by_item(runs)
    for run in runs:
        if answers := run.answers(time):
            assert run.truth is not None
            some = float(any(map(run.right, answers)))
            values[run.item].append(some - credit(plurality(answers, run.tolerance), run.truth, run.tolerance))
    return values


def _by_item(runs: Sequence[Positions]) -> Values:
    return {run.item: [] for run in runs}
