"""What a call to a model can end with instead of an answer."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from langgraph.errors import GraphBubbleUp

from ...prompts import term
from ...state.history import ViewLimit
from ...state.incident import Call, Incident


class Stopped(RuntimeError, GraphBubbleUp):
    """The run cannot go on for now, and nothing was lost: mend the cause and resume it.

    To langgraph it is no failure of its step, for which it would cancel the branches beside it and lose what they were
    about to answer: it lets them end, saves their answers, and passes it on then.
    """


@dataclass(frozen=True)
class Narrowed:
    """What an endpoint that refused a long prompt can be shown from now on.

    `view`: what of history and material; none: it refused nothing. `memory`: what is left of the participant's memory.
    """

    view: ViewLimit | None = None
    memory: list[str] = field(default_factory=list)


class Unavailable(Exception):
    """A participant or role gave no usable answer within its tries.

    `calls` and `incidents` are the record of what was tried; `narrowed` is what was learnt about its endpoint; `text`
    is the last answer that could not be read, empty where none came.
    """

    def __init__(
        self,
        kind: str,
        calls: Sequence[Call],
        incidents: Sequence[Incident],
        narrowed: Narrowed | None = None,
        text: str = "",
    ) -> None:
        super().__init__(kind)
        self.text = text
        self.kind, self.calls, self.incidents = kind, list(calls), list(incidents)
        self.narrowed = narrowed or Narrowed()

    def followed_by(self, consequence: str, **said: str) -> "Unavailable":
        """The same, its last incident telling what followed; those before it tell what was done about each."""
        *before, last = self.incidents
        told = last.model_copy(update={"consequence": consequence, **said})
        return Unavailable(self.kind, self.calls, [*before, told], self.narrowed, self.text)


@dataclass(frozen=True)
class Fault:
    """One failed call: its class, what the server said, and whether and when to try again.

    `fatal`: trying again is pointless. `after`: seconds the server asks to wait. `parameter`: the setting it does not
    take. `content`: an answer came, or was refused for its content, and the next prompt should say what was wrong.
    `own`: the sentence of Moot's own that tells it, with what was said in its hole; none: what was said tells it.
    """

    kind: str
    said: str = ""
    fatal: bool = False
    after: float = 0.0
    parameter: str = ""
    content: bool = False
    own: str = ""

    def told(self, language: str) -> str:
        """What happened, in words for people: Moot's own in this language, a server's as they came."""
        return term(language, "noted", self.own, said=self.said) if self.own else self.said


class TryAgain(Exception):
    """One try failed, and another may do better."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.kind)
        self.fault = fault
