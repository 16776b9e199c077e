"""Entry point for all questions, with the attempts, timeouts, delays and budget of models.

`ask_external` handles people and programs, whose answers cost nothing. Network faults and unusable answers count
towards the same maximum of attempts. All calls and incidents are recorded. After the last attempt, `ask` raises
`NoAnswerError`. A rejected key or a server that never answered raises `RunStoppedError`, and the run can resume later.
If a machine fails, `ask` raises `ServerOutageError`, so that the question is asked again later. With `on_outage: skip`,
the question is skipped.
"""

import asyncio
import random
from typing import Any

from ...models import (
    MAX_RETRY_AFTER,
    REHEARSAL,
    FailedAttemptError,
    NoAnswerError,
    compute_patience,
    is_machine_failure,
)
from ...state import Update
from ..lookups import lookup_turn  # the module, since it needs names of this room too
from .ask_external import ask_external
from .attempt import AttemptLoop
from .call_options import Answer, CallOptions, Check, get_attempt_value
from .prompt import Prompt

__all__ = ["Answer", "Check", "ask"]


async def ask(prompt: Prompt, call: CallOptions, check: Check | None = None) -> Answer:
    """Ask until an answer passes `check`.

    Raises `NoAnswerError` if no attempt or budget is left, `ServerOutageError` after a machine's failure, and
    `RunStoppedError` if more attempts are pointless.
    """
    if call.is_external:
        return ask_external(prompt, call, check)
    if call.allowed_tools:
        return await lookup_turn.ask_with_lookups(prompt, call, check)
    return lookup_turn.share_lookups(await ask_model(prompt, call, check), call.settings.lookups.shared)


async def ask_model(prompt: Prompt, call: CallOptions, check: Check | None = None) -> Answer:
    """Ask a model until an answer passes `check` or requests look-ups. Raises the errors of `ask`."""
    attempt_loop = AttemptLoop(prompt, call, check)
    while True:
        try:
            return await attempt_loop.make_attempt()
        except FailedAttemptError as error:
            failure = error.failure
        # jittered after transport faults, and never shorter than Retry-After
        seconds = get_attempt_value(call.retry_delays or call.settings.retry_delays, attempt_loop.attempt)
        if failure.kind == "unreachable":
            # a server that answered before and now refuses connections may be restarting
            seconds *= 10
        seconds *= 1.0 if failure.is_content_fault else random.uniform(1.0, 1.25)
        spec = REHEARSAL if call.settings.replay else call.spec  # a replay contacts no server
        if call.settings.on_outage == "wait" and await is_machine_failure(failure, spec):
            patience = compute_patience(failure, attempt_loop.options.spec, attempt_loop.spending.outage_times)
            if attempt_loop.is_exhausted or patience <= 0:
                raise attempt_loop.make_outage(failure)
            seconds = min(seconds, patience)
        elif attempt_loop.is_exhausted:
            raise attempt_loop.make_no_answer_error(failure)
        await asyncio.sleep(max(seconds, min(failure.retry_after, MAX_RETRY_AFTER)))


QuestionResult = Answer | NoAnswerError


def record_calls(name: str, result: QuestionResult) -> Update:
    """Return the update that records a question to `name`: its calls, look-ups, incidents and limits."""
    update = Update(calls=result.calls)
    if result.lookups:
        update["lookups"] = result.lookups
    if result.incidents:
        update["incidents"] = result.incidents
    if result.prompt_limits.view:
        update["view_limits"] = {name: result.prompt_limits.view}
        if result.prompt_limits.memory:
            update["memory"] = {name: {"replace": result.prompt_limits.memory}}
    return update


def build_answer_fields(call: CallOptions, result: QuestionResult) -> dict[str, Any]:
    """Return the fields of an `AnswerRecord` that say how this question was asked and answered."""
    attempts = [past_call.attempt for past_call in result.calls if not past_call.is_lost]
    return {
        "voter": call.who,
        "question": call.purpose,
        "attempt": max([1, len(result.replies), *attempts]),
        "read_as": result.read_as,
        "replies": result.replies,
    }
