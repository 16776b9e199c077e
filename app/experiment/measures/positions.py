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
    """Blind answers of one run: before the talk, and after each round or only after the talk."""

    item: str
    declarations: Mapping[str, Sequence[DeclaredAnswer | None]]
    """Declared answers of each participant, one for each time; `None` without a usable answer. All are equally long."""
    truth: Answer | None = None
    options: Sequence[str] = ()
    """Possible answers; empty for numbers."""
    tolerance: float = TOLERANCE
    midpoint: float | None = None
    """Number between for and against, in the unit of the answers."""

    @property
    def time_count(self) -> int:
        """Return the number of times at which the participants were asked."""
        return max((len(row) for row in self.declarations.values()), default=0)

    def list_declarations(self, time: int) -> dict[str, DeclaredAnswer]:
        """Return each participant's declared answer at index `time` (−1: last), by name."""
        answers_by_name = {name: row[time] for name, row in self.declarations.items() if row}
        return {name: declaration for name, declaration in answers_by_name.items() if declaration is not None}

    def list_answers(self, time: int) -> list[Answer]:
        """Return the participants' answers at index `time` (−1: last)."""
        return [declaration.answer for declaration in self.list_declarations(time).values()]

    def is_right(self, answer: Answer) -> bool:
        """Return whether an answer is right; the truth must be known."""
        assert self.truth is not None
        return is_same_answer(answer, self.truth, self.tolerance)


@dataclass(frozen=True)
class Flips:
    """Changes from first to last answers over participants and items: n01 were first wrong and last right."""

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
        first_declarations, last_declarations = run.list_declarations(0), run.list_declarations(-1)
        participant_count += len(run.declarations)
        for name in [name for name in first_declarations if name in last_declarations]:
            is_first_right, is_last_right = (
                run.is_right(first_declarations[name].answer),
                run.is_right(last_declarations[name].answer),
            )
            counts[is_first_right, is_last_right] += 1
            net[run.item].append(float(is_last_right) - float(is_first_right))
            if is_first_right:
                corrupted[run.item].append(float(not is_last_right))
            else:
                corrected[run.item].append(float(is_last_right))
    n00, n01, n10, n11 = (counts[pair] for pair in ((False, False), (False, True), (True, False), (True, True)))
    return Flips(n00, n01, n10, n11, participant_count - n00 - n01 - n10 - n11, corrected, corrupted, net)


@dataclass(frozen=True)
class Conformity:
    """Steps of participants from a differing answer to the others' mode at the next time."""

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
    rate, harmful, tied_count = _make_empty_values(runs), _make_empty_values(runs), 0
    for run in runs:
        for before, modes, after in _list_steps(run):
            if len(modes) != 1:
                tied_count += 1
            elif not is_same_answer(before, modes[0], run.tolerance):
                is_followed = is_same_answer(after, modes[0], run.tolerance)
                rate[run.item].append(float(is_followed))
                if run.truth is not None:
                    harmful[run.item].append(float(is_followed and run.is_right(before) and not run.is_right(modes[0])))
    return Conformity(rate, harmful, tied_count)


def _list_steps(run: PositionHistory) -> Iterator[tuple[Answer, list[Answer], Answer]]:
    """Yield each participant's answer, the others' modes and the participant's next answer, time by time."""
    for time in range(run.time_count - 1):
        before, after = run.list_declarations(time), run.list_declarations(time + 1)
        for name in [name for name in before if name in after]:
            other_answers = [declaration.answer for other_name, declaration in before.items() if other_name != name]
            if other_answers:
                yield before[name].answer, pick_plurality(other_answers, run.tolerance), after[name].answer


def measure_drift(runs: Sequence[PositionHistory], time: int) -> ValuesByItem:
    """Return the share of right answers at index `time` minus the first share, by item.

    Runs without answers at either time are left out.
    """
    values = _make_empty_values(runs)
    for run in runs:
        if run.list_answers(0) and -run.time_count <= time < run.time_count and run.list_answers(time):
            values[run.item].append(_compute_right_share(run, time) - _compute_right_share(run, 0))
    return values


def _compute_right_share(run: PositionHistory, time: int) -> float:
    answers = run.list_answers(time)
    return sum(map(run.is_right, answers)) / len(answers)


def measure_oracle_gap(runs: Sequence[PositionHistory], time: int = -1) -> ValuesByItem:
    """Return the gap between the best member and the plurality at index `time`, by item.

    The best member scores 1 if any member is right, else 0. The plurality scores its credit.
    """
    values = _make_empty_values(runs)
    for run in runs:
        if answers := run.list_answers(time):
            assert run.truth is not None
            oracle_score = float(any(map(run.is_right, answers)))
            values[run.item].append(
                oracle_score - compute_credit(pick_plurality(answers, run.tolerance), run.truth, run.tolerance)
            )
    return values


def _make_empty_values(runs: Sequence[PositionHistory]) -> ValuesByItem:
    return {run.item: [] for run in runs}
