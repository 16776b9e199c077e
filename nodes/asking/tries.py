"""The tries of one question: each is one call, and what an endpoint refuses outright is mended on the spot."""

import asyncio
import time
from dataclasses import replace
from typing import cast

from langchain_core.messages import AIMessage
from langgraph.config import get_stream_writer

from ...prompts import catalogue, term
from ...state.budget import is_spent
from ...state.fence import storable
from ...state.history import ViewLimit
from ...state.incident import PASSED_OVER, Call, Incident
from ..branch import fan
from ..models.chat import manners
from ..models.diagnosis import fault_of, troubles
from ..models.failures import Fault, Narrowed, Stopped, TryAgain, Unavailable
from ..models.gate import Gate, gate
from ..models.recording import Request, record, replayed
from ..models.wire import too_long
from .brief import Brief
from .question import Answer, Asking, Check, call_of, incident_of, nth
from .send import ahead_of, closing_after, flaw_in, refusal_in, send, streams, was_cut_off
from .silence import TokenListener
from .structure import Structure, read, worded

SHARED = catalogue("shared", again="reason", schema="schema")
UNTOLD = ("timeout", "connection", "server", "malformed")
"""How a call fails of which nobody knows whether its server counts it."""
HALVINGS = 3
"""How often in one turn a prompt that was too long is halved."""


class Tries:
    """The tries of one question, and what they cost."""

    def __init__(self, brief: Brief, asking: Asking, check: Check | None) -> None:
        self.brief, self.asking, self.check = brief, asking, check
        self.structure = Structure(asking.schema, SHARED, asking.plainly, brief.language) if asking.schema else None
        self.calls: list[Call] = []
        self.incidents: list[Incident] = []
        self.unsent: frozenset[str] = frozenset()
        """Settings that the call before was made without."""
        self.fan = fan()
        self.number = self.halvings = 0
        self.unread = ""
        """The last answer that could not be read."""

    async def once(self) -> Answer:
        """One try. Raises `TryAgain`, `Unavailable` or `Stopped`."""
        self.number += 1
        answer = self._read(await self._message())
        if reason := self.check(answer) if self.check else None:
            raise self._again(Fault("rejected", reason, content=True), reason)
        if answer.cut_off:
            self._note(Fault("cut_off", own="cut_off"), "kept", "degraded")
        return answer

    async def _message(self) -> AIMessage:
        """What the model said, once prompt and settings are such that its endpoint takes them."""
        while True:
            self._afford()
            if not self.asking.rules.replay:  # a recording holds what was refused to a process that did not know
                self.unsent = frozenset(manners(self.asking.spec).refused)
            message = await self._call()
            if isinstance(message, AIMessage):
                return message
            if mended := self._mended(message):
                self._note(message, mended)
                continue
            if message.fatal or message.kind == "parameter":
                raise Stopped(f"{self.asking.who} ({self.asking.spec}): {message.told('en')}")
            if message.kind == "overflow":
                self._note(message, PASSED_OVER)
                raise self.unavailable(message)
            raise self._again(message, self._reason("refusal") if message.content else "")

    async def _call(self) -> AIMessage | Fault:
        """One request, past the gate of the run where it has one."""
        passed = gate()
        self.fan.asking += 1
        try:
            return await (self._past(passed) if passed else self._recorded())
        finally:
            self.fan.asking -= 1

    async def _past(self, passed: Gate) -> AIMessage | Fault:
        """One request that the gate is told of before and after."""
        ahead, made = ahead_of(self.brief, self.asking, self.structure), None
        if not await passed.enter(ahead, closing_after(ahead, self.asking)):
            raise self._broke()
        try:
            got = await self._recorded()
            last = self.calls[-1]
            made = None if last.uncounted or last.outcome in UNTOLD else last
            return got
        finally:
            await passed.leave(ahead, made)

    async def _recorded(self) -> AIMessage | Fault:
        """One request, recorded with what it cost; in a replay, what came of it when it was recorded."""
        asking, started = self.asking, time.perf_counter()
        reply = await self._answered()
        if isinstance(reply, Fault):
            self._spend(call_of(asking, None, started, reply.kind, number=self.number))
            return reply
        fault = flaw_in(reply, asking)
        outcome = fault.kind if fault else "ok"
        self._spend(call_of(asking, reply, started, outcome, self.brief, self.number))
        return fault or reply

    async def _answered(self) -> AIMessage | Fault:
        """How the request ended: as it was recorded in a replay, else as it does, and that is recorded if asked for."""
        rules = self.asking.rules
        if not (rules.record or rules.replay):
            return await self._sent()
        request = self._request()
        if reply := await replayed(rules, request):
            return cast(AIMessage | Fault, reply)
        answer = await self._sent()
        if not await record(rules, request, answer):
            self._note(Fault("unrecorded", rules.record, own="unrecorded"), "kept")
        return answer

    async def _sent(self) -> AIMessage | Fault:
        limit = asyncio.timeout(self._allowed())
        listener = self._listener(limit)
        try:
            async with limit:
                return await send(self.brief, self.asking, self.structure, listener, self.number)
        except troubles() as error:
            if listener.too_long:
                return too_long()
            fault = fault_of(error, self.asking.proven or any(call.outcome == "ok" for call in self.calls))
            if fault is None:
                raise
            return fault

    def _request(self) -> Request:
        """What a recording knows this request by. What an endpoint was seen to refuse before is no part of it."""
        asking, form = self.asking, self.structure
        return {
            "spec": asking.spec,
            "who": asking.who,
            "purpose": asking.purpose,
            "turn": asking.turn,
            "round": asking.round,
            "try": self.number,
            "request": 1 + len(self.calls),
            "settings": {"temperature": asking.temperature, "max_tokens": asking.max_tokens},
            "schema": form and worded(form.schema, form.language),
            "messages": [[one.type, one.text] for one in self.brief.messages()],
        } | ({"draw": asking.draw, "call_seed": asking.seed} if asking.draw else {})

    def _allowed(self) -> float:
        """Seconds until the call has to bring something: its first token, or all where it does not stream."""
        asking, limits = self.asking, self.asking.rules.timeouts
        if asking.timeouts:
            return nth(asking.timeouts, self.number)
        return min(limits.total, limits.first_token if streams(asking, self.structure) else limits.unstreamed)

    def _listener(self, limit: asyncio.Timeout) -> TokenListener:
        """What gives the call more time with each token, unless it has the same time in any case."""
        return TokenListener(limit, None if self.asking.timeouts else self.asking.rules.timeouts)

    def _spend(self, call: Call) -> None:
        known = (one.uncounted and one.model == call.model for one in [*self.asking.spent, *self.fan.calls])
        if call.outcome == "ok" and call.uncounted and not any(known):  # once is enough for each model
            self._note(Fault("usage", own="no_usage"), "kept")
        self.calls.append(call)
        self.fan.calls.append(call)

    def _afford(self) -> None:
        """Make no call that would pass a cap, those of others asked at the same time included."""
        asking, made = self.asking, [*self.asking.spent, *self.fan.calls]
        if is_spent(asking.rules, made, asking.reserve, self.fan.asking + 1):
            raise self._broke()

    def _broke(self) -> Unavailable:
        """The record of a question for which no call is left."""
        fault = Fault("budget_spent", own="no_call_left")
        self._note(fault, PASSED_OVER)
        return self.unavailable(fault)

    def _read(self, message: AIMessage) -> Answer:
        """The answer in a message, unless it is a refusal or does not follow its schema."""
        if refused := refusal_in(message):
            raise self._again(Fault("refusal", refused, content=True), self._reason("refusal"))
        value, cut_off = None, was_cut_off(message)
        if self.structure:
            value, flaw = read(message, self.structure)
            if flaw:
                self.unread = storable(message.text)
                flaw = f"{flaw} ({term(self.brief.language, 'kinds', 'cut_off')})" if cut_off else flaw
                raise self._again(Fault("unparsable", flaw, content=True), self._reason("unparsable", fault=flaw))
        kept = cut_off and not self.structure
        return Answer(storable(message.text), value, kept, self.calls, self.incidents, self._narrowed())

    def _mended(self, fault: Fault) -> str:
        """How the prompt or the settings could be changed so that the same try may go on; empty: not at all."""
        if fault.kind == "overflow" and self.halvings < HALVINGS and self.brief.can_show_less():
            self.halvings += 1
            self.brief = self.brief.halved()
            return "view halved"
        mine = not self.asking.spec.startswith("object:")
        if fault.kind == "parameter" and mine and fault.parameter not in self.unsent:
            manners(self.asking.spec).refused.add(fault.parameter)
            return f"left out {fault.parameter}"
        return ""

    def _again(self, fault: Fault, reason: str = "") -> TryAgain:
        """Put a failed try on record; `reason`: what the next prompt says was wrong."""
        self._note(fault, "asked again")
        if reason:
            text = SHARED.fill(self.brief.language, "again", {"reason": reason}, self.asking.rules.templates)
            self.brief = replace(self.brief, again=text)
        told = {"who": self.asking.who, "turn": self.asking.turn, "kind": fault.kind, "try": self.number}
        get_stream_writer()({"event": "again", **told})
        return TryAgain(fault)

    def unavailable(self, fault: Fault) -> Unavailable:
        """The record of a question that nobody answered; its last incident says what followed."""
        last = {"consequence": PASSED_OVER, "severity": "degraded", "tries": len(self.calls)}
        incidents = [*self.incidents[:-1], self.incidents[-1].model_copy(update=last)]
        return Unavailable(fault.kind, self.calls, incidents, self._narrowed(), self.unread)

    def _narrowed(self) -> Narrowed:
        memory = self.brief.memory.split("\n") if self.brief.memory else []
        view = ViewLimit(history=self.brief.bound, halvings=self.brief.halvings)
        return Narrowed(view, memory) if self.halvings else Narrowed()

    def _reason(self, key: str, **values: object) -> str:
        return term(self.brief.language, "again", key, **values)

    def _note(self, fault: Fault, consequence: str, severity: str = "recoverable") -> None:
        noted = incident_of(self.asking, fault, self.number, consequence)
        self.incidents.append(noted.model_copy(update={"severity": severity}))
