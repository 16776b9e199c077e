from .command import list_own_options as list_own_options
from .hooks import get_hooks as get_hooks
from .registry import (
    HIDDEN_PROTOCOLS as HIDDEN_PROTOCOLS,
    PROTOCOLS as PROTOCOLS,
    ProtocolEntry as ProtocolEntry,
    get_protocol as get_protocol,
    map_protocols as map_protocols,
)
