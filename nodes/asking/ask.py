"""The one door to whoever is asked: of a model tries, timeouts, waits, overflow, usage and budget in one place.

A person or a program is waited for instead, by `ask_outside`: that costs no call, and what is wrong with an answer is
told in the same words.

Transport troubles and unusable contents draw on one budget of tries per question. What was spent is recorded as
calls, what went wrong as incidents; when all tries are spent, one exception says so: `Unavailable`. A key that is
refused or a server that cannot be reached stops the run instead, resumable: `Stopped`.
"""

import asyncio
import random

from ..models.failures import Fault, TryAgain
from .brief import Brief
from .outside import ask_outside
from .question import Answer, Asking, Check, nth
from .tries import Tries

__all__ = ["Answer", "Check", "ask"]


async def ask(brief: Brief, asking: Asking, check: Check | None = None) -> Answer:
    """Ask until an answer passes `check`.

    Raises `Unavailable` when the tries or the budget are spent, `Stopped` when trying again is pointless.
    """
    if asking.outside:
        return ask_outside(brief, asking, check)
    tries = Tries(brief, asking, check)
    while True:
        try:
            return await tries.once()
        except TryAgain as failed:
            fault = failed.fault
        if tries.number >= asking.tries:
            raise tries.unavailable(fault)
        await asyncio.sleep(wait(asking, fault, tries.number))


AWAY = 10
"""How many times as long a server is waited for that answered before and now takes no connection: it may restart."""


def wait(asking: Asking, fault: Fault, number: int) -> float:
    """Seconds after try `number`: the schedule, jittered after transport faults, never before Retry-After."""
    seconds = nth(asking.waits or asking.rules.waits, number)
    if fault.kind == "unreachable":
        seconds *= AWAY
    return seconds if fault.content else max(fault.after, seconds * random.uniform(1.0, 1.25))
