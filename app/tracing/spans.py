"""The spans of a run: the deliberation, its rounds, each turn, and each try of a turn.

Names follow the GenAI semantic conventions as of version 1.41.0; what they have no name for begins with `moot.`.
Given as a callback, `graph.invoke(…, config={"callbacks": [Tracing()]})`, it traces one's own runs of a graph.
"""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import BaseMessage
from langgraph.errors import GraphBubbleUp, GraphDrained
from opentelemetry import context, trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode
from opentelemetry.util.types import AttributeValue

from ...nodes.models.failures import Stopped
from ...state.incident import PASSED_OVER, Call, Incident
from ...state.statement import Statement

SCHEMA = "https://opentelemetry.io/schemas/1.41.0"
CONTENTS = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
"""The variable that asks for what was said: `true`."""

UNNAMED = "_OTHER"
"""How the conventions call an error without a class of its own."""

Attributes = dict[str, AttributeValue]


@dataclass(eq=False)
class Traced:
    """A span that is open, and what belongs to it.

    `by`: the callbacks' number of what it is the span of; `run`: the run's span, none if it is that; `rounds`: of a
    run, by number; `turn`, `round`: where a run stands, as far as its steps have told; `nested`: whether it is within
    a step; `tries`: those it made; `around`: what was current before it.
    """

    span: Span
    by: UUID
    run: "Traced | None" = None
    protocol: str = ""
    nested: bool = False
    around: context.Context | None = None
    turn: int = 0
    round: int = 0
    rounds: dict[int, Span] = field(default_factory=dict)
    tries: list["Traced"] = field(default_factory=list)
    ended: bool = False

    @property
    def root(self) -> "Traced":
        """The run it belongs to."""
        return self.run or self

    def place(self, told: Mapping[str, Any]) -> None:
        """Learn from what a step reads or writes where the run stands."""
        self.turn, self.round = told.get("turn", self.turn), told.get("round", self.round)

    def end(self, error: str = "") -> None:
        """End it, and first what is left open in it: its rounds, and the tries that were given up."""
        if self.ended:
            return
        self.ended = True
        if self.around is not None and trace.get_current_span() is self.span:  # else its task took it along
            context.attach(self.around)
        for one in self.tries:
            one.end(UNNAMED)
        for round in self.rounds.values():
            round.end()
        if error:
            self.span.set_attribute("error.type", error)
            self.span.set_status(Status(StatusCode.ERROR))
        self.span.end()


class Tracing(BaseCallbackHandler):
    """Makes spans of what langgraph and langchain tell. One of it may serve many runs at once."""

    run_inline = True

    def __init__(self) -> None:
        self._tracer = trace.get_tracer("moot", version("moot"), schema_url=SCHEMA)
        self._contents = os.environ.get(CONTENTS, "").strip().lower() == "true"
        self._open: dict[UUID, Traced] = {}

    def on_chain_start(
        self,
        serialized: dict[str, Any],
        inputs: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """A run, a step of it, or something within a step begins."""
        known, name = metadata or {}, str(kwargs.get("name", ""))
        parent = self._open.get(parent_run_id) if parent_run_id else None
        if parent is None:
            self._open[run_id] = self._begun(run_id, name, inputs, known)
        elif name == known.get("langgraph_node") and any(
            tag.startswith("graph:step:") for tag in kwargs.get("tags") or []
        ):
            read = inputs if isinstance(inputs, Mapping) else {}
            self._open[run_id] = self._stepped(run_id, parent, name, read, known)
        else:
            self._open[run_id] = parent

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """It has ended."""
        one = self._open.pop(run_id)
        if one.by == run_id:
            if isinstance(outputs, Mapping):
                self._tell(one, outputs)
            self._end(one)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """It stopped: for somebody to answer, to go on later, or because of an error."""
        one = self._open.pop(run_id)
        if one.by == run_id:
            waits = isinstance(error, GraphBubbleUp | GraphDrained) and not isinstance(error, Stopped)
            if waits:
                one.span.set_attribute("moot.waiting", True)
            self._end(one, "" if waits else type(error).__qualname__)

    def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """A model is asked."""
        parent, known = self._open.get(parent_run_id) if parent_run_id else None, metadata or {}
        if parent is None or "try" not in known:
            return
        told = {
            "gen_ai.conversation.id": known.get("thread_id"),
            "gen_ai.agent.name": known.get("speaker"),
            "gen_ai.request.model": known.get("ls_model_name"),
            "moot.purpose": known.get("purpose"),
            "moot.turn": known.get("turn") or None,
            "moot.round": known.get("round") or None,
            "moot.try": known["try"],
        }
        span = self._span(f"try {known['try']}", parent.span, given(told))
        self._open[run_id] = one = Traced(span, run_id, parent.root)
        parent.tries.append(one)

    def on_llm_end(self, response: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """A model answered."""
        if one := self._open.pop(run_id, None):
            one.end()

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """A model did not answer."""
        if one := self._open.pop(run_id, None):
            one.end(type(error).__qualname__)

    def _end(self, one: Traced, error: str = "") -> None:
        for given_up in one.tries:
            self._open.pop(given_up.by, None)
        one.end(error)

    def _begun(self, run_id: UUID, name: str, inputs: Any, known: Mapping[str, Any]) -> Traced:
        told = {
            "gen_ai.operation.name": "invoke_workflow",
            "gen_ai.workflow.name": name,
            "gen_ai.conversation.id": known.get("thread_id"),
            "moot.protocol": name,
            "moot.resumed": not isinstance(inputs, Mapping),
        }
        return Traced(self._tracer.start_span(f"invoke_workflow {name}", attributes=given(told)), run_id, protocol=name)

    def _stepped(
        self, run_id: UUID, parent: Traced, name: str, read: Mapping[str, Any], known: Mapping[str, Any]
    ) -> Traced:
        """A step; one that asks somebody is an agent's, one that takes a turn stands within its round."""
        run = parent.root
        run.place(read)
        who, turn = asked(name, read, run.turn)
        told = {
            "gen_ai.operation.name": "invoke_agent" if who else None,
            "gen_ai.agent.name": who or None,
            "gen_ai.conversation.id": known.get("thread_id"),
            "moot.protocol": run.protocol,
            "moot.step": name,
            "moot.turn": turn or None,
            "moot.round": run.round or None,
        }
        above = self._round(run, known) if turn and run.round else parent.span
        span = self._span(f"invoke_agent {who}" if who else name, above, given(told))
        around = context.get_current()
        context.attach(trace.set_span_in_context(span))
        return Traced(span, run_id, run, nested=parent is not run, around=around)

    def _round(self, run: Traced, known: Mapping[str, Any]) -> Span:
        """The span of a round, which begins with its first turn and ends when a later one begins, or the run ends."""
        number = run.round
        for earlier in [one for one in run.rounds if one < number]:
            run.rounds.pop(earlier).end()
        if number not in run.rounds:
            told = {"gen_ai.conversation.id": known.get("thread_id"), "moot.round": number}
            run.rounds[number] = self._span(f"round {number}", run.span, given(told))
        return run.rounds[number]

    def _span(self, name: str, above: Span, attributes: Attributes) -> Span:
        return self._tracer.start_span(name, trace.set_span_in_context(above), SpanKind.INTERNAL, attributes)

    def _tell(self, one: Traced, update: Mapping[str, Any]) -> None:
        """Put on a span what a step wrote, or a run gives back; and on the run's how it ended."""
        if one.run is not None:
            one.run.place(update)
            self._tell_step(one, update)
        if outcome := update.get("outcome"):
            ending = {"moot.ending": outcome.reason, "moot.status": outcome.status, "moot.rehearsal": outcome.rehearsal}
            one.root.span.set_attributes(ending)
            if outcome.status == "failed":
                one.root.span.set_status(Status(StatusCode.ERROR))

    def _tell_step(self, one: Traced, update: Mapping[str, Any]) -> None:
        span, calls = one.span, list[Call](update.get("calls") or [])
        if calls and not one.nested:  # what a graph within a step spends, the step hands in
            span.set_attributes(usage(calls))
        incidents: list[Incident] = update.get("incidents") or []
        for incident in incidents:
            told = {"who": incident.who, "kind": incident.kind, "consequence": incident.consequence}
            span.add_event("moot.incident", {f"moot.incident.{key}": value for key, value in told.items()})
        if any(incident.consequence == PASSED_OVER for incident in incidents):
            span.set_status(Status(StatusCode.ERROR, PASSED_OVER))
        if self._contents and (said := [*(update.get("history") or [])]):
            span.set_attribute("gen_ai.output.messages", messages(said))


def asked(step: str, read: Mapping[str, Any], last: int) -> tuple[str, int]:
    """Whom a step asks, empty if nobody by name, and which turn that is, 0 outside turns. `last`: the turn before."""
    if "floor" in read and step in ("speak", "take_turn", "hear"):
        return next(iter(read["floor"]), ""), read["turn"] + 1
    seat = read.get("seat", 0)  # of one of several who speak at the same time
    return str(read.get("who", "")), last + seat if seat else 0


def usage(calls: Iterable[Call]) -> Attributes:
    """What calls cost, failed tries among them."""
    spent = list(calls)
    return {
        "gen_ai.usage.input_tokens": sum(one.input_tokens for one in spent),
        "gen_ai.usage.output_tokens": sum(one.output_tokens for one in spent),
        "gen_ai.usage.cache_read.input_tokens": sum(one.cached_tokens for one in spent),
        "moot.calls": len(spent),
    }


def messages(said: Iterable[Statement]) -> str:
    """Statements as the conventions write messages."""
    parts = [{"type": "text", "content": one.content} for one in said]
    return json.dumps([{"role": "assistant", "parts": [part], "finish_reason": "stop"} for part in parts])


def given(attributes: Mapping[str, Any]) -> Attributes:
    """Those that have a value."""
    return {key: value for key, value in attributes.items() if value is not None}
