"""Record of a question, answered or not, with its calls and incidents."""

from typing import Any, Protocol

from ...models import NoAnswerError, PromptLimits
from ...state import Call, Incident, Update
from ...state.lookups import Lookup
from .call_options import Answer, CallOptions


class QuestionResult(Protocol):
    """Result of a question: an answer, or a failure."""

    @property
    def calls(self) -> list[Call]:
        """Return the calls made for the question."""

    @property
    def incidents(self) -> list[Incident]:
        """Return the incidents of the question."""

    @property
    def lookups(self) -> list[Lookup]:
        """Return the participant's look-ups."""

    @property
    def prompt_limits(self) -> PromptLimits:
        """Return the limits on prompt length that the endpoint revealed."""


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


def list_answer_fields(call: CallOptions, result: Answer | NoAnswerError) -> dict[str, Any]:
    """Return the fields that an `AnswerRecord` needs about this question."""
    attempts = [past_call.attempt for past_call in result.calls if not past_call.is_lost]
    return {
        "voter": call.who,
        "question": call.purpose,
        "attempt": max([1, len(result.replies), *attempts]),
        "read_as": result.read_as if isinstance(result, Answer) else None,
        "replies": result.replies,
    }
