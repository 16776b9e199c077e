"""Entry point for all questions, with a model's attempts, timeouts, delays and budget.

`ask_external` handles people and programs, whose answers cost nothing. Network faults and unusable answers share one
number of attempts per question. All calls and incidents go on record. After the last attempt, `ask` raises
`NoAnswerError`. A rejected key or an unreachable server raises `RunStoppedError`, and the run can resume later.
"""

import asyncio
import random

from ...models.failures import FailedAttemptError
from .ask_external import ask_external
from .attempt import AttemptLoop
from .call_options import Answer, CallOptions, Check, get_attempt_value
from .prompt import Prompt

__all__ = ["Answer", "Check", "ask"]


async def ask(prompt: Prompt, call: CallOptions, check: Check | None = None) -> Answer:
    """Ask until an answer passes `check`.

    Raises `NoAnswerError` when no attempts or budget are left. Raises `RunStoppedError` when more attempts are
    pointless.
    """
    if call.is_external:
        return ask_external(prompt, call, check)
    attempt_loop = AttemptLoop(prompt, call, check)
    while True:
        try:
            return await attempt_loop.make_attempt()
        except FailedAttemptError as error:
            failure = error.failure
        if attempt_loop.is_exhausted:
            raise attempt_loop.make_failure(failure)
        # jittered after transport faults, and never shorter than Retry-After
        seconds = get_attempt_value(call.retry_delays or call.settings.retry_delays, attempt_loop.attempt)
        if failure.kind == "unreachable":
            # a server that answered before and now refuses connections may be restarting
            seconds *= 10
        await asyncio.sleep(seconds if failure.content else max(failure.after, seconds * random.uniform(1.0, 1.25)))
