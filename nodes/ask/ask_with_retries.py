"""Single entry to all answers: attempts, timeouts, delays, overflow and budget of a model.

`ask_external` waits for people and programs. Their answers cost no call; their faults have the same texts.

Transport faults and unusable contents share one budget of attempts per question. All calls and incidents go on
record. After the last attempt, `NoAnswerError` is raised. A refused key or an unreachable server stops the run
with `RunStoppedError`; the run can resume.
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

    Raises `NoAnswerError` when the attempts or the budget are spent, `RunStoppedError` when more attempts are
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
