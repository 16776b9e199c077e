from .comparisons import compare_conditions as compare_conditions
from .data import (
    FINDING_KEYS as FINDING_KEYS,
    ExperimentRun as ExperimentRun,
    has_only_rehearsals as has_only_rehearsals,
    load_experiment_runs as load_experiment_runs,
)
from .endpoint_limits import EndpointLimits as EndpointLimits
from .execution import (
    ExecutionOptions as ExecutionOptions,
    describe_spending as describe_spending,
    is_rehearsal as is_rehearsal,
    list_remaining_runs as list_remaining_runs,
    make_early_stop as make_early_stop,
    run_experiment as run_experiment,
)
from .export import (
    ExperimentArchive as ExperimentArchive,
    check_export_folder as check_export_folder,
    export_experiment as export_experiment,
    load_archive as load_archive,
)
from .failures import FAILURES as FAILURES
from .forecast import forecast_experiment as forecast_experiment
from .items import find_truth as find_truth, fold_text as fold_text
from .lifecycle import (
    check_open as check_open,
    close_experiment as close_experiment,
    enter_experiment as enter_experiment,
)
from .plan import (
    MAX_SAMPLES as MAX_SAMPLES,
    PRIMARY_ARMS as PRIMARY_ARMS,
    DetectionSettings as DetectionSettings,
    Plan as Plan,
    parse_plan as parse_plan,
    read_plan as read_plan,
)
from .planned_runs import (
    END_STATES as END_STATES,
    SAMPLED_ARMS as SAMPLED_ARMS,
    PlanCondition as PlanCondition,
    PlannedRun as PlannedRun,
    build_talk_request as build_talk_request,
    find_donor as find_donor,
    get_task_settings as get_task_settings,
    list_conditions as list_conditions,
    list_peer_talks as list_peer_talks,
    order_items as order_items,
    plan_runs as plan_runs,
)
from .progress import ProgressListener as ProgressListener
from .run_pool import (
    MAX_STOPS_IN_ROW as MAX_STOPS_IN_ROW,
    RunPool as RunPool,
    execute_run as execute_run,
    resume_experiment_run as resume_experiment_run,
)
from .seal import (
    get_seal_path as get_seal_path,
    make_seal as make_seal,
    read_seal as read_seal,
    write_seal as write_seal,
)
from .status import (
    ExperimentProgress as ExperimentProgress,
    ExperimentStatus as ExperimentStatus,
    load_status as load_status,
)
from .verification import (
    format_verdict as format_verdict,
    read_verified_archive as read_verified_archive,
    verify_folder as verify_folder,
)
