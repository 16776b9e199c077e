"""Flow of an experiment from planned to counted runs, after CONSORT.

Schulz et al. 2010, BMJ 340:c332.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ..export import ColumnMeanings, DataTable, TableRow
from ..saved.experiments import SavedExperiment
from .data import ExperimentRun, has_only_rehearsals
from .failures import CUT_REASON, FAILURES
from .plan import Plan
from .seal import is_exploratory

FLOW_COLUMNS: ColumnMeanings = {
    "condition": "Label of the condition.",
    "arm": "Arm; empty: the deliberation itself.",
    "planned": "Runs planned.",
    "begun": "Those begun.",
    "ended": "Those that ended with a result that counts.",
    "cut": "Those of them that their cap cut short after their last answer.",
    **{f"failed_{failure}": f"Failed: {failure}." for failure in FAILURES},
    "open": "Not ended yet.",
    "not_needed": "Not ended when the experiment stopped early; they are no failures.",
    "excluded": "Ended or failed, of items after the early stop: the figures leave them out.",
    "counted": "Ended and failed ones of all other items; the failed ones count as wrong.",
}

FLOW_COUNTS = tuple(key for key in FLOW_COLUMNS if key not in ("condition", "arm"))


@dataclass(frozen=True)
class ExperimentProgress:
    """Progress that decides whether an experiment has a verdict.

    `ended_items`: items whose runs have all ended. `is_interim`: whether runs that the experiment needs are still open.
    `is_exploratory`: whether the plan was not sealed before the first call.
    """

    ended_items: int
    is_interim: bool
    is_rehearsal: bool
    is_exploratory: bool = False

    @property
    def has_verdict(self) -> bool:
        """Return whether the figures may be judged."""
        return not (self.is_interim or self.is_rehearsal)


def measure_progress(plan: Plan, experiment: SavedExperiment, runs: Sequence[ExperimentRun]) -> ExperimentProgress:
    """Measure the progress of an experiment from its runs."""
    open_items = {run.planned.item.id for run in runs if not run.has_ended}
    ended_items = {run.planned.item.id for run in runs} - open_items
    is_interim = bool(open_items) and not experiment.closed
    return ExperimentProgress(len(ended_items), is_interim, has_only_rehearsals(runs), is_exploratory(plan, experiment))


def build_flow_table(plan: Plan, experiment: SavedExperiment, runs: Sequence[ExperimentRun]) -> DataTable:
    """Build the table with the flow of the runs of each condition and arm."""
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
    rows = list[TableRow]()
    for (condition, arm), row in counts.items():
        keys = {"condition": condition, "arm": arm}
        rows.append(keys | {key: row[key] for key in FLOW_COLUMNS if key not in keys})
    return DataTable(FLOW_COLUMNS, rows)


def format_flow_lines(plan: Plan, flow: DataTable) -> list[str]:
    """Format the flow of each condition and arm as a line, without steps that no run took."""
    lines = []
    for row in flow.rows:
        steps = [f"{plan.translate(f'flow.{key}')} {row[key]}" for key in FLOW_COUNTS if row[key] or key == "counted"]
        name = plan.translate(f"arms.{row['arm'] or 'talk'}")
        lines.append(f"{row['condition']}, {name}: {' → '.join(steps)}")
    return lines
