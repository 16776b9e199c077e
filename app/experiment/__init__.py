"""Experiments: plans, their runs, figures, reports and exports.

A name is imported at first use, because some modules are slow to load.
"""

from typing import TYPE_CHECKING

from ...state.first_use import import_at_first_use

if TYPE_CHECKING:
    from .data import has_only_rehearsals, load_experiment_runs
    from .endpoint_limits import make_limits
    from .export import ExperimentArchive, check_export_folder, export_experiment, load_archive
    from .forecast import forecast_experiment
    from .items import fold_text
    from .lifecycle import check_open, close_experiment, enter_experiment, restore_plan
    from .plan import parse_plan, read_plan
    from .planned_runs import END_STATES, PlannedRun, list_conditions, plan_runs
    from .progress import ProgressListener
    from .run_experiment import ExecutionOptions, describe_spending, is_rehearsal, list_remaining_runs, make_early_stop
    from .run_pool import MAX_STOPS_IN_ROW, RunPool, execute_run, resume_experiment_run
    from .seal import get_seal_path, make_seal, read_seal, write_seal
    from .status import ExperimentStatus, load_status
    from .verify import PublishedHashes, format_verdict, read_verified_archive, verify_folder

__getattr__ = import_at_first_use(
    __name__,
    {
        "data": "has_only_rehearsals load_experiment_runs",
        "endpoint_limits": "make_limits",
        "export": "ExperimentArchive check_export_folder export_experiment load_archive",
        "forecast": "forecast_experiment",
        "items": "fold_text",
        "lifecycle": "check_open close_experiment enter_experiment restore_plan",
        "plan": "parse_plan read_plan",
        "planned_runs": "END_STATES PlannedRun list_conditions plan_runs",
        "progress": "ProgressListener",
        "run_experiment": "ExecutionOptions describe_spending is_rehearsal list_remaining_runs make_early_stop",
        "run_pool": "MAX_STOPS_IN_ROW RunPool execute_run resume_experiment_run",
        "seal": "get_seal_path make_seal read_seal write_seal",
        "status": "ExperimentStatus load_status",
        "verify": "PublishedHashes format_verdict read_verified_archive verify_folder",
    },
)
