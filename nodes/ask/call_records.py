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
        """Calls made for the question."""

    @property
    def incidents(self) -> list[Incident]:
        """Incidents of the question."""

    @property
    def narrowed(self) -> PromptLimits:
        """Limits of the endpoint that the question revealed."""


def record_calls(name: str, result: QuestionResult) -> Update:
    """Record the calls and incidents of a question to this participant or role.

    If the endpoint refused a long prompt, record the smaller view and the shortened memory as well.
    """
    update = Update(calls=result.calls)
    if result.incidents:
        update["incidents"] = result.incidents
    if result.narrowed.view:
        update["view_limits"] = {name: result.narrowed.view}
        if result.narrowed.memory:
            update["memory"] = {name: {"replace": result.narrowed.memory}}
    return update
