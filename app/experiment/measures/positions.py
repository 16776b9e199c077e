"""Participants' answers over the time of a deliberation, as plain data, and measures of change.

Every function returns its values by item, so that an interval over items can follow.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .answer_equality import TOLERANCE, Answer, compute_credit, is_same_answer, pick_plurality

ValuesByItem = dict[str, list[float]]
"""Values by item."""


@dataclass(frozen=True)
class DeclaredAnswer:
    """Answer of a participant at one time, with its certainty (0–100)."""

    answer: Answer
    certainty: float | None = None


@dataclass(frozen=True)
class PositionHistory:
    """Answers of one run: before the talk, after each round (or only after it), blind each time."""

    item: str
    declarations: Mapping[str, Sequence[DeclaredAnswer | None]]
    """By participant, one for each time; `None` without a usable answer. All have the same length."""
    truth: Answer | None = None
    options: Sequence[str] = ()
    """Possible answers; empty for numbers."""
    tolerance: float = TOLERANCE
    midpoint: float | None = None
    """Number between for and against, in the unit of the answers."""

    @property
    def times(self) -> int:
        """Return the number of times that the participants were asked."""
        return max((len(row) for row in self.declarations.values()), default=0)

    def list_declarations(self, time: int) -> dict[str, DeclaredAnswer]:
        """Return the declared answers at a time, by participant (−1: the last time)."""
        row_values = {name: row[time] for name, row in self.declarations.items() if row}
        return {name: declaration for name, declaration in row_values.items() if declaration is not None}

    def list_answers(self, time: int) -> list[Answer]:
        """Return the answers at a time."""
        return [declaration.answer for declaration in self.list_declarations(time).values()]

    def is_right(self, answer: Answer) -> bool:
        """Return whether an answer is the truth, which must be known."""
        assert self.truth is not None
        return is_same_answer(answer, self.truth, self.tolerance)


@dataclass(frozen=True)
class Flips:
    """First against last answers, participants × items: n01 were wrong first and right last."""

    n00: int
    n01: int
    n10: int
    n11: int
    unanswered: int
    """Participants without a first or a last answer; they are left out."""
    corrected: ValuesByItem
    """1 for each wrong first answer that ended right, else 0; the mean is n01/(n00 + n01)."""
    corrupted: ValuesByItem
    """1 for each right first answer that ended wrong, else 0; the mean is n10/(n10 + n11)."""
    net: ValuesByItem
    """1, 0 or −1 for every participant; the mean is (n01 − n10)/n."""


def count_flips(runs: Sequence[PositionHistory]) -> Flips:
    """Count the changes from first to last answers, over runs with a known truth."""
    counts: dict[tuple[bool, bool], int] = defaultdict(int)
    corrected, corrupted, net = _make_empty_values(runs), _make_empty_values(runs), _make_empty_values(runs)
    participant_count = 0
    for run in runs:
        first, last = run.list_declarations(0), run.list_declarations(-1)
        participant_count += len(run.declarations)
        for name in [name for name in first if name in last]:
            before, after = run.is_right(first[name].answer), run.is_right(last[name].answer)
            counts[before, after] += 1
            net[run.item].append(float(after) - float(before))
            if before:
                corrupted[run.item].append(float(not after))
            else:
                corrected[run.item].append(float(after))
    n00, n01, n10, n11 = (counts[pair] for pair in ((False, False), (False, True), (True, False), (True, True)))
    return Flips(n00, n01, n10, n11, participant_count - n00 - n01 - n10 - n11, corrected, corrupted, net)


@dataclass(frozen=True)
class Conformity:
    """Frequency with which a participant who differs from the others' mode adopts it at the next time."""

    rate: ValuesByItem
    """1 for each step to the mode, else 0, among participants who differed from it."""
    harmful: ValuesByItem
    """1 if the step left a right answer for a wrong mode, else 0; empty lists without a truth."""
    tied: int
    """Steps left out because the others had no single mode."""


def measure_conformity(runs: Sequence[PositionHistory]) -> Conformity:
    """Return P(next answer = mode of the others | own answer differs), and the harmful part.

    The excess is this rate in the talk minus the rate in the arm `alone`, where all answers of others were hidden.
    """
    rate, harmful, tied = _make_empty_values(runs), _make_empty_values(runs), 0
    for run in runs:
        for before, modes, after in _list_steps(run):
            if len(modes) != 1:
                tied += 1
            elif not is_same_answer(before, modes[0], run.tolerance):
                is_followed = is_same_answer(after, modes[0], run.tolerance)
                rate[run.item].append(float(is_followed))
                if run.truth is not None:
                    harmful[run.item].append(float(is_followed and run.is_right(before) and not run.is_right(modes[0])))
    return Conformity(rate, harmful, tied)


def _list_steps(run: PositionHistory) -> Iterator[tuple[Answer, list[Answer], Answer]]:
    """Return for each participant and time: its answer, the others' modes, its next answer."""
    for time in range(run.times - 1):
        before, after = run.list_declarations(time), run.list_declarations(time + 1)
        for name in [name for name in before if name in after]:
            others = [declaration.answer for other_name, declaration in before.items() if other_name != name]
            if others:
                yield before[name].answer, pick_plurality(others, run.tolerance), after[name].answer


def measure_drift(runs: Sequence[PositionHistory], time: int) -> ValuesByItem:
    """Return the right share at a time minus the first right share, for each run where both are known."""
    values = _make_empty_values(runs)
    for run in runs:
        if run.list_answers(0) and -run.times <= time < run.times and run.list_answers(time):
            values[run.item].append(_compute_right_share(run, time) - _compute_right_share(run, 0))
    return values


def _compute_right_share(run: PositionHistory, time: int) -> float:
    answers = run.list_answers(time)
    return sum(map(run.is_right, answers)) / len(answers)


def measure_oracle_gap(runs: Sequence[PositionHistory], time: int = -1) -> ValuesByItem:
    """Return 1 if some member is right at a time, else 0, minus the credit of their plurality."""
    values = _make_empty_values(runs)
    for run in runs:
        if answers := run.list_answers(time):
            assert run.truth is not None
            any_right = float(any(map(run.is_right, answers)))
            values[run.item].append(
                any_right - compute_credit(pick_plurality(answers, run.tolerance), run.truth, run.tolerance)
            )
    return values


def _make_empty_values(runs: Sequence[PositionHistory]) -> ValuesByItem:
    return {run.item: [] for run in runs}
