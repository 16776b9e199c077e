"""Movement of the participants' answers over a talk: moment by moment, and towards each other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from ..measures import (
    Conformity,
    DeclaredAnswer,
    PositionHistory,
    ValuesByItem,
    collect_entropies,
    collect_simpsons,
    compute_alpha,
    group_answers,
    measure_conformity,
    measure_drift,
)
from ..statistics import IntervalEstimate, estimate_mean
from .answers import TalkWithArms, build_position_history


@dataclass(frozen=True)
class Moment:
    """One moment at which all participants were asked. A run that ended earlier keeps its last answers."""

    name: str
    accuracy: IntervalEstimate | None
    diversity: IntervalEstimate
    simpson: IntervalEstimate
    agreement: IntervalEstimate
    drift: IntervalEstimate | None


def build_moments(runs: Sequence[PositionHistory]) -> list[Moment]:
    """Return every moment at which all participants were asked."""
    moment_count = max((run.time_count for run in runs), default=0)
    padded_runs = [_pad_history(run, moment_count) for run in runs]
    return [_build_moment(padded_runs, time, moment_count) for time in range(moment_count)]


def _build_moment(runs: Sequence[PositionHistory], time: int, moment_count: int) -> Moment:
    graded_runs = [run for run in runs if run.truth is not None]
    name = "before" if time == 0 else "after" if moment_count == 2 else str(time)
    right_shares = _collect_values(
        graded_runs, lambda run: fmean(map(run.is_right, answers)) if (answers := run.list_answers(time)) else None
    )
    top_shares = _collect_values(runs, lambda run: _compute_top_share(run, time))
    mean_drift = estimate_mean(measure_drift(graded_runs, time)) if graded_runs and time else None
    diversity_estimates = estimate_mean(collect_entropies(runs, time)), estimate_mean(collect_simpsons(runs, time))
    return Moment(
        name,
        estimate_mean(right_shares) if graded_runs else None,
        *diversity_estimates,
        estimate_mean(top_shares),
        mean_drift,
    )


def compare_conformity(
    talks: Sequence[TalkWithArms], runs: Sequence[PositionHistory]
) -> tuple[Conformity, Conformity | None]:
    """Return the conformity in the talks and, if it was run, in the arm `alone` over the same steps."""
    pairs = [(build_position_history(talk), build_position_history(talk, "alone")) for talk in talks]
    alone_histories = [
        _limit_to_ends(alone_history, talk_history)
        for talk_history, alone_history in pairs
        if alone_history is not None and talk_history is not None
    ]
    return measure_conformity(runs), measure_conformity(alone_histories) if alone_histories else None


def compute_alpha_at_time(runs: Sequence[PositionHistory], time: int) -> float | None:
    """Return Krippendorff's alpha of the participants' answers at index `time`, over the talks."""
    names = list(dict.fromkeys(name for run in runs for name in run.declarations))
    columns = [{name: declaration.answer for name, declaration in run.list_declarations(time).items()} for run in runs]
    is_numeric = any(isinstance(answer, float) for column in columns for answer in column.values())
    rows = [[column.get(name) for column in columns] for name in names]
    return compute_alpha(rows, "interval" if is_numeric else "nominal") if rows else None


def _limit_to_ends(history: PositionHistory, talk: PositionHistory) -> PositionHistory:
    """Return the history with only its first and last answers if the talk has only those."""
    if talk.time_count > 2 or history.time_count <= 2:
        return history
    end_declarations = {name: [row[0], row[-1]] for name, row in history.declarations.items()}
    return PositionHistory(
        history.item, end_declarations, history.truth, history.options, history.tolerance, history.midpoint
    )


def _pad_history(run: PositionHistory, time_count: int) -> PositionHistory:
    def pad_row(row: Sequence[DeclaredAnswer | None]) -> list[DeclaredAnswer | None]:
        return [*row, *[row[-1]] * (time_count - len(row))]

    padded_declarations = {name: pad_row(row) for name, row in run.declarations.items()}
    return PositionHistory(run.item, padded_declarations, run.truth, run.options, run.tolerance, run.midpoint)


def _collect_values(
    runs: Sequence[PositionHistory], measure: Callable[[PositionHistory], float | None]
) -> ValuesByItem:
    values: ValuesByItem = {}
    for run in runs:
        if (value := measure(run)) is not None:
            values.setdefault(run.item, []).append(value)
    return values


def _compute_top_share(run: PositionHistory, time: int) -> float | None:
    answers = run.list_answers(time)
    return len(group_answers(answers, run.tolerance)[0]) / len(answers) if answers else None
