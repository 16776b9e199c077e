"""Status of an experiment: counts by condition, and each run that failed, stopped or is running."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pydantic import BaseModel, ConfigDict, Field

from ..saved import Store
from ..saved.experiments import RunProgress, SavedExperiment
from .entry import restore_plan
from .plan import Plan, SpendingCap
from .planned_runs import PlannedRun, list_conditions, plan_runs
from .wording import translate_for_plan


class ConditionStatus(BaseModel):
    """One condition. Each planned run is in one of the five counts after `planned`."""

    model_config = ConfigDict(frozen=True)

    cell: str
    planned: int
    done: int = 0
    running: int = 0
    stopped: int = Field(default=0, description="Begun, under way nowhere; the next `run` goes on with them.")
    failed: int = Field(default=0, description="Without a result; tried again when asked.")
    waiting: int = Field(default=0, description="Not begun.")


class RunRemark(BaseModel):
    """Remark on one run."""

    model_config = ConfigDict(frozen=True)

    run: str
    state: str
    what: str = Field(description="Why it failed or stopped; where it is under way, and since when.")


class ExperimentStatus(BaseModel):
    """Status of an experiment."""

    model_config = ConfigDict(frozen=True)

    name: str
    protocol: str
    started: str
    hash: str
    cells: list[ConditionStatus]
    remarks: list[RunRemark]
    calls: int
    tokens: int
    cost: float
    cap: SpendingCap
    enough: str = Field(default="", description="Why no other run needs to be begun; empty: there is no reason.")


async def load_status(store: Store, experiment: SavedExperiment) -> ExperimentStatus:
    """Compute the status of an experiment from the progress of its runs."""
    plan, progress_by_run = restore_plan(experiment), await store.experiments.list_progress(experiment.name)
    planned_runs = plan_runs(plan)
    running_names = {
        run for run, progress in progress_by_run.items() if progress.state == "begun" and await store.is_held(run)
    }
    unfinished_runs = [run for run, progress in progress_by_run.items() if progress.state != "done"]
    spendings = [progress[2:] for progress in progress_by_run.values()]
    return ExperimentStatus(
        name=experiment.name,
        protocol=plan.protocol,
        started=experiment.started,
        hash=plan.hash,
        cells=[
            _build_condition_status(
                condition.label,
                [planned_run for planned_run in planned_runs if planned_run.condition == condition],
                progress_by_run,
                running_names,
            )
            for condition in list_conditions(plan)
        ],
        remarks=[
            await _build_remark(store, run, progress_by_run[run], run in running_names) for run in unfinished_runs
        ],
        calls=sum(calls for calls, _, _ in spendings),
        tokens=sum(tokens for _, tokens, _ in spendings),
        cost=sum(cost for _, _, cost in spendings),
        cap=plan.cap,
    )


def _build_condition_status(
    label: str, planned_runs: Sequence[PlannedRun], progress_by_run: Mapping[str, RunProgress], running_names: set[str]
) -> ConditionStatus:
    counts = Counter(
        _get_run_state(planned_run.run, progress_by_run.get(planned_run.run), running_names)
        for planned_run in planned_runs
    )
    return ConditionStatus(cell=label, planned=len(planned_runs), **counts)


def _get_run_state(run: str, progress: RunProgress | None, running_names: set[str]) -> str:
    if progress is None:
        return "waiting"
    if progress.state == "begun":
        return "running" if run in running_names else "stopped"
    return progress.state


async def _build_remark(store: Store, run: str, progress: RunProgress, is_running: bool) -> RunRemark:
    if progress.state != "begun":
        return RunRemark(run=run, state=progress.state, what=progress.why)
    if not is_running:
        return RunRemark(run=run, state="stopped", what="the process that ran it ended")
    holder = await store.runs.load_holder(run)
    process_text = f"process {holder['pid']} on {holder['host']}, since {holder['since']}" if holder else ""
    return RunRemark(run=run, state="running", what=process_text)


FINISHED_STATES = ("done", "failed")


def format_unfinished(plan: Plan, states: Iterable[tuple[PlannedRun, str]]) -> str:
    """Format the unfinished runs, such as "3 of 4 independent samples, 4 of 4 forks", in the plan's language.

    The text is empty if all runs have ended.
    """
    total_counts, unfinished_counts = Counter[str](), Counter[str]()
    for planned_run, state in states:
        total_counts[planned_run.arm or "talk"] += 1
        unfinished_counts[planned_run.arm or "talk"] += state not in FINISHED_STATES
    labels = {arm: translate_for_plan(plan, f"arms.{arm}") for arm in unfinished_counts}
    parts = [
        translate_for_plan(plan, "opening.part", count=count, of=total_counts[arm], arm=labels[arm])
        for arm, count in unfinished_counts.items()
        if count
    ]
    return translate_for_plan(plan, "opening.comma").join(parts)
