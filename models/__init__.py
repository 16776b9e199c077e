"""Whoever answers: chat models, agents and embeddings, their servers, keys, prices and failures.

A name is imported at first use, because the clients of models are slow to load.
"""

from typing import TYPE_CHECKING

from ..state.first_use import import_at_first_use

if TYPE_CHECKING:
    from .agents import (
        build_agent_context,
        check_agent,
        distrust_names,
        get_agent,
        is_agent_spec,
        takes_messages_key,
        trusts_names,
    )
    from .capabilities import get_capabilities
    from .chat import check_spec, close_models, fetch_default_spec, get_chat_model
    from .embedding_spec import LEXICAL, find_embedding_spec, resolve_embeddings
    from .embeddings import MAX_ATTEMPTS, EmbeddingError, NamedEmbeddings, count_text_bytes, load_embeddings
    from .error_classification import OPTIONAL_SETTINGS, extract_message, find_call_failure, list_call_errors
    from .failures import (
        CallFailure,
        FailedAttemptError,
        NoAnswerError,
        PromptLimits,
        RunStoppedError,
        ServerOutageError,
    )
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
    from .recipients import (
        Destination,
        check_call,
        check_default,
        check_stay,
        choose_run_model,
        describe_recipients,
        find_seat_model,
        list_asked_roles,
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

__getattr__ = import_at_first_use(
    __name__,
    {
        "agents": (
            "build_agent_context check_agent distrust_names get_agent is_agent_spec takes_messages_key trusts_names"
        ),
        "capabilities": "get_capabilities",
        "chat": "check_spec close_models fetch_default_spec get_chat_model",
        "embedding_spec": "LEXICAL find_embedding_spec resolve_embeddings",
        "embeddings": "EmbeddingError MAX_ATTEMPTS NamedEmbeddings count_text_bytes load_embeddings",
        "error_classification": "OPTIONAL_SETTINGS extract_message find_call_failure list_call_errors",
        "failures": "CallFailure FailedAttemptError NoAnswerError PromptLimits RunStoppedError ServerOutageError",
        "operator_policy": (
            "FILE_CHOICES PATH_SETTINGS admit_settings apply_policy get_operator_policy "
            "is_server_client list_allowed_tools use_client_policy"
        ),
        "recipients": (
            "Destination check_call check_default check_stay choose_run_model describe_recipients "
            "find_seat_model list_asked_roles"
        ),
        "recording": "ReplayMissError load_recording prepare_recording prepare_replay record_reply replay_reply",
        "spec": (
            "BRIDGE_MODEL DEFAULT_OPENAI EXAMPLE PLANTED REHEARSAL choose_spec "
            "get_configured_model get_environment_model get_server_name has_openai_key is_offline "
            "parse_spec pick_first_model warn_of_unsent_settings"
        ),
    },
)
