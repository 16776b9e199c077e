"""Status of an experiment: counts by condition, remarks on runs, and the flow of runs.

The flow leads from planned to counted runs, as in a CONSORT diagram (Schulz et al. 2010, BMJ 340:c332).
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from pydantic import BaseModel, Field

from ...models import is_offline
from ...state import InputError
from ..export import ColumnMeanings, DataTable, TableRow
from ..saved import SavedExperiment, Store, load_saved_run
from .data import ExperimentRun, has_only_rehearsals
from .failures import CUT_REASON, FAILURES
from .plan import Plan, SpendingCap, parse_plan
from .planned_runs import END_STATES, PlannedRun, list_conditions, plan_runs
from .seal import is_exploratory


class ConditionStatus(BaseModel, frozen=True):
    """Number of runs under one condition, by state. `planned`: sum of the five other counts."""

    condition: str
    planned: int = 0
    done: int = 0
    running: int = 0
    stopped: int = Field(default=0, description="Runs that started and stopped. The next `run` resumes them.")
    failed: int = Field(default=0, description="Runs without a result. `--retry-failed` repeats them.")
    waiting: int = Field(default=0, description="Runs that have not started.")


class RunRemark(BaseModel, frozen=True):
    """Remark on one run in the status of an experiment."""

    run: str
    state: str
    what: str = Field(description="Reason for a failure or stop; for a running run, its process and start.")


class ExperimentStatus(BaseModel, frozen=True):
    """Status of an experiment: counts by condition, remarks, spending and cap."""

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
    plan, progress_by_run = parse_plan(experiment.plan), await store.experiments.map_progress(experiment.name)
    counts = {condition.label: Counter[str]() for condition in list_conditions(plan)}
    states, remarks, free_call_count = dict[str, str](), list[RunRemark](), 0
    for run, progress in progress_by_run.items():
        if progress.state == "begun":
            with suppress(InputError):  # a run that could not begin has no record
                saved_run = await load_saved_run(store, run)
                calls = saved_run.state["calls"][saved_run.run.forked_calls :] if saved_run.has_begun else []
                free_call_count += sum(is_offline(call.model) for call in calls)  # the journal has only paid requests
        state, text = str(progress.state), progress.why
        if state == "begun" and await store.is_held(run):
            state, holder = "running", await store.runs.load_holder(run)
            text = f"process {holder['pid']} on {holder['host']}, since {holder['since']}" if holder else ""
        elif state == "begun":
            state, text = "stopped", "the process of this run ended"
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


def format_unfinished(plan: Plan, states: Iterable[tuple[PlannedRun, str]]) -> str:
    """Return the unfinished runs as text in the plan's language, such as "3 of 4 samples".

    The text is empty if all runs have ended.
    """
    total_counts, unfinished_counts = Counter[str](), Counter[str]()
    for planned_run, state in states:
        total_counts[planned_run.arm or "talk"] += 1
        unfinished_counts[planned_run.arm or "talk"] += state not in END_STATES
    return plan.translate("opening.comma").join(
        plan.translate("opening.part", count=count, of=total_counts[arm], arm=plan.translate(f"arms.{arm}"))
        for arm, count in unfinished_counts.items()
        if count
    )


FLOW_COLUMNS: ColumnMeanings = {
    "condition": "Label of the condition.",
    "arm": "Arm; empty: the deliberation itself.",
    "planned": "Runs planned.",
    "begun": "Runs that have started.",
    "ended": "Runs that ended with a result that counts.",
    "cut": "Ended runs that a cap on cost, not the limit of length, cut short after their last answer.",
    **{f"failed_{failure}": f"Failed: {failure}." for failure in FAILURES},
    "open": "Runs that have not ended.",
    "not_needed": "Runs that had not ended when the experiment stopped early. They do not count as failures.",
    "excluded": "Ended or failed runs on items after the early stop. The figures leave them out.",
    "counted": "Runs in the analysis: ended and failed runs. A failed run counts as wrong.",
}

FLOW_COUNTS = tuple(key for key in FLOW_COLUMNS if key not in ("condition", "arm"))


@dataclass(frozen=True)
class ExperimentProgress:
    """Progress of an experiment, which decides whether its report has a verdict.

    `ended_items`: items whose runs have all ended. `is_interim`: whether runs that the experiment needs are still open.
    `is_exploratory`: whether the plan was not sealed before the first call, or not executed as sealed.
    """

    ended_items: int
    is_interim: bool
    is_rehearsal: bool
    is_exploratory: bool = False

    @property
    def has_verdict(self) -> bool:
        """Return whether the figures may get a verdict: the experiment has ended and is no rehearsal."""
        return not (self.is_interim or self.is_rehearsal)


def measure_progress(plan: Plan, experiment: SavedExperiment, runs: Sequence[ExperimentRun]) -> ExperimentProgress:
    """Return the progress of an experiment from the states of its runs."""
    open_items = {run.planned.item.id for run in runs if not run.has_ended}
    return ExperimentProgress(
        ended_items=len({run.planned.item.id for run in runs} - open_items),
        is_interim=bool(open_items) and not experiment.closed,
        is_rehearsal=has_only_rehearsals(runs),
        is_exploratory=is_exploratory(plan, experiment),
    )


def build_flow_table(plan: Plan, experiment: SavedExperiment, runs: Sequence[ExperimentRun]) -> DataTable:
    """Return the table that counts the runs of each condition and arm, from planned to counted ones."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    counted_items = {item.id for item in plan.items}
    if plan.until:
        from .arms.early_stop import list_counted_items, list_stopped_differences  # needs the extra `science`

        counted_items = list_counted_items(plan, list_stopped_differences(plan, runs))
    for run in runs:
        row = counts.setdefault((run.planned.condition.label, run.planned.arm), Counter())
        row.update(["planned", *["begun"] * (run.progress is not None and run.failure != "not_begun")])
        use = "counted" if run.planned.item.id in counted_items else "excluded"
        if run.failure:
            row.update([f"failed_{run.failure}", use])
        elif run.is_done:
            is_cut = run.document is not None and run.document["terminationReason"] == CUT_REASON
            row.update(["ended", use, *["cut"] * is_cut])
        else:
            row.update(["not_needed" if experiment.closed else "open"])
    rows: list[TableRow] = [
        {"condition": condition, "arm": arm} | {key: row[key] for key in FLOW_COUNTS}
        for (condition, arm), row in counts.items()
    ]
    return DataTable(FLOW_COLUMNS, rows)


def format_flow_lines(plan: Plan, flow: DataTable) -> list[str]:
    """Return a line about the flow of runs for each condition and arm, without steps that no run took.

    `flow`: table of `build_flow_table`.
    """
    lines = []
    for row in flow.rows:
        steps = [f"{plan.translate(f'flow.{key}')} {row[key]}" for key in FLOW_COUNTS if row[key] or key == "counted"]
        name = plan.translate(f"arms.{row['arm'] or 'talk'}")
        lines.append(f"{row['condition']}, {name}: {' → '.join(steps)}")
    return lines
