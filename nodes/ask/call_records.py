"""Record of a question, answered or not, with its calls and incidents."""

from typing import Any

from ...models import NoAnswerError
from ...state import Update
from .call_options import Answer, CallOptions

QuestionResult = Answer | NoAnswerError
"""Result of a question: an answer, or the failure of all attempts."""


def record_calls(name: str, result: QuestionResult) -> Update:
    """Return the update with the calls and incidents of a question to `name`."""
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
    """Return the fields that an `AnswerRecord` needs about this question."""
    attempts = [past_call.attempt for past_call in result.calls if not past_call.is_lost]
    return {
        "voter": call.who,
        "question": call.purpose,
        "attempt": max([1, len(result.replies), *attempts]),
        "read_as": result.read_as,
        "replies": result.replies,
    }
