"""Status of an experiment: counts by condition, and remarks on failed, stopped and running runs."""

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress

from pydantic import BaseModel, Field

from ...models import is_offline
from ...state import InputError
from ..saved import SavedExperiment, Store, load_saved_run
from .lifecycle import restore_plan
from .plan import Plan, SpendingCap
from .planned_runs import END_STATES, PlannedRun, list_conditions, plan_runs


class ConditionStatus(BaseModel, frozen=True):
    """Status of one condition. `planned`: sum of the five other counts."""

    condition: str
    planned: int = 0
    done: int = 0
    running: int = 0
    stopped: int = Field(default=0, description="Runs that started and stopped. The next `run` resumes them.")
    failed: int = Field(default=0, description="Runs without a result. `--retry-failed` repeats them.")
    waiting: int = Field(default=0, description="Runs that have not started.")


class RunRemark(BaseModel, frozen=True):
    """Remark on one run."""

    run: str
    state: str
    what: str = Field(description="Reason for a failure or stop, or the process of a running run and its start.")


class ExperimentStatus(BaseModel, frozen=True):
    """Status of an experiment."""

    name: str
    protocol: str
    started: str
    hash: str
    conditions: list[ConditionStatus]
    remarks: list[RunRemark]
    calls: int
    tokens: int
    cost: float
    cap: SpendingCap
    enough: str = Field(default="", description="Reason why the experiment needs no more runs; empty: it needs more.")


async def load_status(store: Store, experiment: SavedExperiment) -> ExperimentStatus:
    """Compute the status of an experiment from the progress of its runs."""
    plan, progress_by_run = restore_plan(experiment), await store.experiments.map_progress(experiment.name)
    counts = {condition.label: Counter[str]() for condition in list_conditions(plan)}
    states, remarks, free_call_count = dict[str, str](), list[RunRemark](), 0
    for run, progress in progress_by_run.items():
        if progress.state == "begun":
            free_call_count += await _count_rehearsed_calls(store, run)
        state, text = str(progress.state), progress.why
        if state == "begun" and await store.is_held(run):
            holder = await store.runs.load_holder(run)
            text = f"process {holder['pid']} on {holder['host']}, since {holder['since']}" if holder else ""
            state = "running"
        elif state == "begun":
            state, text = "stopped", "the process that ran it ended"
        states[run] = state
        if state != "done":
            remarks.append(RunRemark(run=run, state=state, what=text))
    for planned_run in plan_runs(plan):
        counts[planned_run.condition.label].update(["planned", states.get(planned_run.run, "waiting")])
    return ExperimentStatus(
        name=experiment.name,
        protocol=plan.protocol,
        started=experiment.started,
        hash=plan.hash,
        conditions=[ConditionStatus(condition=label, **condition_counts) for label, condition_counts in counts.items()],
        remarks=remarks,
        calls=sum(progress.calls for progress in progress_by_run.values()) + free_call_count,
        tokens=sum(progress.tokens for progress in progress_by_run.values()),
        cost=sum(progress.cost for progress in progress_by_run.values()),
        cap=plan.cap,
    )


async def _count_rehearsed_calls(store: Store, run: str) -> int:
    """Count the rehearsed calls of a current run. The journal of paid requests does not contain them."""
    with suppress(InputError):  # a run that could not begin has no record
        saved_run = await load_saved_run(store, run)
        if saved_run.has_begun:
            calls = saved_run.state["calls"][saved_run.run.forked_calls :]
            return sum(is_offline(call.model) for call in calls)
    return 0


def format_unfinished(plan: Plan, states: Iterable[tuple[PlannedRun, str]]) -> str:
    """Format the unfinished runs in the plan's language, such as "3 of 4 independent samples".

    The text is empty if all runs have ended.
    """
    total_counts, unfinished_counts = Counter[str](), Counter[str]()
    for planned_run, state in states:
        total_counts[planned_run.arm or "talk"] += 1
        unfinished_counts[planned_run.arm or "talk"] += state not in END_STATES
    parts = []
    for arm, count in unfinished_counts.items():
        if count:
            values = {"of": total_counts[arm], "arm": plan.translate(f"arms.{arm}")}
            parts.append(plan.translate("opening.part", count=count, **values))
    return plan.translate("opening.comma").join(parts)
