"""Saved runs: their database, and the functions that read it.

A name is imported at first use, because the checkpoints need LangGraph, which is slow to load.
"""

from typing import TYPE_CHECKING

from ...state.first_use import import_at_first_use

if TYPE_CHECKING:
    from .checkpoint_history import Checkpoint, list_checkpoints
    from .database_errors import (
        DatabaseLostError,
        DatabaseRefusedError,
        RunLockedError,
        describe_process,
        make_database_error,
    )
    from .endpoints import Endpoints
    from .experiments import (
        NO_SPENDING,
        SPENDING_KEYS,
        RunEnd,
        RunProgress,
        RunState,
        SavedExperiment,
        Spending,
        TalkForecast,
        sum_spending,
    )
    from .fork import ForkPlan, apply_changes, fork_run, plan_fork, save_fork
    from .ledger import RUN_ENDS, LedgerLine, compute_digest
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
        save_fault,
        with_pause,
    )
    from .names import check_run_name, make_run_name
    from .open_store import keep_connected, open_database
    from .origin import build_origin, format_origin
    from .run_table import open_run_table
    from .runs import Run, RunTable
    from .seat_links import Seat
    from .store import Store

__getattr__ = import_at_first_use(
    __name__,
    {
        "checkpoint_history": "Checkpoint list_checkpoints",
        "database_errors": "DatabaseLostError DatabaseRefusedError RunLockedError describe_process make_database_error",
        "endpoints": "Endpoints",
        "experiments": (
            "NO_SPENDING RunEnd RunProgress RunState SPENDING_KEYS SavedExperiment Spending TalkForecast sum_spending"
        ),
        "fork": "ForkPlan apply_changes fork_run plan_fork save_fork",
        "ledger": "LedgerLine RUN_ENDS compute_digest",
        "load": (
            "SavedRun count_milliseconds delete_run delete_uncalled_run is_incomplete load_saved_run load_state "
            "make_thread_config restore_before_failure save_fault with_pause"
        ),
        "names": "check_run_name make_run_name",
        "open_store": "keep_connected open_database",
        "origin": "build_origin format_origin",
        "run_table": "open_run_table",
        "runs": "Run RunTable",
        "seat_links": "Seat",
        "store": "Store",
    },
)
