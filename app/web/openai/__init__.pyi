from .chat_request import (
    ChatRequest as ChatRequest,
    ModelDefaults as ModelDefaults,
    build_chat_run_request as build_chat_run_request,
    get_model_protocol as get_model_protocol,
    map_offered_models as map_offered_models,
    parse_document as parse_document,
)
from .client_runs import ClientRuns as ClientRuns
from .endpoint import (
    CLIENT_ERRORS as CLIENT_ERRORS,
    ClientSettings as ClientSettings,
    KeyGuard as KeyGuard,
    build_endpoint as build_endpoint,
)
from .errors import convert_error as convert_error, respond_to_error as respond_to_error
from .keys import ApiKeys as ApiKeys
