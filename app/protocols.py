"""A protocol by its name."""

from ..state.refused import Refused
from .protocol_list import PROTOCOLS, Protocol


def protocol(name: str) -> Protocol:
    """The protocol of this name, or of the command of this name; raises `Refused` with the names there are."""
    for one in PROTOCOLS.values():
        if name in (one.name, one.command):
            return one
    raise Refused("protocol", name, f"choose one of {', '.join(PROTOCOLS)}")
