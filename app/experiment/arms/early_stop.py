"""Early stop of an experiment, as soon as its evidence for a gain is strong enough.

Only the items before the first unfinished item in the plan's order count. So the order in which runs finish does not
matter. A test after each run does not raise the error rate.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from statistics import fmean

from ....state import InputError
from ...export import ColumnMeanings, DataTable
from ...report import build_document
from ...saved import Store, load_saved_run
from .. import ExperimentRun, Plan, PlannedRun, order_items, plan_runs
from ..measures import COMPARISONS, collect_gains
from ..statistics import (
    SequentialEvidence,
    compute_bounds,
    compute_log_e_values,
    format_points,
    run_sequential_test,
)
from .answers import group_runs_by_talk, make_unit, resolve_comparison

EVIDENCE_COLUMNS: ColumnMeanings = {
    "order": "Place in the drawn order, from 1.",
    "item": "Id of the item.",
    "d": "Gain on this item, of the kind named in `until`: mean over repeats and swaps, from −1 to 1.",
    "log_e": "Natural logarithm of the evidence after this item; the experiment stops at ln(1/α).",
    "low": "Lower end of the confidence sequence of the mean difference after this item; level 1 − α.",
    "high": "Upper end of the same confidence sequence.",
}


class GainEvidence:
    """Evidence for the gain from the finished items. The runs of each item are loaded only once."""

    def __init__(self, plan: Plan) -> None:
        self._plan, self._remaining_items = plan, _group_runs_by_item(plan)
        self._differences: list[float] = []
        self._read_lock = asyncio.Lock()

    async def explain_stop(self, store: Store) -> str:
        """Return the reason to start no further run; empty if the experiment continues."""
        async with self._read_lock:
            progress_by_run = await store.experiments.map_progress(self._plan.name)
            while self._remaining_items:
                runs = [
                    ExperimentRun(planned_run, progress_by_run.get(planned_run.run), None)
                    for planned_run in self._remaining_items[0]
                ]
                if not all(run.has_ended for run in runs):
                    break
                for index, run in enumerate(runs):
                    with suppress(InputError):  # a run that could not begin has no record
                        saved_run = await load_saved_run(store, run.planned.run)
                        runs[index] = replace(run, document=build_document(saved_run) if saved_run.has_begun else None)
                self._differences.append(_compute_item_gain(self._plan, runs))
                self._remaining_items.pop(0)
        has_stopped = _test_gain(self._plan, self._differences).stopping_time
        return format_evidence(self._plan, self._differences) if has_stopped else ""


def _group_runs_by_item(plan: Plan) -> list[list[PlannedRun]]:
    """Return the runs of each item in the plan's order.

    Forks are left out, because the gain excludes them.
    """
    runs_by_item: dict[str, list[PlannedRun]] = {item.id: [] for item in order_items(plan)}
    for planned_run in plan_runs(plan):
        if planned_run.fork is None:
            runs_by_item[planned_run.item.id].append(planned_run)
    return list(runs_by_item.values())


def _compute_item_gain(plan: Plan, runs: Sequence[ExperimentRun]) -> float:
    (gain,), talks = plan.until, group_runs_by_talk(runs)
    pair = COMPARISONS[resolve_comparison(plan, talks, gain)]
    gains = collect_gains([make_unit(talk, plan.arms) for talk in talks], *pair)
    return fmean([value for item_values in gains.values() for value in item_values] or [0.0])


def _test_gain(plan: Plan, differences: Sequence[float]) -> SequentialEvidence:
    (bound,) = plan.until.values()
    return run_sequential_test(differences, direction=bound.direction, bound=bound.value, alpha=bound.alpha)


def collect_item_gains(plan: Plan, runs: Sequence[ExperimentRun]) -> list[float]:
    """Return the gain of each item before the first unfinished one, in the drawn order.

    The plan's `until` names the comparison.
    """
    run_by_name = {run.planned.run: run for run in runs}
    differences: list[float] = []
    for planned_runs in _group_runs_by_item(plan):
        item_runs = [run_by_name[planned_run.run] for planned_run in planned_runs]
        if not all(run.has_ended for run in item_runs):
            break
        differences.append(_compute_item_gain(plan, item_runs))
    return differences


def list_stopped_differences(plan: Plan, runs: Sequence[ExperimentRun]) -> list[float]:
    """Return the difference of each item up to the early stop, in the drawn order; empty without a stop."""
    differences = collect_item_gains(plan, runs) if plan.until else []
    return differences[: _test_gain(plan, differences).stopping_time or 0] if differences else []


def list_counted_items(plan: Plan, stop: Sequence[float]) -> set[str]:
    """Return the ids of the items that count: all, or those up to an early stop.

    `stop`: the result of `list_stopped_differences`.
    """
    return {item.id for item in (order_items(plan)[: len(stop)] if stop else plan.items)}


def build_evidence_table(plan: Plan, runs: Sequence[ExperimentRun]) -> DataTable:
    """Return a table of the evidence after each item, up to the first unfinished item."""
    differences, (bound,) = collect_item_gains(plan, runs), plan.until.values()
    log_e_values = compute_log_e_values(differences, direction=bound.direction, bound=bound.value)
    rows = []
    for number, (item, log_e) in enumerate(zip(order_items(plan), map(float, log_e_values), strict=False), 1):
        bounds = compute_bounds(differences[:number], bound.alpha)
        cells = number, item.id, differences[number - 1], log_e, *bounds
        rows.append(dict(zip(EVIDENCE_COLUMNS, cells, strict=True)))
    return DataTable(EVIDENCE_COLUMNS, rows)


def format_evidence(plan: Plan, differences: Sequence[float]) -> str:
    """Return a sentence about the sequential test of the gain.

    Without a stop, the sentence contains the confidence sequence, which stays valid after repeated checks. The other
    intervals of the report do not.
    """
    ((gain, bound),), evidence = plan.until.items(), _test_gain(plan, differences)
    values = {
        "claim": plan.translate(f"until.{bound.direction}", gain=gain, points=f"{100 * bound.value:g}"),
        "bound": f"{1 / bound.alpha:g}",
    }
    if evidence.stopping_time:
        return plan.translate("until.stopped", items=evidence.stopping_time, **values)
    low, high = map(format_points, compute_bounds(differences, bound.alpha))
    return plan.translate(
        "until.going", items=evidence.items, evidence=f"{evidence.e:.3g}", low=low, high=high, **values
    )
