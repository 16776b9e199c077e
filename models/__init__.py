"""Sources of answers: chat models, agents and embeddings, their servers, keys, prices and failures.

A name is imported at first use, because the clients of models are slow to load.
"""

from typing import TYPE_CHECKING

from ..state.first_use import import_at_first_use

if TYPE_CHECKING:
    from .agent_call_cap import AgentCallCap
    from .agents import (
        build_agent_context,
        check_agent,
        distrust_imports,
        get_agent,
        is_agent_spec,
        takes_messages_key,
        trusts_imports,
    )
    from .answer_size_limit import MAX_ANSWER_BYTES, make_length_failure
    from .brief import Brief
    from .calibrated_stop_file import (
        find_calibrated_stop,
        list_seat_models,
        parse_calibrated_stop,
        read_stop,
        use_stops,
    )
    from .capabilities import get_capabilities
    from .chat import check_spec, close_models, get_chat_model
    from .default_model import fetch_default_spec, fetch_models
    from .embedding_spec import LEXICAL, find_embedding_spec, resolve_embeddings
    from .embeddings import MAX_ATTEMPTS, EmbeddingError, NamedEmbeddings, count_text_bytes, load_embeddings
    from .error_classification import OPTIONAL_SETTINGS, extract_message, find_call_failure, list_call_errors
    from .example import list_examples, load_example
    from .failures import (
        CallFailure,
        FailedAttemptError,
        NoAnswerError,
        PromptLimits,
        RunStoppedError,
        ServerOutageError,
    )
    from .keys import KEY_OWNERS, LOOPBACK_MOUNTS, NO_KEY, OPENAI_KEY, check_key_variable, get_base_url, read_key
    from .limiter_context import CLIENT_LEFT, CallLimiter, check_client_waits, find_call_limiter, use_call_limiter
    from .local_servers import LOCAL_SERVERS, find_local_models
    from .message_shape import MALFORMED
    from .operator_policy import (
        FILE_CHOICES,
        PATH_SETTINGS,
        admit_settings,
        apply_policy,
        get_operator_policy,
        is_server_client,
        list_allowed_tools,
        use_client_policy,
    )
    from .outage import MAX_RETRY_AFTER, PATIENCE, is_machine_failure, is_server_ready, make_outage_error
    from .price_lookup import add_prices, list_paid_specs, list_unpriced_specs
    from .recipients import (
        Destination,
        check_call,
        check_default_server,
        check_same_servers,
        check_stay,
        check_traces,
        choose_run_model,
        describe_recipients,
        find_seat_model,
        list_asked_roles,
        locate_tool,
        locate_traces,
    )
    from .recording import (
        ReplayMissError,
        load_recording,
        prepare_recording,
        prepare_replay,
        record_reply,
        replay_reply,
    )
    from .spec import (
        BRIDGE_MODEL,
        DEFAULT_OPENAI,
        EXAMPLE,
        PLANTED,
        REHEARSAL,
        ModelSpec,
        choose_spec,
        get_configured_model,
        get_environment_model,
        get_server_name,
        has_openai_key,
        is_offline,
        parse_spec,
        pick_first_model,
        warn_of_unsent_settings,
    )
    from .token_listener import TokenListener
    from .tool_parameters import (
        bind_tools,
        build_tool_parameters,
        can_restrict_tools,
        has_long_results,
        shorten_results,
    )
    from .usage import Usage, extract_usage

__getattr__ = import_at_first_use(
    __name__,
    {
        "agent_call_cap": "AgentCallCap",
        "agents": (
            "build_agent_context check_agent distrust_imports get_agent is_agent_spec takes_messages_key trusts_imports"
        ),
        "answer_size_limit": "MAX_ANSWER_BYTES make_length_failure",
        "brief": "Brief",
        "calibrated_stop_file": "find_calibrated_stop list_seat_models parse_calibrated_stop read_stop use_stops",
        "capabilities": "get_capabilities",
        "chat": "check_spec close_models get_chat_model",
        "default_model": "fetch_default_spec fetch_models",
        "embedding_spec": "LEXICAL find_embedding_spec resolve_embeddings",
        "embeddings": "EmbeddingError MAX_ATTEMPTS NamedEmbeddings count_text_bytes load_embeddings",
        "error_classification": "OPTIONAL_SETTINGS extract_message find_call_failure list_call_errors",
        "example": "list_examples load_example",
        "failures": "CallFailure FailedAttemptError NoAnswerError PromptLimits RunStoppedError ServerOutageError",
        "keys": "KEY_OWNERS LOOPBACK_MOUNTS NO_KEY OPENAI_KEY check_key_variable get_base_url read_key",
        "limiter_context": "CLIENT_LEFT CallLimiter check_client_waits find_call_limiter use_call_limiter",
        "local_servers": "LOCAL_SERVERS find_local_models",
        "message_shape": "MALFORMED",
        "operator_policy": (
            "FILE_CHOICES PATH_SETTINGS admit_settings apply_policy get_operator_policy is_server_client "
            "list_allowed_tools use_client_policy"
        ),
        "outage": "MAX_RETRY_AFTER PATIENCE is_machine_failure is_server_ready make_outage_error",
        "price_lookup": "add_prices list_paid_specs list_unpriced_specs",
        "recipients": (
            "Destination check_call check_default_server check_same_servers check_stay check_traces choose_run_model "
            "describe_recipients find_seat_model list_asked_roles locate_tool locate_traces"
        ),
        "recording": "ReplayMissError load_recording prepare_recording prepare_replay record_reply replay_reply",
        "spec": (
            "BRIDGE_MODEL DEFAULT_OPENAI EXAMPLE ModelSpec PLANTED REHEARSAL choose_spec get_configured_model "
            "get_environment_model get_server_name has_openai_key is_offline parse_spec pick_first_model "
            "warn_of_unsent_settings"
        ),
        "token_listener": "TokenListener",
        "tool_parameters": "bind_tools build_tool_parameters can_restrict_tools has_long_results shorten_results",
        "usage": "Usage extract_usage",
    },
)
