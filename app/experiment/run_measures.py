"""Measures of every run in any experiment: one figure for each run, with its bounds."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from ...state.justice import PRINCIPLES
from .data import ExperimentRun
from .measures import compute_kendall_w
from .score_answer import score_run

MeasuredDocument = Mapping[str, Any]
PRINCIPLE_NUMBERS = range(1, 5)
"""Numbers of the principles of justice."""
AMOUNT_FLAGS = ("constraint_satisfied", "binding", "decisive")
"""Yes-or-no facts about the amount of an adopted rule."""


@dataclass(frozen=True)
class RunMeasure:
    """Figure computed from one run; the phrases contain its wording."""

    name: str
    compute: Callable[[ExperimentRun], float | None]
    is_share: bool = False
    """True if the figure is 0 or 1, so that means are shares."""
    is_graded: bool = False
    """True if a failed run counts as wrong."""
    bounds: tuple[float, float] | None = None
    """Lowest and highest possible figure; `None`: 0 and the maximum of the runs."""


def list_measures(runs: Sequence[ExperimentRun]) -> list[RunMeasure]:
    """Return the measures for which these runs have data."""
    finished_runs = [run for run in runs if run.is_done and run.document is not None]
    return [
        measure
        for measure in _list_all_measures(finished_runs)
        if any(measure.compute(run) is not None for run in finished_runs)
    ]


def _list_all_measures(runs: Sequence[ExperimentRun]) -> Iterator[RunMeasure]:
    yield RunMeasure("right", _measure_right, is_share=True, is_graded=True)
    reasons = sorted({str(_get_document(run)["terminationReason"]) for run in runs})
    for reason in reasons if len(reasons) > 1 else []:
        yield RunMeasure(f"ended: {reason}", _make_reason_measure(reason), is_share=True)
    yield from _list_justice_measures()
    yield RunMeasure("agreement", _measure_agreement, bounds=(0, 1))
    yield RunMeasure("Kendall's W, first", _measure_first_agreement, bounds=(0, 1))
    yield RunMeasure("Kendall's W, last", _measure_last_agreement, bounds=(0, 1))
    yield RunMeasure("Kendall's W, answers", _measure_member_agreement, bounds=(0, 1))
    yield RunMeasure("statements", lambda run: float(len(_get_document(run)["turns"])))
    yield RunMeasure("calls", lambda run: float(_get_document(run)["totalCalls"]))
    yield RunMeasure("tokens", lambda run: float(_get_document(run)["totalTokens"]))
    yield RunMeasure("money", lambda run: _get_document(run)["totalCost"])
    yield RunMeasure("seconds", lambda run: _get_document(run)["totalTimeMs"] / 1000)


def _list_justice_measures() -> Iterator[RunMeasure]:
    yield RunMeasure("rule adopted", _measure_adoption, is_share=True)
    for number in PRINCIPLE_NUMBERS:
        yield RunMeasure(f"principle {number}", _make_principle_measure(number), is_share=True)
    for number in (3, 4):
        yield RunMeasure(f"amount of principle {number}", _make_amount_measure(number))
    for key in AMOUNT_FLAGS:
        yield RunMeasure(f"amount {key.removeprefix('constraint_')}", _make_flag_measure(key), is_share=True)
    yield RunMeasure("payoff", _measure_payoff)
    yield RunMeasure("payoff alone", _measure_payoff_alone)
    for number, (index, when) in product(PRINCIPLE_NUMBERS, ((0, "before"), (3, "after"))):
        yield RunMeasure(f"rank of principle {number}, {when}", _make_rank_measure(number, index), bounds=(1, 4))
    yield RunMeasure("rankings moved", _measure_ranking_changes, bounds=(0, 6))


def _get_document(run: ExperimentRun) -> MeasuredDocument:
    assert run.document is not None
    return run.document


def _measure_right(run: ExperimentRun) -> float | None:
    truth = run.planned.item.truth
    return None if truth is None else score_run(_get_document(run), truth)


def _make_reason_measure(reason: str) -> Callable[[ExperimentRun], float | None]:
    return lambda run: float(_get_document(run)["terminationReason"] == reason)


def _get_group_phase(run: ExperimentRun) -> MeasuredDocument | None:
    group: MeasuredDocument | None = _get_document(run).get("phase2")
    return group


def _measure_adoption(run: ExperimentRun) -> float | None:
    group = _get_group_phase(run)
    return None if group is None or group["consensus_reached"] is None else float(group["consensus_reached"])


def _make_principle_measure(number: int) -> Callable[[ExperimentRun], float | None]:
    def measure_principle(run: ExperimentRun) -> float | None:
        group = _get_group_phase(run)
        if group is None or group["consensus_reached"] is None:
            return None
        return float(PRINCIPLES[number - 1] == group["agreed_principle"])

    return measure_principle


def _make_amount_measure(number: int) -> Callable[[ExperimentRun], float | None]:
    def measure_amount(run: ExperimentRun) -> float | None:
        group = _get_group_phase(run) or {}
        is_agreed = group.get("agreed_principle") == PRINCIPLES[number - 1]
        return float(group["constraint_amount"]) if is_agreed and group["constraint_amount"] is not None else None

    return measure_amount


def _make_flag_measure(key: str) -> Callable[[ExperimentRun], float | None]:
    def measure_flag(run: ExperimentRun) -> float | None:
        flag = (_get_group_phase(run) or {}).get(key)
        return None if flag is None else float(flag)

    return measure_flag


def _measure_first_agreement(run: ExperimentRun) -> float | None:
    phases = _get_document(run).get("phase1") or {}
    return _compute_concordance([_get_ranking_order(phase["initial_ranking"]) for phase in phases.values()])


def _measure_last_agreement(run: ExperimentRun) -> float | None:
    return _compute_concordance(
        [_get_ranking_order(ranking) for ranking in (_get_group_phase(run) or {}).get("final_rankings", {}).values()]
    )


def _measure_member_agreement(run: ExperimentRun) -> float | None:
    return _compute_concordance([review["ranking"] for review in _get_document(run).get("reviews") or []])


def _get_ranking_order(ranking: Mapping[str, Any] | None) -> list[Any]:
    """Return the order of a ranking; empty for a missing or defaulted ranking."""
    return [] if ranking is None or ranking["defaulted"] else list(ranking["order"])


def _compute_concordance(orders: Sequence[Sequence[Any]]) -> float | None:
    """Return Kendall's W of the rankings, or `None` if they do not rank the same things."""
    rankings = [ranking for ranking in orders if ranking]
    if len({frozenset(ranking) for ranking in rankings}) != 1:
        return None
    return compute_kendall_w([[float(ranking.index(thing)) for thing in sorted(rankings[0])] for ranking in rankings])


def _measure_payoff(run: ExperimentRun) -> float | None:
    group = _get_group_phase(run)
    return _compute_mean([payoff["payoff_cents"] for payoff in (group or {}).get("payoffs", {}).values()])


def _measure_payoff_alone(run: ExperimentRun) -> float | None:
    return _compute_mean([phase["total_earnings"] for phase in (_get_document(run).get("phase1") or {}).values()])


def _make_rank_measure(number: int, index: int) -> Callable[[ExperimentRun], float | None]:
    """Return the measure of a principle's mean rank in one of the four rankings.

    `index`: position of the ranking, from 0.
    """

    def measure_rank(run: ExperimentRun) -> float | None:
        ranking_summaries = (_get_document(run).get("measures") or {}).get("standings", [])
        ranks = ranking_summaries[index]["mean_rank"] if index < len(ranking_summaries) else {}
        return None if PRINCIPLES[number - 1] not in ranks else float(ranks[PRINCIPLES[number - 1]])

    return measure_rank


def _measure_ranking_changes(run: ExperimentRun) -> float | None:
    changes = (_get_document(run).get("measures") or {}).get("changes", [])
    distance = next(
        (change["kendall_mean"] for change in changes if (change["first"], change["second"]) == (1, 4)), None
    )
    return None if distance is None else float(distance)


def _measure_agreement(run: ExperimentRun) -> float | None:
    agreement_scores = _get_document(run).get("weighings")
    scores = list(agreement_scores[-1]["scores"].values()) if agreement_scores else []
    return _compute_mean(scores)


def _compute_mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
