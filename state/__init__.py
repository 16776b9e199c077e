"""Facts of a deliberation: its statements, calls, decisions and settings, and rules over them.

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
    from .call_record import AGENT_PURPOSE, EMBEDDING_PURPOSE, LOST, QUESTION_KEY, UNCERTAIN_OUTCOMES, Call, sum_tokens
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
    from .frozen import FrozenModel
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
    from .plain_yaml import MAX_FORM_SIZE, check_dotted_key, parse_yaml
    from .prices import Price, Prices, PriceTier
    from .random_streams import Draw, derive_stream_seed, make_rng
    from .reducers import make_append_reducer
    from .running_summary import (
        MAX_SUMMARY_LENGTH,
        Summary,
        compute_view_start,
        compute_window_size,
        count_next_fold,
        extend_summary,
    )
    from .schemas import MAX_TOPIC_LENGTH, DeliberationInput, Update
    from .server_address import BASE_URL, LOCAL, LOOPBACK_HOSTS, is_loopback, parse_origin
    from .setting_types import (
        A2A_PREFIX,
        AGENT_OBJECT,
        AGENT_PREFIX,
        DECLARED_MARK,
        Budget,
        CallCaps,
        Timeouts,
        find_agent_core,
        find_remote_origin,
        format_model,
        is_agent_object,
        is_declared_local,
        split_agent_spec,
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
    from .statement_check import find_statement_fault, is_cjk, is_copied_task, list_cited_turns, mark_invented_turns
    from .terms import extract_terms
    from .text import ELLIPSIS, clip_text, lower_headings, strip_quotations

__getattr__ = import_at_first_use(
    __name__,
    {
        "availability": (
            "MISSED_TURN OUTAGE is_unavailable list_missed_turns stop_if_all_absent stop_if_side_absent stop_on_outage"
        ),
        "budget": "check_budget is_budget_spent",
        "call_record": "AGENT_PURPOSE Call EMBEDDING_PURPOSE LOST QUESTION_KEY UNCERTAIN_OUTCOMES sum_tokens",
        "channel_requirements": (
            "BranchInput Requirement StateFunction check_requirements get_requirements mark_reads merge_channels "
            "select_by_setting"
        ),
        "decision": (
            "AGREEMENTS Branch CAPS CONCESSIONS Decision ENDING_PHASE EndingKinds STALEMATES choose_ending_kind"
        ),
        "deliberation": (
            "ClosingState ConveneState DecisionState DeliberationState FloorState JudgeState LookupState "
            "MemoryState OutcomeState ProgressState RecordState TaskState TurnState gather_calls gather_incidents "
            "make_delta_channel"
        ),
        "ending": (
            "CLOSED_BY_CALLER Ending Evidence Outcome PARTICIPANTS_UNAVAILABLE StopBasis cut_quote get_stop_basis"
        ),
        "errors": "InputError build_adapter convert_input_error explain_unknown_key make_setting_error validate_input",
        "fence": (
            "FencedText fence_text fold_name fold_to_letters neutralize_line neutralize_text quote_lines "
            "quote_words repair_surrogates strip_frame"
        ),
        "floor": (
            "check_floor get_holder_index order_least_spoken order_round_robin shuffle_seats spread_last_words "
            "yield_floor"
        ),
        "frozen": "FrozenModel",
        "history_view": "HistoryView ViewLimit build_view list_visible map_latest_statements",
        "incident": "Incident",
        "memory": (
            "EVERYONE MemoryReplacement MemoryWrite build_memory_write compress_memory count_characters "
            "fit_memory format_memory_line format_round take_newer_half"
        ),
        "plain_yaml": "MAX_FORM_SIZE check_dotted_key parse_yaml",
        "prices": "Price PriceTier Prices",
        "random_streams": "Draw derive_stream_seed make_rng",
        "reducers": "make_append_reducer",
        "running_summary": (
            "MAX_SUMMARY_LENGTH Summary compute_view_start compute_window_size count_next_fold extend_summary"
        ),
        "schemas": "DeliberationInput MAX_TOPIC_LENGTH Update",
        "server_address": "BASE_URL LOCAL LOOPBACK_HOSTS is_loopback parse_origin",
        "setting_types": (
            "A2A_PREFIX AGENT_OBJECT AGENT_PREFIX Budget CallCaps DECLARED_MARK Timeouts find_agent_core "
            "find_remote_origin format_model is_agent_object is_declared_local split_agent_spec"
        ),
        "settings": (
            "BlindRoundSettings ProfileSettings Settings StoppingSettings TurnOrderSettings check_packages "
            "get_plugin_settings get_settings_class parse_settings"
        ),
        "statement": (
            "Exhibit MAX_PARTICIPANTS MODERATOR Notice OWNER Participant ROLES Statement find_name_fault "
            "get_participant_by_name list_names"
        ),
        "statement_check": "find_statement_fault is_cjk is_copied_task list_cited_turns mark_invented_turns",
        "terms": "extract_terms",
        "text": "ELLIPSIS clip_text lower_headings strip_quotations",
    },
)
