"""Saved runs: their database, and the functions that read it.

A name is imported at first use, because the checkpoints need LangGraph, which is slow to load.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .checkpoint_history import Checkpoint, list_checkpoints
    from .database_errors import RunLockedError
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
    from .run_table import open_run_table
    from .runs import Run, RunTable
    from .seat_links import Seat
    from .store import Store

_MODULES = {
    "checkpoint_history": ("Checkpoint", "list_checkpoints"),
    "experiments": ("RunState", "SavedExperiment"),
    "fork": ("ForkPlan", "fork_run", "plan_fork", "save_fork"),
    "load": (
        *("SavedRun", "count_milliseconds", "delete_run", "delete_uncalled_run", "is_incomplete", "load_saved_run"),
        *("load_state", "make_thread_config", "restore_before_failure", "with_pause"),
    ),
    "names": ("check_run_name", "make_run_name"),
    "open_store": ("keep_connected", "open_database"),
    "origin": ("format_origin",),
    "database_errors": ("RunLockedError",),
    "run_table": ("open_run_table",),
    "runs": ("Run", "RunTable"),
    "seat_links": ("Seat",),
    "store": ("Store",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_MODULE_OF[name]}", __name__), name)
