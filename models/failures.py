"""Failures of a call to a model."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from langgraph.errors import GraphBubbleUp

from ..prompts import get_term
from ..state import Call, Incident, Lookup, ViewLimit


class RunStoppedError(RuntimeError, GraphBubbleUp):
    """Error of a run that cannot continue for now. No work is lost: fix the cause and resume the run.

    LangGraph does not treat this error as a failure of the node, which would cancel parallel branches. LangGraph lets
    them finish, saves their answers, and then raises the error.
    """


class ServerOutageError(RunStoppedError):
    """Error of a run that is parked until a model's server answers again.

    A resumed run first makes the owed turns.

    `spec`: model of the server. `retry_at`: time until which the server asks to wait, ISO 8601 in UTC; may be empty.
    `owed_turns`: turns and names of the failed questions. Parallel branches may add to this list after the error is
    raised.
    """

    def __init__(
        self, message: str, spec: str = "", retry_at: str = "", owed_turns: Sequence[tuple[int, str]] = ()
    ) -> None:
        super().__init__(message)
        self.spec, self.retry_at, self.owed_turns = spec, retry_at, owed_turns

    def __str__(self) -> str:
        names = ", ".join(f"{name} (turn {turn})" if turn else name for turn, name in sorted(set(self.owed_turns)))
        return f"{super().__str__()}. Not yet answered: {names}" if names else super().__str__()


@dataclass(frozen=True)
class PromptLimits:
    """Limits on later prompts to an endpoint that rejected a prompt as too long.

    `view`: limit on history and material, or `None` without a rejection. `memory`: the shortened memory of the
    participant.
    """

    view: ViewLimit | None = None
    memory: list[str] = field(default_factory=list)


class NoAnswerError(Exception):
    """Error of a question that got no usable answer within its attempts.

    `calls`, `incidents`: record of the attempts. `prompt_limits`: limits that the endpoint revealed. `replies`: the
    unusable replies. `lookups`: the participant's look-ups before the answer.
    """

    read_as = None

    def __init__(
        self,
        kind: str,
        calls: Sequence[Call],
        incidents: Sequence[Incident],
        prompt_limits: PromptLimits | None = None,
        replies: Sequence[str] = (),
        lookups: Sequence[Lookup] = (),
    ) -> None:
        super().__init__(kind)
        self.lookups = list(lookups)
        self.replies = list(replies)
        self.kind, self.calls, self.incidents = kind, list(calls), list(incidents)
        self.prompt_limits = prompt_limits or PromptLimits()

    @property
    def last_reply(self) -> str:
        """Return the last unusable reply, or an empty text without one."""
        return self.replies[-1] if self.replies else ""

    def with_consequence(self, consequence: str, **fields: str) -> "NoAnswerError":
        """Return a copy whose last incident has this consequence and the values in `fields`."""
        *earlier_incidents, last_incident = self.incidents
        incident = last_incident.model_copy(update={"consequence": consequence, **fields})
        return NoAnswerError(
            self.kind, self.calls, [*earlier_incidents, incident], self.prompt_limits, self.replies, self.lookups
        )


@dataclass(frozen=True)
class CallFailure:
    """Failure of one call: its kind, the server's message, and whether and when to try again.

    `is_fatal`: whether another attempt is pointless. `retry_after`: seconds that the server asks to wait. `parameter`:
    parameter that the server does not support. `is_rejected_request`: whether the server rejected this request for an
    unknown reason. `is_content_fault`: whether an answer arrived, or was refused for its content; the next prompt then
    explains the fault. `phrase_key`: key of Moot's sentence about the failure; if empty, only the message is shown.
    """

    kind: str
    message: str = ""
    is_fatal: bool = False
    retry_after: float = 0.0
    parameter: str = ""
    is_rejected_request: bool = False
    is_content_fault: bool = False
    phrase_key: str = ""

    def translate_message(self, language: str) -> str:
        """Return Moot's sentence about the failure in `language` or, without one, the server's message."""
        return get_term(language, "noted", self.phrase_key, said=self.message) if self.phrase_key else self.message


class FailedAttemptError(Exception):
    """Error of a failed attempt. Its `failure` says whether another attempt may succeed."""

    def __init__(self, failure: CallFailure) -> None:
        super().__init__(failure.kind)
        self.failure = failure
