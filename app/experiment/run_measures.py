"""Measures of runs in any experiment: one figure for each run, with its bounds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from ..protocols.hooks import get_hooks
from .data import Document, ExperimentRun, score_run
from .measures import compute_kendall_w


@dataclass(frozen=True)
class RunMeasure:
    """Figure computed from one run. Its name and meaning are phrases.

    `is_share`: whether the figure is 0 or 1, so that means are shares. `is_graded`: whether a failed run counts as
    wrong. `bounds`: lowest and highest possible figure; `None` means 0 and the maximum of the runs.
    """

    name: str
    compute: Callable[[ExperimentRun], float | None]
    is_share: bool = False
    is_graded: bool = False
    bounds: tuple[float, float] | None = None


def list_measures(runs: Sequence[ExperimentRun]) -> list[RunMeasure]:
    """Return the measures for which these runs have data."""
    recorded_runs = [run for run in runs if run.is_done and run.document is not None]
    measures = [RunMeasure("right", _measure_right, is_share=True, is_graded=True)]

    def add_measure(
        name: str,
        compute: Callable[[Document], float | None],
        is_share: bool = False,
        bounds: tuple[float, float] | None = None,
    ) -> None:
        measures.append(RunMeasure(name, lambda run: compute(run.record), is_share, bounds=bounds))

    reasons = sorted({str(run.record["terminationReason"]) for run in recorded_runs})
    for reason in reasons if len(reasons) > 1 else []:
        add_measure(f"ended: {reason}", partial(_has_reason, reason), is_share=True)
    for protocol in dict.fromkeys(str(run.record["protocol"]) for run in recorded_runs):
        for own_measure in get_hooks(protocol).measures:
            add_measure(own_measure.name, own_measure.compute, own_measure.is_share, own_measure.bounds)
    add_measure("agreement", _measure_agreement, bounds=(0, 1))
    for when in ("first", "last", "answers"):
        add_measure(f"Kendall's W, {when}", partial(_compute_concordance, when), bounds=(0, 1))
    add_measure("statements", lambda document: float(len(document["turns"])))
    for name, key in (("calls", "totalCalls"), ("tokens", "totalTokens"), ("money", "totalCost")):
        add_measure(name, partial(_find_total, key))
    add_measure("seconds", lambda document: document["totalTimeMs"] / 1000)
    return [measure for measure in measures if any(measure.compute(run) is not None for run in recorded_runs)]


def _measure_right(run: ExperimentRun) -> float | None:
    truth = run.planned.item.truth
    return None if truth is None else score_run(run.record, truth)


def _has_reason(reason: str, document: Document) -> float:
    return float(document["terminationReason"] == reason)


def _find_total(key: str, document: Document) -> float | None:
    return None if document[key] is None else float(document[key])


def _measure_agreement(document: Document) -> float | None:
    agreements = document.get("weighings")
    scores = list(agreements[-1]["scores"].values()) if agreements else []
    return sum(scores) / len(scores) if scores else None


def _compute_concordance(when: str, document: Document) -> float | None:
    """Compute how well the first or last rankings agree, or the rankings of a council's answers."""
    rankings = (document.get("phase2") or {}).get("final_rankings", {}).values()
    if when == "first":
        rankings = [phase["initial_ranking"] for phase in (document.get("phase1") or {}).values()]
    orders = [list(ranking["order"]) for ranking in rankings if ranking and not ranking["defaulted"]]
    if when == "answers":
        orders = [review["ranking"] for review in document.get("reviews") or []]
    orders = [order for order in orders if order]
    if len({frozenset(order) for order in orders}) != 1:
        return None
    return compute_kendall_w([[float(order.index(thing)) for thing in sorted(orders[0])] for order in orders])
