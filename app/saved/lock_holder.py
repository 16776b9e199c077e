"""Which process holds a run's lock: what is stored about it, and the error another process gets."""

import os
import socket
from collections.abc import Mapping

from ...nodes.clock import stamp
from ...nodes.models.failures import Stopped


def me() -> dict[str, object]:
    """This process, as it is stored: pid, host, since."""
    return {"pid": os.getpid(), "host": socket.gethostname(), "since": stamp()}


def held(run: str, holder: Mapping[str, object]) -> Stopped:
    """The refusal of a run that another process is running."""
    if not holder:
        return Stopped(f"run = {run}: another process is running it; wait for it, or stop it first")
    who = f"process {holder['pid']} on {holder['host']}, since {holder['since']}"
    return Stopped(f"run = {run}: held by {who}; wait for it, or stop it first")
