from .hooks import get_hooks as get_hooks
from .protocol import get_protocol as get_protocol
from .registry import (
    HIDDEN_PROTOCOLS as HIDDEN_PROTOCOLS,
    ProtocolEntry as ProtocolEntry,
    map_protocols as map_protocols,
)
