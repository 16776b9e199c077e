from .checkpoint_history import Checkpoint as Checkpoint, list_checkpoints as list_checkpoints
from .database import keep_connected as keep_connected, open_database as open_database
from .database_errors import (
    DatabaseLostError as DatabaseLostError,
    DatabaseRefusedError as DatabaseRefusedError,
    RunLockedError as RunLockedError,
    get_process_identity as get_process_identity,
    make_database_error as make_database_error,
)
from .endpoints import EndpointSlots as EndpointSlots
from .experiments import (
    NO_SPENDING as NO_SPENDING,
    SPENDING_KEYS as SPENDING_KEYS,
    RunEnd as RunEnd,
    RunProgress as RunProgress,
    RunState as RunState,
    SavedExperiment as SavedExperiment,
    Spending as Spending,
    TalkForecast as TalkForecast,
    sum_spending as sum_spending,
)
from .fork import (
    ForkPlan as ForkPlan,
    apply_changes as apply_changes,
    fork_run as fork_run,
    plan_fork as plan_fork,
    save_fork as save_fork,
)
from .ledger import RUN_ENDS as RUN_ENDS, LedgerLine as LedgerLine, compute_digest as compute_digest
from .origin import build_origin as build_origin, format_origin_lines as format_origin_lines
from .postgres import CONNECT_SECONDS as CONNECT_SECONDS, KEEPALIVE as KEEPALIVE, connect_postgres as connect_postgres
from .run_index import open_run_index as open_run_index
from .runs import (
    RUN_STATES as RUN_STATES,
    Run as Run,
    RunIndex as RunIndex,
    check_run_name as check_run_name,
    get_run_state as get_run_state,
    make_run_name as make_run_name,
)
from .saved_run import (
    SavedRun as SavedRun,
    count_milliseconds as count_milliseconds,
    delete_run as delete_run,
    delete_uncalled_run as delete_uncalled_run,
    is_incomplete as is_incomplete,
    load_row as load_row,
    load_saved_run as load_saved_run,
    load_state as load_state,
    make_thread_config as make_thread_config,
    restore_before_failure as restore_before_failure,
    save_fault as save_fault,
    with_pause as with_pause,
)
from .seat_links import Seat as Seat
from .store import Store as Store
