"""A protocol by its name: one of Moot's own, or one that an installed package brings."""

from ..state.installed.named import refuse_missing, the_one
from ..state.installed.packages import PROTOCOLS as BROUGHT
from ..state.installed.packages import brought
from ..state.refused import Refused
from .protocol_list import HIDDEN, PROTOCOLS, Protocol, every_protocol


def protocol(name: str, package: str = "") -> Protocol:
    """The protocol of this name, or of the command of this name; raises `Refused` with the names there are.

    `package`: what brought it when a run of it was begun.
    """
    if name in brought(BROUGHT):
        refuse_shared(name, name in PROTOCOLS)
    elif package:
        refuse_missing("protocol", BROUGHT, name, package)
    for one in [*every_protocol().values(), *HIDDEN.values()]:
        if name in (one.name, one.command):
            return one
    raise Refused("protocol", name, f"choose one of {', '.join(every_protocol())}")


def refuse_shared(name: str, taken: bool = True) -> None:
    """Raise `Refused` where several packages bring a protocol of this name, or it is `taken` by a command."""
    the_one("protocol", BROUGHT, name, taken)
