"""Swapped versions of a run: the elements of its protocol's hooks, or reversed options."""

from collections.abc import Sequence
from dataclasses import replace

from ...state.errors import InputError
from ..protocols.hooks import get_hooks
from ..run.request import RunRequest


def swap_request(request: RunRequest, swap: Sequence[str]) -> RunRequest:
    """Return a request with the named elements swapped; raise `InputError` if its protocol lacks one."""
    protocol = request.protocol.name
    remedies = {
        "sides": f"{protocol} has no sides; only a debate has",
        "order": f"the seats of {protocol} have an order of their own; leave it out",
        "options": f"there are no options in this {protocol} to reverse; leave it out",
    }
    for name in swap:
        options = getattr(request.settings, "options", None)
        if swap_element := get_hooks(protocol).swaps.get(name):
            request = swap_element(request)
        elif name == "options" and options:
            request = replace(request, settings=request.settings.with_choices(options=dict(reversed(options.items()))))
        else:
            raise InputError("swap", name, remedies[name])
    return request
