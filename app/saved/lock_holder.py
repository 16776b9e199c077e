"""Which process holds a run's lock: what is stored about it, and the error another process gets."""

import os
import socket
from collections.abc import Mapping

from ...nodes.clock import stamp
from ...nodes.models.failures import Stopped


class Held(Stopped):
    """Another process is running the run."""


def me() -> dict[str, object]:
    """This process, as it is stored: pid, host, since."""
    return {"pid": os.getpid(), "host": socket.gethostname(), "since": stamp()}


def held(run: str, holder: Mapping[str, object]) -> Held:
    """The refusal of a run that another process is running."""
    if not holder:
        return Held(f"run = {run}: another process is running it; wait for it, or stop it first")
    who = f"process {holder['pid']} on {holder['host']}, since {holder['since']}"
    return Held(f"run = {run}: held by {who}; wait for it, or stop it first")
