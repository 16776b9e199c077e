"""Record of a question: its calls and incidents, with or without an answer."""

from typing import Protocol

from ...models.failures import PromptLimits
from ...state.call_record import Call
from ...state.incident import Incident
from ...state.schemas import Update


class QuestionResult(Protocol):
    """Result of a question: an answer, or a failure."""

    @property
    def calls(self) -> list[Call]:
        """Return the calls made for the question."""

    @property
    def incidents(self) -> list[Incident]:
        """Return the incidents of the question."""

    @property
    def prompt_limits(self) -> PromptLimits:
        """Return the limits of the prompt that the calls revealed."""


def record_calls(name: str, result: QuestionResult) -> Update:
    """Record the calls and incidents of a question to this participant or role."""
    update = Update(calls=result.calls)
    if result.incidents:
        update["incidents"] = result.incidents
    if result.prompt_limits.view:
        update["view_limits"] = {name: result.prompt_limits.view}
        if result.prompt_limits.memory:
            update["memory"] = {name: {"replace": result.prompt_limits.memory}}
    return update
