"""Saved runs: their database, and the functions that read it."""

from .checkpoint_history import Checkpoint, list_checkpoints
from .experiments import RunState, SavedExperiment
from .fork import ForkPlan, fork_run, plan_fork, save_fork
from .load import (
    SavedRun,
    count_milliseconds,
    delete_run,
    delete_uncalled_run,
    is_incomplete,
    load_saved_run,
    load_state,
    make_thread_config,
    restore_before_failure,
    with_pause,
)
from .names import check_run_name, make_run_name
from .open_store import keep_connected, open_database
from .origin import format_origin
from .run_lock import RunLockedError
from .runs import Run
from .seat_links import Seat
from .store import Store
