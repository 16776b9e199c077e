"""History of the participants' answers during a deliberation, and measures of their change.

Functions return values grouped by item, so that intervals can be computed from them.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from .agreement import (
    TOLERANCE,
    Answer,
    compute_credit,
    compute_entropy,
    compute_simpson,
    group_answers,
    is_same_answer,
    pick_plurality,
)

STANCES = {"for": 1.0, "undecided": 0.0, "against": -1.0}
ValuesByItem = dict[str, list[float]]


def group_by_item(pairs: Iterable[tuple[str, float | None]]) -> ValuesByItem:
    """Return known values by item.

    `pairs`: id of an item, and a value. `None` values are excluded.
    """
    values: ValuesByItem = {}
    for item, value in pairs:
        values.setdefault(item, []).extend([] if value is None else [value])
    return values


@dataclass(frozen=True)
class DeclaredAnswer:
    """Answer of a participant at one time, with its certainty (0–100)."""

    answer: Answer
    certainty: float | None = None


@dataclass(frozen=True)
class PositionHistory:
    """Answers of all participants in one run, before the deliberation and at one or more later times.

    Participants answered without seeing the others' answers. `declarations`: each participant's answers, one for each
    time; `None` without a usable answer. `options`: possible answers; empty for numbers. `midpoint`: number between for
    and against, in the answers' unit.
    """

    item: str
    declarations: Mapping[str, Sequence[DeclaredAnswer | None]]
    truth: Answer | None = None
    options: Sequence[str] = ()
    tolerance: float = TOLERANCE
    midpoint: float | None = None

    @property
    def moment_count(self) -> int:
        """Return the number of times at which the participants were asked."""
        return max((len(row) for row in self.declarations.values()), default=0)

    def map_declarations(self, moment_index: int) -> dict[str, DeclaredAnswer]:
        """Return each participant's answer at one time, by name; empty if they were not asked then.

        `moment_index`: index of the time; −1 for the last.
        """
        rows = {name: row for name, row in self.declarations.items() if -len(row) <= moment_index < len(row)}
        return {name: declaration for name, row in rows.items() if (declaration := row[moment_index]) is not None}

    def pair_declarations(self) -> list[tuple[DeclaredAnswer, DeclaredAnswer]]:
        """Return the first and the last answer of each participant who has both."""
        first, last = self.map_declarations(0), self.map_declarations(-1)
        return [(first[name], last[name]) for name in first if name in last]

    def list_answers(self, moment_index: int) -> list[Answer]:
        """Return the participants' answers at one time.

        `moment_index`: index of the time; −1 for the last.
        """
        return [declaration.answer for declaration in self.map_declarations(moment_index).values()]

    def compute_right_share(self, moment_index: int) -> float | None:
        """Return the share of right answers at one time; `None` without an answer.

        `moment_index`: index of the time; −1 for the last.
        """
        answers = self.list_answers(moment_index)
        return fmean(map(self.is_right, answers)) if answers else None

    def is_right(self, answer: Answer) -> bool:
        """Return whether an answer is right. The right answer must be known."""
        assert self.truth is not None
        return is_same_answer(answer, self.truth, self.tolerance)


@dataclass(frozen=True)
class Flips:
    """Changes from first to last answers, where `n01` counts those from wrong to right, and so on.

    `unanswered`: participants without a first or a last answer, which are excluded. `corrected`: 1 for each wrong first
    answer that ended right, else 0; the mean is n01/(n00 + n01). `corrupted`: 1 for each right first answer that ended
    wrong, else 0; the mean is n10/(n10 + n11). `net`: 1, 0 or −1 for every participant; the mean is (n01 − n10)/n.
    """

    n00: int
    n01: int
    n10: int
    n11: int
    unanswered: int
    corrected: ValuesByItem
    corrupted: ValuesByItem
    net: ValuesByItem


def count_flips(runs: Sequence[PositionHistory]) -> Flips:
    """Count the changes between right and wrong from first to last answers.

    The right answers of `runs` must be known.
    """
    counts: dict[tuple[bool, bool], int] = defaultdict(int)
    corrected, corrupted, net = _make_empty_values(runs), _make_empty_values(runs), _make_empty_values(runs)
    unanswered_count = 0
    for run in runs:
        pairs = run.pair_declarations()
        unanswered_count += len(run.declarations) - len(pairs)
        for first, last in pairs:
            is_first_right, is_last_right = run.is_right(first.answer), run.is_right(last.answer)
            counts[is_first_right, is_last_right] += 1
            net[run.item].append(float(is_last_right) - float(is_first_right))
            changes = corrupted if is_first_right else corrected
            changes[run.item].append(float(is_first_right != is_last_right))
    n00, n01, n10, n11 = (counts[pair] for pair in ((False, False), (False, True), (True, False), (True, True)))
    return Flips(n00, n01, n10, n11, unanswered_count, corrected, corrupted, net)


@dataclass(frozen=True)
class Conformity:
    """Changes of participants' answers to the most common answer of the others.

    Participants who already had this answer are left out. `rate`: 1 for each such change, else 0. `harmful`: 1 if the
    change left a right answer for a wrong one, else 0; empty if the right answer is unknown. `tied`: number of steps
    left out because the others had no single most common answer.
    """

    rate: ValuesByItem
    harmful: ValuesByItem
    tied: int


def measure_conformity(runs: Sequence[PositionHistory]) -> Conformity:
    """Measure how often participants change to the others' most common answer, and how often wrongly.

    To get the effect of the deliberation, subtract the rate in the arm `alone`, where participants do not see other
    answers.
    """
    rate, harmful, tied_count = _make_empty_values(runs), _make_empty_values(runs), 0
    for run in runs:
        for moment_index in range(run.moment_count - 1):
            before, after = run.map_declarations(moment_index), run.map_declarations(moment_index + 1)
            for name in [name for name in before if name in after]:
                modes, answer = _pick_others_modes(run, before, name), before[name].answer
                if len(modes) > 1:
                    tied_count += 1
                elif modes and not is_same_answer(answer, modes[0], run.tolerance):
                    is_followed = is_same_answer(after[name].answer, modes[0], run.tolerance)
                    rate[run.item].append(float(is_followed))
                    if run.truth is not None:
                        is_harmful = is_followed and run.is_right(answer) and not run.is_right(modes[0])
                        harmful[run.item].append(float(is_harmful))
    return Conformity(rate, harmful, tied_count)


def _pick_others_modes(run: PositionHistory, declarations: Mapping[str, DeclaredAnswer], name: str) -> list[Answer]:
    """Pick the most common answers of all participants but one: several if tied."""
    answers = [declaration.answer for other_name, declaration in declarations.items() if other_name != name]
    return pick_plurality(answers, run.tolerance) if answers else []


def measure_links(runs: Sequence[PositionHistory]) -> dict[str, ValuesByItem]:
    """Measure how last answers depend on the first answers: on the others', and on one's own.

    `others`: values whose mean is a slope of least squares. It says how much likelier a participant changes its answer
    if the others' most common answer is another one, among participants with equal first answers. The interval of the
    mean is the cluster-robust one of the slope. `own`: 1 if a participant ends with its first answer, minus the share
    of the others' first answers that it ends with.
    """
    groups, own_links, pairs = defaultdict[str, list[tuple[str, float, float]]](list), _make_empty_values(runs), []
    for run in runs:
        first, last = run.map_declarations(0), run.map_declarations(-1)
        for name in [name for name in first if name in last and len(first) > 1]:
            own, modes = first[name].answer, _pick_others_modes(run, first, name)
            is_kept = {key: is_same_answer(last[name].answer, first[key].answer, run.tolerance) for key in first}
            own_links[run.item].append(is_kept.pop(name) - fmean(is_kept.values()))
            if len(modes) == 1:
                is_opposed, has_changed = (
                    not is_same_answer(own, end, run.tolerance) for end in (modes[0], last[name].answer)
                )
                groups[own if isinstance(own, str) else ""].append((run.item, is_opposed, has_changed))
    for group in groups.values():
        opposed_mean, changed_mean = fmean(row[1] for row in group), fmean(row[2] for row in group)
        pairs += [(item, opposed - opposed_mean, changed - changed_mean) for item, opposed, changed in group]
    scale = fmean([opposed**2 for _, opposed, _ in pairs] or [0.0])
    slope = fmean(opposed * changed for _, opposed, changed in pairs) / scale if scale else 0.0
    other_links = group_by_item(
        (item, slope + opposed * (changed - slope * opposed) / scale) for item, opposed, changed in pairs if scale
    )
    return {"others": other_links, "own": own_links}


def measure_oracle_gap(runs: Sequence[PositionHistory], moment_index: int = -1) -> ValuesByItem:
    """Return the score of the best member minus that of the group at one time, by item.

    The best member scores 1 if any member is right, else 0. The group scores the credit of its most common answer.
    `moment_index`: index of the time; −1 for the last.
    """
    values = _make_empty_values(runs)
    for run in runs:
        if answers := run.list_answers(moment_index):
            assert run.truth is not None
            credit = compute_credit(pick_plurality(answers, run.tolerance), run.truth, run.tolerance)
            values[run.item].append(float(any(map(run.is_right, answers))) - credit)
    return values


def _make_empty_values(runs: Sequence[PositionHistory]) -> ValuesByItem:
    return {run.item: [] for run in runs}


def collect_entropies(runs: Sequence[PositionHistory], moment_index: int) -> ValuesByItem:
    """Return the entropy of each run's answers at one time, by item.

    `moment_index`: index of the time; −1 for the last.
    """
    return group_by_item(
        (run.item, compute_entropy(run.list_answers(moment_index), len(run.options) or None, run.tolerance))
        for run in runs
    )


def collect_simpsons(runs: Sequence[PositionHistory], moment_index: int) -> ValuesByItem:
    """Return Simpson's diversity of each run's answers at one time, by item.

    `moment_index`: index of the time; −1 for the last.
    """
    return group_by_item((run.item, compute_simpson(run.list_answers(moment_index), run.tolerance)) for run in runs)


def collect_top_shares(runs: Sequence[PositionHistory], moment_index: int) -> ValuesByItem:
    """Return the share of the most common answer in each run at one time, by item.

    `moment_index`: index of the time; −1 for the last.
    """
    groups = [(run.item, group_answers(run.list_answers(moment_index), run.tolerance)) for run in runs]
    return group_by_item((item, len(own[0]) / sum(map(len, own)) if own else None) for item, own in groups)


def score_stance(declaration: DeclaredAnswer, midpoint: float | None) -> float | None:
    """Return an opinion as a number: 1 for, 0 undecided or −1 against, multiplied by certainty/100.

    The number of a numeric answer is its distance from the midpoint. Returns `None` for other options, for a stance
    without certainty, and for a number without a midpoint.
    """
    if isinstance(declaration.answer, str):
        side = STANCES.get(declaration.answer)
        return side * declaration.certainty / 100 if side is not None and declaration.certainty is not None else None
    return declaration.answer - midpoint if midpoint is not None else None


OPINION_FIGURES = ("shift", "size", "polarisation", "variance_ratio")
"""Figures of the movement of opinions from the first to the last time.

`shift`: mean of post − pre. `size`: mean of |post − pre|. `polarisation`: sign(mean pre)·(mean post − mean pre); above
0 if the group moved further to its own side. `variance_ratio`: variance after the talk divided by variance before the
talk; `None` if all opinions were equal before the talk.
"""


def measure_opinion_shift(run: PositionHistory) -> dict[str, float | None]:
    """Return the figures of how opinions moved; empty if no participant has an opinion before and after."""
    stances = [
        (score_stance(first, run.midpoint), score_stance(last, run.midpoint)) for first, last in run.pair_declarations()
    ]
    pairs = [(pre, post) for pre, post in stances if pre is not None and post is not None]
    if not pairs:
        return {}
    before, after = [pre for pre, _ in pairs], [post for _, post in pairs]
    shift, initial_mean = fmean(after) - fmean(before), fmean(before)
    side = 0 if abs(initial_mean) < 1e-12 else (1 if initial_mean > 0 else -1)
    initial_variance = variance(before) if len(pairs) > 1 else 0.0
    ratio = variance(after) / initial_variance if initial_variance > 0 else None
    size = fmean(abs(post - pre) for pre, post in pairs)
    return dict(zip(OPINION_FIGURES, (shift, size, side * shift, ratio), strict=True))


def collect_opinion_shifts(runs: Sequence[PositionHistory]) -> dict[str, ValuesByItem]:
    """Return the figures of how opinions moved, by figure and item.

    The figures are those in `OPINION_FIGURES`.
    """
    shifts = [(run.item, measure_opinion_shift(run)) for run in runs]
    return {name: group_by_item((item, shift.get(name)) for item, shift in shifts) for name in OPINION_FIGURES}


@dataclass(frozen=True)
class ForkDecisions:
    """Decision of a deliberation, and the decisions of its forks after the first round.

    `decision`: decision of the deliberation. `None` means no decision, and differs from every decision.
    `silenced_decisions`: by participant, the decisions of forks without its first statements. `control`: decision of
    each control fork, which keeps all statements.
    """

    item: str
    decision: Answer | None
    silenced_decisions: Mapping[str, Sequence[Answer | None]]
    control: Sequence[Answer | None]


def measure_influence(fork_decisions: Sequence[ForkDecisions], name: str, tolerance: float = TOLERANCE) -> ValuesByItem:
    """Return the influence of the participant `name` on decisions, by item.

    Influence is the share of changed decisions in the participant's forks, minus the share in the control forks.
    """
    shares = [
        (
            talk.item,
            _compute_changed_share(talk, talk.silenced_decisions.get(name, ()), tolerance),
            _compute_changed_share(talk, talk.control, tolerance),
        )
        for talk in fork_decisions
    ]
    return group_by_item(
        (item, None if share is None or control is None else share - control) for item, share, control in shares
    )


def collect_changed_shares(
    fork_decisions: Sequence[ForkDecisions], silenced_name: str | None, tolerance: float = TOLERANCE
) -> ValuesByItem:
    """Return the share of forks that decide differently from their deliberation, by item.

    `silenced_name`: participant whose forks count; `None` for the control forks.
    """
    decisions = [
        (talk, talk.control if silenced_name is None else talk.silenced_decisions.get(silenced_name, ()))
        for talk in fork_decisions
    ]
    return group_by_item((talk.item, _compute_changed_share(talk, own, tolerance)) for talk, own in decisions)


def _compute_changed_share(talk: ForkDecisions, decisions: Sequence[Answer | None], tolerance: float) -> float | None:
    changes = [
        decision is not talk.decision
        if decision is None or talk.decision is None
        else not is_same_answer(talk.decision, decision, tolerance)
        for decision in decisions
    ]
    return fmean(changes) if changes else None
