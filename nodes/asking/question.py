"""Questions: who is asked, for what, by which model, how often and how long; and the record of each call."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from langchain_core.messages import AIMessage
from pydantic import BaseModel

from ...state.deliberation import Given, Record
from ...state.ends import is_lost
from ...state.fence import storable
from ...state.incident import Call, Incident
from ...state.rules import Rules
from ...state.statement import Participant
from ..clock import milliseconds_since, stamp
from ..models.chat import manners, spec_for
from ..models.failures import Fault, Narrowed
from ..models.usage import Usage, usage_of
from .brief import Brief

FINGERPRINT = 200
"""Letters of a server's fingerprint that are kept."""


@dataclass(frozen=True)
class Answer:
    """A usable answer and the record of getting it."""

    text: str
    value: BaseModel | None = None
    cut_off: bool = False
    calls: list[Call] = field(default_factory=list)
    incidents: list[Incident] = field(default_factory=list)
    narrowed: Narrowed = field(default_factory=Narrowed)

    @property
    def tokens(self) -> int:
        """Tokens of all tries."""
        return sum(call.tokens for call in self.calls)


Check = Callable[[Answer], str | None]
"""What is wrong with an answer, in words for the one who gave it; `None`: nothing."""


@dataclass(frozen=True)
class Asking:
    """One question, and the settings of its calls.

    `tries`: calls in all, from 1, transport and content together. `proven`: whether the run's server has answered
    before. `hidden`: whether its tokens stay off the stream. `plainly`: how an answer in plain words, of a model that
    keeps to no `schema`, is read; raises `Unclear`. `timeouts`: seconds for each try as a
    whole; none: the rules' limits of silence. `waits`: seconds; none: the rules'. `spent`: the run's calls before this
    step. `reserve`: calls kept back for the end; none: the rules'. `seed`: sent where one is taken; none: none is.
    `draw`: which of several answers to the same question, from 1; 0: there is one. `outside`: whether a person or a
    program answers, so that no call is made.
    """

    who: str
    purpose: str
    spec: str
    rules: Rules
    turn: int = 0
    round: int = 0
    temperature: float = 0.7
    max_tokens: int = 400
    tries: int = 3
    proven: bool = False
    hidden: bool = False
    schema: type[BaseModel] | None = None
    plainly: Callable[[str], BaseModel] | None = None
    timeouts: list[float] | None = None
    waits: list[float] | None = None
    spent: Sequence[Call] = ()
    reserve: int | None = None
    seed: int | None = None
    draw: int = 0
    outside: bool = False


class QuestionState(Given, Record):
    """What a question is made from."""


def asking_participant(state: QuestionState, one: Participant, purpose: str = "statement") -> Asking:
    """A question to a participant, within its budget of tries; one that was lost for long is tried once."""
    rules = state["rules"]
    return Asking(
        who=one.name,
        purpose=purpose,
        spec=spec_for(rules, one.name, one.model),
        rules=rules,
        temperature=rules.temperature if one.temperature is None else one.temperature,
        max_tokens=rules.max_tokens_per_turn,
        tries=1 if is_lost(state, one.name) else rules.statement_tries,
        proven=_proven(state),
        spent=state["calls"],
        outside=one.kind != "model",
    )


def asking_role(state: QuestionState, role: str, purpose: str) -> Asking:
    """A question to a role such as `synthesizer` or `judge`; the synthesizer may use what was kept back for it."""
    rules, closing = state["rules"], role == "synthesizer"
    return Asking(
        who=role,
        purpose=purpose,
        spec=spec_for(rules, role),
        rules=rules,
        temperature=0.3 if closing else 0.0,
        max_tokens=rules.max_tokens_synthesis,
        tries=rules.statement_tries,
        proven=_proven(state),
        hidden=not closing,
        spent=state["calls"],
        reserve=0 if closing else None,
    )


def at(asking: Asking, turn: int, round: int) -> Asking:
    """The same question, placed in a turn and round."""
    return replace(asking, turn=turn, round=round)


def _proven(state: QuestionState) -> bool:
    return any(call.outcome == "ok" for call in reversed(state["calls"]))


def call_of(
    asking: Asking,
    message: AIMessage | None,
    started: float,
    outcome: str = "ok",
    told: Brief | None = None,
    number: int = 1,
) -> Call:
    """The record of one request, successful or not; `started` is a `time.perf_counter()` reading, `number` its try.

    Where an answer came without figures that can be used, caps take it for a token a byte; `told`: what was sent.
    """
    usage = usage_of(message) if message else Usage(0, 0)
    if usage and usage.reasoning:
        manners(asking.spec).reasons = True
    unknown = message is not None and usage is None
    read, written, cached, reasoning = usage or Usage(0, 0)
    return Call(
        purpose=asking.purpose,
        who=asking.who,
        model=asking.spec,
        turn=asking.turn,
        round=asking.round,
        try_number=number,
        outcome=outcome,
        fingerprint=fingerprint_of(message) if message else "",
        input_tokens=read,
        output_tokens=written,
        cached_tokens=cached,
        reasoning_tokens=reasoning,
        ms=milliseconds_since(started),
        replayed=bool(asking.rules.replay),
        assumed_input=told.bytes if unknown and told else 0,
        assumed_output=len(storable(message.text).encode()) + 1 if message and unknown else 0,
    )


def fingerprint_of(message: AIMessage) -> str:
    """What a server says of the model and its configuration that answered; empty: it says nothing."""
    said = message.response_metadata.get("system_fingerprint")
    return storable(said)[:FINGERPRINT] if isinstance(said, str) else ""


def incident_of(asking: Asking, fault: Fault, tries: int, consequence: str) -> Incident:
    """What went wrong with a question, and what followed."""
    return Incident(
        where=asking.purpose,
        who=asking.who,
        what=fault.told(asking.rules.language),
        kind=fault.kind,
        consequence=consequence,
        tries=tries,
        turn=asking.turn,
        round=asking.round,
        at=stamp(),
        category="validation" if fault.content else "communication",
    )


def nth(values: list[float], number: int) -> float:
    """The value for try `number`, from 1; the last one serves all later tries."""
    return values[min(number, len(values)) - 1]
