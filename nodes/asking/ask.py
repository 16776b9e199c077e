"""The one door to whoever is asked: of a model tries, timeouts, waits, overflow, usage and budget in one place.

A person or a program is waited for instead, by `ask_outside`: that costs no call, and what is wrong with an answer is
told in the same words.

Transport troubles and unusable contents draw on one budget of tries per question. What was spent is recorded as
calls, what went wrong as incidents; when all tries are spent, one exception says so: `Unavailable`. A key that is
refused or a server that cannot be reached stops the run instead, resumable: `Stopped`.
"""

import asyncio
import random

import tenacity

from ..models.failures import TryAgain
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
    again = tenacity.AsyncRetrying(
        stop=tenacity.stop_after_attempt(asking.tries),
        wait=lambda state: wait(asking, state),
        retry=tenacity.retry_if_exception_type(TryAgain),
        sleep=asyncio.sleep,
        reraise=True,
    )
    try:
        return await again(tries.once)
    except TryAgain as spent:
        fault = spent.fault
    raise tries.unavailable(fault)


AWAY = 10
"""How many times as long a server is waited for that answered before and now takes no connection: it may restart."""


def wait(asking: Asking, state: tenacity.RetryCallState) -> float:
    """Seconds before the next try: the schedule, jittered after transport faults, never before Retry-After."""
    seconds = nth(asking.waits or asking.rules.waits, state.attempt_number)
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, TryAgain) and error.fault.kind == "unreachable":
        seconds *= AWAY
    if isinstance(error, TryAgain) and not error.fault.content:
        return max(error.fault.after, seconds * random.uniform(1.0, 1.25))
    return seconds
