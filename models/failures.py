"""Failures of a call to a model."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from langgraph.errors import GraphBubbleUp

from ..prompts import get_term
from ..state.call_record import Call
from ..state.history import ViewLimit
from ..state.incident import Incident


class RunStoppedError(RuntimeError, GraphBubbleUp):
    """A run that cannot continue for now; no work is lost. Remove the cause and resume it.

    langgraph does not treat it as a failure of its node, after which it would cancel the parallel branches and
    lose their answers. It lets them end, saves their answers, and then raises it.
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

    `calls` and `incidents` are the record of the attempts. `narrowed` holds the limits learnt about its
    endpoint. `text` is the last answer that could not be read, or empty.
    """

    def __init__(
        self,
        kind: str,
        calls: Sequence[Call],
        incidents: Sequence[Incident],
        narrowed: PromptLimits | None = None,
        text: str = "",
    ) -> None:
        super().__init__(kind)
        self.text = text
        self.kind, self.calls, self.incidents = kind, list(calls), list(incidents)
        self.narrowed = narrowed or PromptLimits()

    def with_consequence(self, consequence: str, **fields: str) -> "NoAnswerError":
        """Return a copy whose last incident names its consequence; earlier incidents keep theirs."""
        *earlier, last = self.incidents
        incident = last.model_copy(update={"consequence": consequence, **fields})
        return NoAnswerError(self.kind, self.calls, [*earlier, incident], self.narrowed, self.text)


@dataclass(frozen=True)
class CallFailure:
    """One failed call: its kind, the server's message, and whether and when to try again.

    `fatal`: another attempt is pointless. `after`: seconds the server asks to wait. `parameter`: the setting it
    does not take. `content`: an answer arrived, or was refused for its content, and the next prompt should name
    the fault. `own`: key of Moot's own sentence for it, with the message in its hole; empty if the message
    alone is shown.
    """

    kind: str
    said: str = ""
    fatal: bool = False
    after: float = 0.0
    parameter: str = ""
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
