"""Early stop of an experiment: the evidence of its gain, item by item in the plan's order.

It counts only the longest prefix of that order whose runs have all ended. So the order in which runs end does not
matter, and a test after each run costs no error.
"""

import asyncio
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from ....state.errors import InputError
from ...report.document import build_document
from ...saved import Store, load_saved_run
from ...saved.experiments import RunProgress
from ..data import ExperimentRun
from ..measures import COMPARISONS, collect_gains
from ..plan import Plan
from ..planned_runs import PlannedRun, order_items, plan_runs
from ..statistics import SequentialEvidence, run_sequential_test
from ..wording import translate_for_plan
from .accuracy import make_unit
from .answers import group_runs_by_talk

ENDED_RUN_STATES = ("done", "failed")


class GainEvidence:
    """Evidence from the items that have ended; each item is read once."""

    def __init__(self, plan: Plan) -> None:
        self._plan, self._remaining_items = plan, list(group_runs_by_item(plan))
        self._differences: list[float] = []
        self._read_lock = asyncio.Lock()

    async def explain_stop(self, store: Store) -> str:
        """Return the reason to begin no further run, or an empty text."""
        async with self._read_lock:
            progress_by_run = await store.experiments.list_progress(self._plan.name)
            while self._remaining_items and _has_item_ended(self._remaining_items[0], progress_by_run):
                runs = [
                    ExperimentRun(
                        planned_run, progress_by_run[planned_run.run], await _load_document(store, planned_run.run)
                    )
                    for planned_run in self._remaining_items.pop(0)
                ]
                self._differences.append(compute_item_gain(self._plan, runs))
        evidence = judge_gain(self._plan, self._differences)
        return format_evidence(self._plan, evidence) if evidence.stopping_time else ""


def group_runs_by_item(plan: Plan) -> list[list[PlannedRun]]:
    """Return the runs of each item in the plan's order; forks do not count for the gain and are left out."""
    runs_by_item: dict[str, list[PlannedRun]] = {item.id: [] for item in order_items(plan)}
    for planned_run in plan_runs(plan):
        if planned_run.fork is None:
            runs_by_item[planned_run.item.id].append(planned_run)
    return list(runs_by_item.values())


def _has_item_ended(planned_runs: Sequence[PlannedRun], progress_by_run: Mapping[str, RunProgress]) -> bool:
    return all(
        planned_run.run in progress_by_run and progress_by_run[planned_run.run].state in ENDED_RUN_STATES
        for planned_run in planned_runs
    )


async def _load_document(store: Store, run: str) -> Mapping[str, Any] | None:
    try:
        saved_run = await load_saved_run(store, run)
    except InputError:  # a run that could not begin has no record
        return None
    return build_document(saved_run) if saved_run.has_begun else None


def compute_item_gain(plan: Plan, runs: Sequence[ExperimentRun]) -> float:
    """Return the mean gain on one item over its repeats and swaps; failures count as wrong."""
    (gain,) = plan.until
    values = collect_gains([make_unit(talk, plan.arms) for talk in group_runs_by_talk(runs)], *COMPARISONS[gain])
    return fmean([value for item_values in values.values() for value in item_values] or [0.0])


def judge_gain(plan: Plan, differences: Sequence[float]) -> SequentialEvidence:
    """Apply the plan's sequential test to the differences of its items."""
    (bound,) = plan.until.values()
    return run_sequential_test(differences, direction=bound.direction, bound=bound.value, alpha=bound.alpha)


def judge_runs(plan: Plan, runs: Sequence[ExperimentRun]) -> SequentialEvidence:
    """Return the evidence from all runs of an experiment, up to the first item that has not ended."""
    run_by_name = {run.planned.run: run for run in runs}
    differences: list[float] = []
    for planned_item_runs in group_runs_by_item(plan):
        item_runs = [run_by_name[planned_run.run] for planned_run in planned_item_runs]
        if not all(run.state in ENDED_RUN_STATES for run in item_runs):
            break
        differences.append(compute_item_gain(plan, item_runs))
    return judge_gain(plan, differences)


def format_evidence(plan: Plan, evidence: SequentialEvidence) -> str:
    """Format the state of the sequential test in one sentence."""
    ((gain, bound),) = plan.until.items()
    claim = translate_for_plan(plan, f"until.{bound.direction}", gain=gain, points=f"{100 * bound.value:g}")
    evidence_bound = f"{1 / bound.alpha:g}"
    if evidence.stopping_time:
        return translate_for_plan(
            plan, "until.stopped", items=evidence.stopping_time, claim=claim, bound=evidence_bound
        )
    return translate_for_plan(
        plan, "until.going", items=evidence.items, claim=claim, evidence=f"{evidence.e:.3g}", bound=evidence_bound
    )
