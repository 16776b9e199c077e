"""What is true of a deliberation: its statements, calls, decisions and settings, and the rules over them.

A name is imported at first use, because pydantic and LangGraph are slow to load. The rooms within are imported by their
own names.
"""

from typing import TYPE_CHECKING

from .first_use import import_at_first_use

if TYPE_CHECKING:
    from .availability import (
        MISSED_TURN,
        OUTAGE,
        is_unavailable,
        list_missed_turns,
        stop_if_all_absent,
        stop_if_side_absent,
        stop_on_outage,
    )
    from .budget import check_budget, is_budget_spent
    from .call_record import AGENT_PURPOSE, EMBEDDING_PURPOSE, LOST, UNCERTAIN_OUTCOMES, Call, sum_tokens
    from .channel_requirements import (
        BranchInput,
        Requirement,
        StateFunction,
        check_requirements,
        get_requirements,
        mark_reads,
        merge_channels,
        select_by_setting,
    )
    from .decision import (
        AGREEMENTS,
        CAPS,
        CONCESSIONS,
        ENDING_PHASE,
        STALEMATES,
        Branch,
        Decision,
        EndingKinds,
        choose_ending_kind,
    )
    from .deliberation import (
        ClosingState,
        ConveneState,
        DecisionState,
        DeliberationState,
        FloorState,
        JudgeState,
        LookupState,
        MemoryState,
        OutcomeState,
        ProgressState,
        RecordState,
        TaskState,
        TurnState,
        gather_calls,
        gather_incidents,
        make_delta_channel,
    )
    from .ending import (
        CLOSED_BY_CALLER,
        PARTICIPANTS_UNAVAILABLE,
        Ending,
        Evidence,
        Outcome,
        StopBasis,
        cut_quote,
        get_stop_basis,
    )
    from .errors import (
        InputError,
        build_adapter,
        convert_input_error,
        explain_unknown_key,
        make_setting_error,
        validate_input,
    )
    from .fence import (
        FencedText,
        fence_text,
        fold_name,
        fold_to_letters,
        neutralize_line,
        neutralize_text,
        quote_lines,
        quote_words,
        repair_surrogates,
        strip_frame,
    )
    from .floor import (
        check_floor,
        get_holder_index,
        order_least_spoken,
        order_round_robin,
        shuffle_seats,
        spread_last_words,
        yield_floor,
    )
    from .history_view import HistoryView, ViewLimit, build_view, list_visible, map_latest_statements
    from .incident import Incident
    from .memory import (
        EVERYONE,
        MemoryReplacement,
        MemoryWrite,
        build_memory_write,
        compress_memory,
        count_characters,
        fit_memory,
        format_memory_line,
        format_round,
        take_newer_half,
    )
    from .prices import Price, Prices, PriceTier
    from .random_streams import Draw, derive_stream_seed, make_rng
    from .running_summary import (
        MAX_SUMMARY_LENGTH,
        Summary,
        compute_view_start,
        compute_window_size,
        count_next_fold,
        extend_summary,
    )
    from .schemas import DeliberationInput, Update
    from .setting_types import (
        AGENT_OBJECT,
        AGENT_PREFIX,
        DECLARED_MARK,
        Budget,
        CallCaps,
        Timeouts,
        find_agent_core,
        format_model,
        is_agent_object,
        is_declared_local,
    )
    from .settings import (
        BlindRoundSettings,
        ProfileSettings,
        Settings,
        StoppingSettings,
        TurnOrderSettings,
        check_packages,
        get_plugin_settings,
        get_settings_class,
        parse_settings,
    )
    from .statement import (
        MAX_PARTICIPANTS,
        MODERATOR,
        OWNER,
        ROLES,
        Exhibit,
        Notice,
        Participant,
        Statement,
        find_name_fault,
        get_participant_by_name,
        list_names,
    )
    from .text import ELLIPSIS, clip_text, lower_headings

__getattr__ = import_at_first_use(
    __name__,
    {
        "availability": (
            "MISSED_TURN OUTAGE is_unavailable list_missed_turns stop_if_all_absent stop_if_side_absent stop_on_outage"
        ),
        "budget": "check_budget is_budget_spent",
        "call_record": "AGENT_PURPOSE Call EMBEDDING_PURPOSE LOST UNCERTAIN_OUTCOMES sum_tokens",
        "channel_requirements": (
            "BranchInput Requirement StateFunction check_requirements get_requirements mark_reads "
            "merge_channels select_by_setting"
        ),
        "decision": (
            "AGREEMENTS Branch CAPS CONCESSIONS Decision ENDING_PHASE EndingKinds STALEMATES choose_ending_kind"
        ),
        "deliberation": (
            "ClosingState ConveneState DecisionState DeliberationState FloorState JudgeState "
            "LookupState MemoryState OutcomeState ProgressState RecordState TaskState TurnState "
            "gather_calls gather_incidents make_delta_channel"
        ),
        "ending": (
            "CLOSED_BY_CALLER Ending Evidence Outcome PARTICIPANTS_UNAVAILABLE StopBasis cut_quote get_stop_basis"
        ),
        "errors": "InputError build_adapter convert_input_error explain_unknown_key make_setting_error validate_input",
        "fence": (
            "FencedText fence_text fold_name fold_to_letters neutralize_line neutralize_text "
            "quote_lines quote_words repair_surrogates strip_frame"
        ),
        "floor": (
            "check_floor get_holder_index order_least_spoken order_round_robin shuffle_seats "
            "spread_last_words yield_floor"
        ),
        "history_view": "HistoryView ViewLimit build_view list_visible map_latest_statements",
        "incident": "Incident",
        "memory": (
            "EVERYONE MemoryReplacement MemoryWrite build_memory_write compress_memory "
            "count_characters fit_memory format_memory_line format_round take_newer_half"
        ),
        "prices": "Price PriceTier Prices",
        "random_streams": "Draw derive_stream_seed make_rng",
        "running_summary": (
            "MAX_SUMMARY_LENGTH Summary compute_view_start compute_window_size count_next_fold extend_summary"
        ),
        "schemas": "DeliberationInput Update",
        "setting_types": (
            "AGENT_OBJECT AGENT_PREFIX Budget CallCaps DECLARED_MARK Timeouts find_agent_core "
            "format_model is_agent_object is_declared_local"
        ),
        "settings": (
            "BlindRoundSettings ProfileSettings Settings StoppingSettings TurnOrderSettings "
            "check_packages get_plugin_settings get_settings_class parse_settings"
        ),
        "statement": (
            "Exhibit MAX_PARTICIPANTS MODERATOR Notice OWNER Participant ROLES Statement "
            "find_name_fault get_participant_by_name list_names"
        ),
        "text": "ELLIPSIS clip_text lower_headings",
    },
)
