from .command_options import (
    AsJson as AsJson,
    Database as Database,
    Material as Material,
    NoColor as NoColor,
    OptionalText as OptionalText,
    RunName as RunName,
    Topic as Topic,
    ViewOptions as ViewOptions,
    flatten_options as flatten_options,
)
from .config_file import (
    CAP_SETTINGS as CAP_SETTINGS,
    SETTING_ALIASES as SETTING_ALIASES,
    TEXT_SIZE_LIMIT as TEXT_SIZE_LIMIT,
    parse_assignments as parse_assignments,
    read_config as read_config,
    read_text as read_text,
    write_text as write_text,
)
from .deliberation_options import (
    IDLE_OPTION as IDLE_OPTION,
    RELEVANCE_HELP as RELEVANCE_HELP,
    GroupOptions as GroupOptions,
    PanelRunOptions as PanelRunOptions,
    People as People,
    RunOptions as RunOptions,
    SessionRunOptions as SessionRunOptions,
    make_option as make_option,
    parse_seats as parse_seats,
)
from .estimate import (
    Cost as Cost,
    CostEstimate as CostEstimate,
    cap_cost as cap_cost,
    compute_cost as compute_cost,
    compute_high_cost as compute_high_cost,
    estimate_cost as estimate_cost,
    get_longest_overrides as get_longest_overrides,
    sum_costs as sum_costs,
    with_prices as with_prices,
)
from .execution import (
    CANCEL_INTERVAL as CANCEL_INTERVAL,
    STOP_ERRORS as STOP_ERRORS,
    InterruptHandler as InterruptHandler,
    SilentTerminal as SilentTerminal,
    delete_if_refused as delete_if_refused,
    end_task as end_task,
    print_if_stopped as print_if_stopped,
    resume_run as resume_run,
    run_and_show as run_and_show,
    run_to_end as run_to_end,
    take_step as take_step,
)
from .failure import (
    EXIT_FAILED as EXIT_FAILED,
    RunInterruptedError as RunInterruptedError,
    WaitingForPeopleError as WaitingForPeopleError,
    describe_defect as describe_defect,
    explain_failure as explain_failure,
    with_continuation as with_continuation,
)
from .parked_runs import MAX_PAUSE as MAX_PAUSE, READY_POLL as READY_POLL, wait_until_ready as wait_until_ready
from .rehearsal import (
    describe_request as describe_request,
    rehearse_run as rehearse_run,
    seat_participants as seat_participants,
)
from .request import (
    RunRequest as RunRequest,
    build_client_request as build_client_request,
    build_example_request as build_example_request,
    build_request as build_request,
    merge_layers as merge_layers,
    parse_client_seats as parse_client_seats,
)
from .run_command import build_topic_input as build_topic_input, start_run as start_run
from .start import (
    RunSummary as RunSummary,
    announce_cost as announce_cost,
    create_run as create_run,
    execute_request as execute_request,
    find_request_model as find_request_model,
    run_and_save as run_and_save,
    run_at_terminal as run_at_terminal,
    run_request as run_request,
    summarize_run as summarize_run,
    with_default_model as with_default_model,
)
