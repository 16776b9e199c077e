"""Measures of every run in any experiment: one figure for each run, with its bounds."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ...prompts import load_phrases
from ..protocols.hooks import get_hooks
from .data import ExperimentRun, score_run
from .measures import compute_kendall_w
from .plan import Plan


@dataclass(frozen=True)
class RunMeasure:
    """Figure computed from one run; the phrases contain its wording.

    `is_share`: true if the figure is 0 or 1, so that means are shares. `is_graded`: true if a failed run counts as
    wrong. `bounds`: lowest and highest possible figure; `None`: 0 and the maximum of the runs.
    """

    name: str
    compute: Callable[[ExperimentRun], float | None]
    is_share: bool = False
    is_graded: bool = False
    bounds: tuple[float, float] | None = None


def describe_measure(plan: Plan, name: str) -> tuple[str, str]:
    """Return the name and the meaning of a measure of runs in the plan's language.

    An unknown measure keeps its name and has an empty meaning.
    """
    base_name, _, reason = name.partition(": ")
    key, number = re.sub(r"\d", "N", base_name), "".join(re.findall(r"\d", base_name))
    if key not in load_phrases("findings").list_keys("measures"):
        return name, ""
    if reason in load_phrases("report").list_keys("reasons"):
        reason = load_phrases("report").translate_phrase(plan.language, f"reasons.{reason}")
    return plan.translate(f"measures.{key}", number=number, reason=reason), plan.translate(f"measured.{key}")


def list_measures(runs: Sequence[ExperimentRun]) -> list[RunMeasure]:
    """Return the measures for which these runs have data."""
    recorded_runs = [run for run in runs if run.is_done and run.document is not None]
    measures = _list_all_measures(recorded_runs)
    return [measure for measure in measures if any(measure.compute(run) is not None for run in recorded_runs)]


def _list_all_measures(runs: Sequence[ExperimentRun]) -> Iterator[RunMeasure]:
    yield RunMeasure("right", _measure_right, is_share=True, is_graded=True)
    reasons = sorted({str(run.record["terminationReason"]) for run in runs})
    for reason in reasons if len(reasons) > 1 else []:
        yield RunMeasure(f"ended: {reason}", partial(_measure_reason, reason), is_share=True)
    for protocol in dict.fromkeys(str(run.record["protocol"]) for run in runs):
        for own in get_hooks(protocol).measures:
            yield RunMeasure(own.name, partial(_measure_document, own.compute), own.is_share, bounds=own.bounds)
    yield RunMeasure("agreement", _measure_agreement, bounds=(0, 1))
    for when, list_orders in (("first", _list_first_orders), ("last", _list_last_orders), ("answers", _list_reviews)):
        yield RunMeasure(f"Kendall's W, {when}", partial(_compute_concordance, list_orders), bounds=(0, 1))
    yield RunMeasure("statements", lambda run: float(len(run.record["turns"])))
    yield RunMeasure("calls", lambda run: float(run.record["totalCalls"]))
    yield RunMeasure("tokens", lambda run: float(run.record["totalTokens"]))
    yield RunMeasure("money", lambda run: run.record["totalCost"])
    yield RunMeasure("seconds", lambda run: run.record["totalTimeMs"] / 1000)


def _measure_right(run: ExperimentRun) -> float | None:
    truth = run.planned.item.truth
    return None if truth is None else score_run(run.record, truth)


def _measure_reason(reason: str, run: ExperimentRun) -> float:
    return float(run.record["terminationReason"] == reason)


def _measure_document(compute: Callable[[Mapping[str, Any]], float | None], run: ExperimentRun) -> float | None:
    return compute(run.record)


def _measure_agreement(run: ExperimentRun) -> float | None:
    agreements = run.record.get("weighings")
    scores = list(agreements[-1]["scores"].values()) if agreements else []
    return sum(scores) / len(scores) if scores else None


def _list_first_orders(run: ExperimentRun) -> list[list[Any]]:
    return _list_orders([phase["initial_ranking"] for phase in (run.record.get("phase1") or {}).values()])


def _list_last_orders(run: ExperimentRun) -> list[list[Any]]:
    return _list_orders((run.record.get("phase2") or {}).get("final_rankings", {}).values())


def _list_orders(rankings: Sequence[Mapping[str, Any] | None]) -> list[list[Any]]:
    return [list(ranking["order"]) for ranking in rankings if ranking and not ranking["defaulted"]]


def _list_reviews(run: ExperimentRun) -> list[list[Any]]:
    return [review["ranking"] for review in run.record.get("reviews") or []]


def _compute_concordance(list_orders: Callable[[ExperimentRun], list[list[Any]]], run: ExperimentRun) -> float | None:
    orders = [order for order in list_orders(run) if order]
    if len({frozenset(order) for order in orders}) != 1:
        return None
    return compute_kendall_w([[float(order.index(thing)) for thing in sorted(orders[0])] for order in orders])
