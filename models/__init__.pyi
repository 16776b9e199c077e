from .agents import (
    build_agent_context as build_agent_context,
    check_agent as check_agent,
    distrust_imports as distrust_imports,
    get_agent as get_agent,
    is_agent_spec as is_agent_spec,
    takes_messages_key as takes_messages_key,
    trusts_imports as trusts_imports,
)
from .answer_size_limit import MAX_ANSWER_BYTES as MAX_ANSWER_BYTES, make_length_failure as make_length_failure
from .api_keys import (
    KEY_OWNERS as KEY_OWNERS,
    NO_KEY as NO_KEY,
    OPENAI_KEY as OPENAI_KEY,
    check_key_variable as check_key_variable,
    get_base_url as get_base_url,
    read_key as read_key,
)
from .brief import Brief as Brief
from .calibrated_stop_file import (
    find_calibrated_stop as find_calibrated_stop,
    list_seat_models as list_seat_models,
    parse_calibrated_stop as parse_calibrated_stop,
    read_stop as read_stop,
    use_stops as use_stops,
)
from .call_limiter import (
    CLIENT_LEFT as CLIENT_LEFT,
    CallLimiter as CallLimiter,
    check_client_waits as check_client_waits,
    find_call_limiter as find_call_limiter,
    use_call_limiter as use_call_limiter,
)
from .callbacks import AgentCallCap as AgentCallCap, TokenListener as TokenListener
from .capabilities import get_capabilities as get_capabilities
from .chat_model import check_spec as check_spec, close_models as close_models, get_chat_model as get_chat_model
from .default_model import (
    check_default_server as check_default_server,
    choose_run_model as choose_run_model,
    fetch_default_spec as fetch_default_spec,
    fetch_models as fetch_models,
    find_seat_model as find_seat_model,
)
from .embedding_spec import (
    LEXICAL as LEXICAL,
    find_embedding_spec as find_embedding_spec,
    resolve_embeddings as resolve_embeddings,
)
from .embeddings import (
    MAX_ATTEMPTS as MAX_ATTEMPTS,
    EmbeddingError as EmbeddingError,
    NamedEmbeddings as NamedEmbeddings,
    count_text_bytes as count_text_bytes,
    load_embeddings as load_embeddings,
)
from .error_classification import (
    OPTIONAL_SETTINGS as OPTIONAL_SETTINGS,
    extract_message as extract_message,
    find_call_failure as find_call_failure,
    list_call_errors as list_call_errors,
    mask_keys as mask_keys,
)
from .example import list_examples as list_examples, load_example as load_example
from .failures import (
    CallFailure as CallFailure,
    FailedAttemptError as FailedAttemptError,
    NoAnswerError as NoAnswerError,
    PromptLimits as PromptLimits,
    RunStoppedError as RunStoppedError,
    ServerOutageError as ServerOutageError,
)
from .local_servers import LOCAL_SERVERS as LOCAL_SERVERS, find_local_models as find_local_models
from .message_shape import MALFORMED as MALFORMED
from .model_spec import (
    BRIDGE_MODEL as BRIDGE_MODEL,
    DEFAULT_OPENAI as DEFAULT_OPENAI,
    EXAMPLE as EXAMPLE,
    PLANTED as PLANTED,
    REHEARSAL as REHEARSAL,
    ModelSpec as ModelSpec,
    choose_spec as choose_spec,
    get_configured_model as get_configured_model,
    get_environment_model as get_environment_model,
    get_server_name as get_server_name,
    has_openai_key as has_openai_key,
    is_offline as is_offline,
    parse_spec as parse_spec,
    pick_first_model as pick_first_model,
    warn_of_unsent_settings as warn_of_unsent_settings,
)
from .operator_policy import (
    FILE_CHOICES as FILE_CHOICES,
    PATH_SETTINGS as PATH_SETTINGS,
    admit_settings as admit_settings,
    apply_policy as apply_policy,
    get_operator_policy as get_operator_policy,
    is_server_client as is_server_client,
    list_allowed_tools as list_allowed_tools,
    use_client_policy as use_client_policy,
)
from .outage import (
    MAX_RETRY_AFTER as MAX_RETRY_AFTER,
    compute_patience as compute_patience,
    is_machine_failure as is_machine_failure,
    is_server_ready as is_server_ready,
    make_outage_error as make_outage_error,
)
from .price_lookup import (
    add_prices as add_prices,
    list_paid_specs as list_paid_specs,
    list_unpriced_specs as list_unpriced_specs,
)
from .recipients import (
    check_call as check_call,
    check_same_addresses as check_same_addresses,
    check_same_servers as check_same_servers,
    check_stay as check_stay,
    check_traces as check_traces,
    describe_recipients as describe_recipients,
    get_address_variables as get_address_variables,
    list_asked_roles as list_asked_roles,
    locate_tool as locate_tool,
    locate_traces as locate_traces,
    record_recipients as record_recipients,
)
from .recording import (
    ReplayMissError as ReplayMissError,
    load_recording as load_recording,
    prepare_recording as prepare_recording,
    prepare_replay as prepare_replay,
    record_reply as record_reply,
    replay_reply as replay_reply,
)
from .token_usage import TokenUsage as TokenUsage, extract_usage as extract_usage
from .tool_parameters import (
    bind_tools as bind_tools,
    build_tool_parameters as build_tool_parameters,
    can_restrict_tools as can_restrict_tools,
    has_long_results as has_long_results,
    shorten_results as shorten_results,
)
