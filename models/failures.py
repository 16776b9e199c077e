"""Failures of a call to a model."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from langgraph.errors import GraphBubbleUp

from ..prompts import get_term
from ..state.call_record import Call
from ..state.history import ViewLimit
from ..state.incident import Incident


class RunStoppedError(RuntimeError, GraphBubbleUp):
    """A run that cannot continue for now. It loses no work: remove the cause and resume the run.

    LangGraph does not count this error as a failure of its node, which would cancel the parallel branches.
    It lets them end, saves their answers, and then raises the error.
    """


@dataclass(frozen=True)
class PromptLimits:
    """Limits of the next prompts to an endpoint that refused a long one.

    `view`: the part of history and material, or `None` for no refusal. `memory`: the rest of the participant's memory.
    """

    view: ViewLimit | None = None
    memory: list[str] = field(default_factory=list)


class NoAnswerError(Exception):
    """A participant or role without a usable answer within its attempts.

    `calls` and `incidents` record the attempts. `prompt_limits` holds the limits that its endpoint
    revealed. `replies` holds the texts that arrived.
    """

    def __init__(
        self,
        kind: str,
        calls: Sequence[Call],
        incidents: Sequence[Incident],
        prompt_limits: PromptLimits | None = None,
        replies: Sequence[str] = (),
    ) -> None:
        super().__init__(kind)
        self.replies = list(replies)
        self.kind, self.calls, self.incidents = kind, list(calls), list(incidents)
        self.prompt_limits = prompt_limits or PromptLimits()

    @property
    def last_reply(self) -> str:
        """Return the text that arrived last, or an empty text."""
        return self.replies[-1] if self.replies else ""

    def with_consequence(self, consequence: str, **fields: str) -> "NoAnswerError":
        """Return a copy in which the last incident has this consequence; earlier incidents keep theirs."""
        *earlier_incidents, last_incident = self.incidents
        incident = last_incident.model_copy(update={"consequence": consequence, **fields})
        return NoAnswerError(self.kind, self.calls, [*earlier_incidents, incident], self.prompt_limits, self.replies)


@dataclass(frozen=True)
class CallFailure:
    """One failed call: its kind, the server's message, and whether and when to try again.

    `fatal`: another attempt is pointless. `after`: seconds the server asks to wait. `parameter`: setting
    that the server does not take. `is_rejected_request`: the server rejects this one request, for no reason that it
    names. `content`: an answer arrived, or was refused for its content, so the next prompt should name the
    fault. `own`: key of Moot's own sentence for the failure, with the message in its hole; empty to show the
    message alone.
    """

    kind: str
    said: str = ""
    fatal: bool = False
    after: float = 0.0
    parameter: str = ""
    is_rejected_request: bool = False
    content: bool = False
    own: str = ""

    def translate_message(self, language: str) -> str:
        """Return the failure in words for people: Moot's own in this language, a server's unchanged."""
        return get_term(language, "noted", self.own, said=self.said) if self.own else self.said


class FailedAttemptError(Exception):
    """A failed attempt, after which another may succeed."""

    def __init__(self, failure: CallFailure) -> None:
        super().__init__(failure.kind)
        self.failure = failure
