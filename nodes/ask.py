"""The one door to a model: tries, timeouts, waits, overflow, usage and budget in one place.

Transport troubles and unusable contents draw on one budget of tries per question. What was spent is recorded as
calls, what went wrong as incidents; when all tries are spent, one exception says so: `Unavailable`. A key that is
refused or a server that cannot be reached stops the run instead, resumable: `Stopped`.
"""

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import tenacity
from langchain_core.messages import AIMessage
from langgraph.config import get_stream_writer
from pydantic import BaseModel

from ..prompts import catalogue, term
from ..state.fence import storable
from ..state.incident import PASSED_OVER, Call, Incident
from .asking import Asking, call_of, incident_of
from .brief import Brief
from .faults import Fault, Stopped, Unavailable, fault_of, troubles
from .models import manners
from .send import Structure, read, refusal_in, send, was_cut_off

SHARED = catalogue("shared", again="reason", schema="schema")
HALVINGS = 3
"""How often in one turn a prompt that was too long is halved."""


@dataclass(frozen=True)
class Answer:
    """A usable answer and the record of getting it."""

    text: str
    value: BaseModel | None = None
    cut_off: bool = False
    calls: list[Call] = field(default_factory=list)
    incidents: list[Incident] = field(default_factory=list)
    view_limit: int = 0

    @property
    def tokens(self) -> int:
        """Tokens of all tries."""
        return sum(call.tokens for call in self.calls)


Check = Callable[[Answer], str | None]
"""What is wrong with an answer, in words for the one who gave it; `None`: nothing."""


class _Again(Exception):
    """This try failed, and another may do better."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.kind)
        self.fault = fault


async def ask(brief: Brief, asking: Asking, check: Check | None = None) -> Answer:
    """Ask until an answer passes `check`.

    Raises `Unavailable` when the tries are spent, `Stopped` when trying again is pointless.
    """
    talk = _Talk(brief, asking, check)
    if asking.tries < 1:
        raise talk.unavailable(Fault("budget_spent", "the budget leaves no call for this"))
    tries = tenacity.AsyncRetrying(
        stop=tenacity.stop_after_attempt(asking.tries),
        wait=talk.wait,
        retry=tenacity.retry_if_exception_type(_Again),
        sleep=asyncio.sleep,
        reraise=True,
    )
    try:
        return await tries(talk.attempt)
    except _Again as spent:
        raise talk.unavailable(spent.fault) from None


class _Talk:
    """The tries of one question."""

    def __init__(self, brief: Brief, asking: Asking, check: Check | None) -> None:
        self.brief, self.asking, self.check = brief, asking, check
        self.calls: list[Call] = []
        self.incidents: list[Incident] = []
        self.tries = self.halvings = 0

    async def attempt(self) -> Answer:
        """One try. What an endpoint refuses outright is mended on the spot: nothing was paid for it."""
        self.tries += 1
        message = await self._sent()
        while isinstance(message, Fault):
            self._note(message)
            if not self._mended(message):
                raise self._again(message)
            message = await self._sent()
        answer = self._read(message)
        if reason := self.check(answer) if self.check else None:
            raise self._rejected(Fault("rejected", reason), reason)
        return answer

    async def _sent(self) -> AIMessage | Fault:
        asking, started = self.asking, time.perf_counter()
        seconds = _nth(asking.timeouts or asking.rules.timeouts, self.tries)
        try:
            async with asyncio.timeout(seconds):
                message = await send(self.brief, asking, self._structure())
        except troubles() as error:
            fault = fault_of(error, asking.proven or any(call.outcome == "ok" for call in self.calls))
            if fault is None:
                raise
            self.calls.append(call_of(asking, None, started, fault.kind))
            if fault.fatal:
                raise Stopped(f"{asking.who} ({asking.spec}): {fault.said}") from error
            return fault
        self.calls.append(call_of(asking, message, started))
        return message

    def _read(self, message: AIMessage) -> Answer:
        """The answer in a message, unless it is a refusal or does not follow its schema."""
        if refused := refusal_in(message):
            raise self._rejected(Fault("refusal", refused), self._reason("refusal"))
        value, structure = None, self._structure()
        if structure:
            value, fault = read(message, structure)
            if fault:
                raise self._rejected(Fault("unparsable", fault), self._reason("unparsable", fault=fault))
        text, cut_off = storable(message.text), was_cut_off(message) and not structure
        if cut_off and len(text.strip()) > 2:
            noted = incident_of(self.asking, Fault("cut_off", "it reached its length limit"), self.tries, "kept")
            self.incidents.append(noted.model_copy(update={"severity": "degraded"}))
        return Answer(text, value, cut_off, self.calls, self.incidents, self.brief.bound if self.halvings else 0)

    def _structure(self) -> Structure | None:
        return Structure(self.asking.schema, SHARED) if self.asking.schema else None

    def _mended(self, fault: Fault) -> bool:
        """Whether the prompt or the settings could be changed so that the same try may go on."""
        if fault.kind == "overflow" and self.halvings < HALVINGS and self.brief.can_show_less():
            self.halvings += 1
            self.brief = self.brief.halved()
            return True
        known = manners(self.asking.spec).refused
        if fault.kind == "parameter" and fault.parameter not in known:
            known.add(fault.parameter)
            return True
        return False

    def wait(self, state: tenacity.RetryCallState) -> float:
        """Seconds before the next try: the schedule, jittered for transport, never before Retry-After."""
        seconds = _nth(self.asking.waits or self.asking.rules.waits, state.attempt_number)
        error = state.outcome.exception() if state.outcome else None
        if isinstance(error, _Again) and error.fault.retry:
            return max(error.fault.after, seconds * random.uniform(1.0, 1.25))
        return seconds

    def _rejected(self, fault: Fault, reason: str) -> _Again:
        """An answer that cannot be used; the next prompt says why."""
        self._note(fault)
        text = SHARED.fill(self.brief.language, "again", {"reason": reason}, self.asking.rules.templates)
        self.brief = replace(self.brief, again=text)
        return self._again(fault)

    def _again(self, fault: Fault) -> _Again:
        get_stream_writer()(
            {"event": "again", "who": self.asking.who, "turn": self.asking.turn, "kind": fault.kind, "try": self.tries}
        )
        return _Again(fault)

    def unavailable(self, fault: Fault) -> Unavailable:
        """The record of a question that nobody answered; its last incident says what followed."""
        last = incident_of(self.asking, fault, len(self.calls), PASSED_OVER)
        last = last.model_copy(update={"severity": "degraded"})
        return Unavailable(fault.kind, self.calls, [*self.incidents[:-1], last])

    def _reason(self, key: str, **values: object) -> str:
        return term(self.brief.language, "again", key, **values)

    def _note(self, fault: Fault) -> None:
        mended = {"overflow": "view halved", "parameter": f"left out {fault.parameter}"}
        self.incidents.append(incident_of(self.asking, fault, self.tries, mended.get(fault.kind, "asked again")))


def _nth(values: list[float], number: int) -> float:
    """The value for try `number`; the last one serves all later tries."""
    return values[min(number, len(values)) - 1]
