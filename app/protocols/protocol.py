"""Access to a protocol by name, from Moot or an installed package."""

from ...state import InputError
from ...state.installed import PROTOCOL_GROUP, check_installed, get_entry_point, map_entry_points
from .registry import HIDDEN_PROTOCOLS, PROTOCOLS, ProtocolEntry, map_protocols


def get_protocol(name: str, package: str = "") -> ProtocolEntry:
    """Return the protocol with this name. Raises `InputError` with the known names.

    `package`: package that provided the protocol when the run started.
    """
    if name in map_entry_points(PROTOCOL_GROUP):
        check_protocol_name(name, name in PROTOCOLS)
    elif package:
        check_installed("protocol", PROTOCOL_GROUP, name, package)
    for entry in [*map_protocols().values(), *HIDDEN_PROTOCOLS.values()]:
        if name == entry.name:
            return entry
    raise InputError("protocol", name, f"choose one of {', '.join(map_protocols())}")


def check_protocol_name(name: str, is_taken: bool = True) -> None:
    """Check that only one package, or Moot, provides this protocol name. Raises `InputError`.

    `is_taken`: whether Moot has a protocol or command with this name.
    """
    get_entry_point("protocol", PROTOCOL_GROUP, name, is_taken)
