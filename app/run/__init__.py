"""Runs: their options, requests, costs and execution.

A name is imported at first use, because some modules are slow to load.
"""

from typing import TYPE_CHECKING

from ...state.first_use import import_at_first_use

if TYPE_CHECKING:
    from .command_options import (
        AsJson,
        Database,
        Material,
        NoColor,
        OptionalText,
        RunName,
        Topic,
        ViewOptions,
        flatten_options,
    )
    from .config_file import CAP_SETTINGS, TEXT_SIZE_LIMIT, parse_assignments, read_config, read_text, write_text
    from .deliberation_options import (
        RELEVANCE_HELP,
        GroupOptions,
        PanelRunOptions,
        People,
        RunOptions,
        SessionRunOptions,
        make_option,
        parse_seats,
    )
    from .drive_run import (
        STOP_ERRORS,
        InterruptHandler,
        SilentTerminal,
        delete_if_refused,
        print_if_stopped,
        resume_run,
        run_and_show,
        run_to_end,
        take_step,
    )
    from .estimate import Cost, CostEstimate, estimate_cost, with_prices
    from .example import build_example_request
    from .failure import EXIT_FAILED, RunInterruptedError, WaitingForPeople, describe_defect, explain_failure
    from .rehearsal import describe_request
    from .request import RunRequest, build_client_request, build_request, merge_layers, parse_client_seats
    from .start import (
        announce_cost,
        create_run,
        execute_request,
        find_request_model,
        run_and_save,
        run_at_terminal,
        run_request,
        summarize_run,
        with_default_model,
    )
    from .start_command import build_topic_input, start_run
    from .wait_for_server import MAX_PAUSE, READY_POLL, wait_until_ready

__getattr__ = import_at_first_use(
    __name__,
    {
        "command_options": "AsJson Database Material NoColor OptionalText RunName Topic ViewOptions flatten_options",
        "config_file": "CAP_SETTINGS TEXT_SIZE_LIMIT parse_assignments read_config read_text write_text",
        "deliberation_options": (
            "GroupOptions PanelRunOptions People RELEVANCE_HELP RunOptions SessionRunOptions make_option parse_seats"
        ),
        "drive_run": (
            "InterruptHandler STOP_ERRORS SilentTerminal delete_if_refused print_if_stopped resume_run "
            "run_and_show run_to_end take_step"
        ),
        "estimate": "Cost CostEstimate estimate_cost with_prices",
        "example": "build_example_request",
        "failure": "EXIT_FAILED RunInterruptedError WaitingForPeople describe_defect explain_failure",
        "rehearsal": "describe_request",
        "request": "RunRequest build_client_request build_request merge_layers parse_client_seats",
        "start": (
            "announce_cost create_run execute_request find_request_model run_and_save "
            "run_at_terminal run_request summarize_run with_default_model"
        ),
        "start_command": "build_topic_input start_run",
        "wait_for_server": "MAX_PAUSE READY_POLL wait_until_ready",
    },
)
