from .hooks import get_hooks as get_hooks
from .protocol import get_protocol as get_protocol
from .registry import (
    HIDDEN_PROTOCOLS as HIDDEN_PROTOCOLS,
    ProtocolEntry as ProtocolEntry,
    list_protocols as list_protocols,
)
