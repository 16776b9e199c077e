"""Spans and metrics of a run: the deliberation, its rounds, each turn, and each request to a model.

Names follow the GenAI semantic conventions, version 1.41.0. Other names begin with `moot.`. Pass `Tracing` as a
callback to trace any graph: `graph.invoke(…, config={"callbacks": [Tracing()]})`.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from time import perf_counter
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage
from langgraph.errors import GraphBubbleUp, GraphDrained
from opentelemetry import context, metrics, trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode
from opentelemetry.util.types import AttributeValue

from ....models import ModelSpec, RunStoppedError, extract_usage, parse_spec
from ....state import MISSED_TURN, Call, Incident, Lookup, Prices, Statement

SCHEMA_URL = "https://opentelemetry.io/schemas/1.41.0"
SECOND_BOUNDS = [0.01 * 2**power for power in range(14)]
"""Bounds of the histograms of durations, in seconds."""

MESSAGE_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}

SpanAttributes = dict[str, AttributeValue]


@dataclass(eq=False)
class OpenSpan:
    """Open span, with the data of its run, step or attempt.

    `run_id`: callback id. `run`: span of the run; `None` for the run itself. `is_nested`: whether the step is inside
    another step. `outer_context`: context before the span. `turn`, `round`: position that a step last reported.
    `rounds`: spans of a run's rounds, by number. `prices`: prices of the run. `attempts`: spans of the requests.
    `spec`: model of a request. `labels`: attributes of the span's metrics; empty without metrics. `started`: start of
    the span in seconds of the performance counter.
    """

    span: Span
    run_id: UUID
    run: "OpenSpan | None" = None
    protocol: str = ""
    is_nested: bool = False
    outer_context: context.Context | None = None
    turn: int = 0
    round: int = 0
    rounds: dict[int, Span] = field(default_factory=dict)
    prices: Prices | None = None
    attempts: list["OpenSpan"] = field(default_factory=list)
    spec: str = ""
    labels: SpanAttributes = field(default_factory=dict)
    started: float = field(default_factory=perf_counter)
    has_answered: bool = False
    has_ended: bool = False

    @property
    def root(self) -> "OpenSpan":
        """Return the span of the run that this span belongs to."""
        return self.run or self

    def update_position(self, values: Mapping[str, Any]) -> None:
        """Update turn, round and prices from the values that a step reads or writes."""
        self.turn, self.round = values.get("turn", self.turn), values.get("round", self.round)
        self.prices = getattr(values.get("settings"), "prices", self.prices)

    def end_span(self, error: str = "") -> None:
        """End the span, after its open rounds and unfinished attempts."""
        if self.has_ended:
            return
        self.has_ended = True
        if (
            self.outer_context is not None and trace.get_current_span() is self.span
        ):  # otherwise the context ended with its task
            context.attach(self.outer_context)
        for attempt in self.attempts:
            attempt.end_span("_OTHER")
        for round in self.rounds.values():
            round.end()
        if error:
            self.span.set_attribute("error.type", error)
            self.span.set_status(Status(StatusCode.ERROR))
        self.span.end()


class Tracing(BaseCallbackHandler):
    """Callback that makes spans and metrics from the events of LangGraph and LangChain.

    One instance may serve many runs.
    """

    run_inline = True

    def __init__(self) -> None:
        self._tracer = trace.get_tracer("moot", version("moot"), schema_url=SCHEMA_URL)
        meter = metrics.get_meter("moot", version("moot"), schema_url=SCHEMA_URL)
        tokens, duration, first_chunk, workflow, agent = (
            meter.create_histogram(f"gen_ai.{name}", unit, explicit_bucket_boundaries_advisory=bounds)
            for name, unit, bounds in (
                ("client.token.usage", "{token}", [4**power for power in range(14)]),
                ("client.operation.duration", "s", SECOND_BOUNDS),
                ("client.operation.time_to_first_chunk", "s", SECOND_BOUNDS),
                ("workflow.duration", "s", SECOND_BOUNDS),
                ("invoke_agent.duration", "s", SECOND_BOUNDS),
            )
        )
        self._token_histogram, self._duration_histogram, self._first_chunk_histogram = tokens, duration, first_chunk
        self._step_histograms = {"invoke_workflow": workflow, "invoke_agent": agent}
        self._records_contents = (
            os.environ.get("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "").strip().lower() == "true"
        )
        self._open_spans: dict[UUID, OpenSpan] = {}

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
        """Start the span of a run or step. Other chains within a step share the step's span."""
        values, name = metadata or {}, str(kwargs.get("name", ""))
        parent = self._open_spans.get(parent_run_id) if parent_run_id else None
        if parent is None:
            labels: SpanAttributes = {"gen_ai.operation.name": "invoke_workflow", "gen_ai.workflow.name": name}
            span = self._tracer.start_span(
                f"invoke_workflow {name}",
                attributes=drop_none_values(
                    labels
                    | {
                        "gen_ai.conversation.id": values.get("thread_id"),
                        "moot.protocol": name,
                        "moot.resumed": not isinstance(inputs, Mapping),
                    }
                ),
            )
            self._open_spans[run_id] = OpenSpan(span, run_id, protocol=name, labels=labels)
        elif name == values.get("langgraph_node") and any(
            tag.startswith("graph:step:") for tag in kwargs.get("tags") or []
        ):
            self._open_spans[run_id] = self._start_step(
                run_id, parent, name, inputs if isinstance(inputs, Mapping) else {}, values
            )
        else:
            self._open_spans[run_id] = parent

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """End the span of a run or step that succeeded."""
        open_span = self._open_spans.pop(run_id)
        if open_span.run_id == run_id:
            if isinstance(outputs, Mapping):
                self._record_update(open_span, outputs)
            self._end_span(open_span)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """End the span of a run or step that waits for an answer, was drained, or failed."""
        open_span = self._open_spans.pop(run_id)
        if open_span.run_id == run_id:
            is_waiting = isinstance(error, GraphBubbleUp | GraphDrained) and not isinstance(error, RunStoppedError)
            if is_waiting:
                open_span.span.set_attribute("moot.waiting", True)
            self._end_span(open_span, "" if is_waiting else type(error).__qualname__)

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
        """Start the span of a request to a model."""
        parent, values = self._open_spans.get(parent_run_id) if parent_run_id else None, metadata or {}
        if parent is None:
            return
        spec, parameters = str(values.get("model_spec", "")), kwargs.get("invocation_params") or {}
        parsed_spec = parse_spec(spec) if spec else ModelSpec("_OTHER")
        model = values.get("ls_model_name") or parsed_spec.name or parsed_spec.provider
        address = urlsplit(parsed_spec.base_url)
        labels = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": values.get("ls_provider") or parsed_spec.provider,
            "gen_ai.request.model": model,
            "server.address": address.hostname,
            "server.port": address.port,
        }
        attributes = labels | {
            "gen_ai.conversation.id": values.get("thread_id"),
            "gen_ai.agent.name": values.get("speaker"),
            "gen_ai.request.temperature": parameters.get("temperature"),
            "gen_ai.request.max_tokens": parameters.get("max_completion_tokens") or parameters.get("max_tokens"),
            "gen_ai.request.seed": parameters.get("seed"),
            "moot.purpose": values.get("purpose"),
            "moot.turn": values.get("turn") or None,
            "moot.round": values.get("round") or None,
            "moot.attempt": values.get("attempt"),
        }
        if self._records_contents:
            attributes["gen_ai.input.messages"] = json.dumps(
                [
                    {"role": MESSAGE_ROLES.get(message.type), "parts": [{"type": "text", "content": message.text}]}
                    for message in messages[0]
                ]
            )
        span = self._start_span(f"chat {model}", parent.span, drop_none_values(attributes), SpanKind.CLIENT)
        attempt = OpenSpan(span, run_id, parent.root, spec=spec, labels=drop_none_values(labels))
        self._open_spans[run_id] = attempt
        parent.attempts.append(attempt)

    def on_llm_new_token(self, token: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Record the time to the first piece of a streamed answer."""
        if (attempt := self._open_spans.get(run_id)) and not attempt.has_answered:
            attempt.has_answered = True
            self._first_chunk_histogram.record(perf_counter() - attempt.started, attempt.labels)

    def on_llm_end(self, response: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """End the span of a request that returned an answer."""
        if attempt := self._open_spans.pop(run_id, None):
            message = getattr(response.generations[0][0], "message", None)
            if isinstance(message, AIMessage):
                self._record_reply(attempt, message)
            self._duration_histogram.record(perf_counter() - attempt.started, attempt.labels)
            attempt.end_span()

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """End the span of a request that failed."""
        if attempt := self._open_spans.pop(run_id, None):
            self._duration_histogram.record(
                perf_counter() - attempt.started, attempt.labels | {"error.type": type(error).__qualname__}
            )
            attempt.end_span(type(error).__qualname__)

    def _record_reply(self, attempt: OpenSpan, message: AIMessage) -> None:
        """Record the tokens of a reply, and its cost if the price is known."""
        reply, finish_reason = message.response_metadata, message.response_metadata.get("finish_reason")
        attributes = {
            "gen_ai.response.model": reply.get("model_name"),
            "gen_ai.response.id": reply.get("id"),
            "gen_ai.response.finish_reasons": [finish_reason] if finish_reason else None,
        }
        if usage := extract_usage(message):
            tokens = {"input_tokens": usage.prompt_tokens, "output_tokens": usage.answer_tokens}
            call = Call.model_validate(
                {"purpose": "chat", "model": attempt.spec, "cached_tokens": usage.cached_tokens, **tokens}
            )
            prices = attempt.root.prices
            attributes |= {
                **{f"gen_ai.usage.{kind}": count for kind, count in tokens.items()},
                "gen_ai.usage.cache_read.input_tokens": usage.cached_tokens,
                "gen_ai.usage.reasoning.output_tokens": usage.reasoning_tokens,
                "moot.cost": prices.compute_cost([call]) if prices and attempt.spec else None,
            }
            for kind, count in tokens.items():
                self._token_histogram.record(
                    count, attempt.labels | {"gen_ai.token.type": kind.removesuffix("_tokens")}
                )
        attempt.span.set_attributes(drop_none_values(attributes))

    def _end_span(self, open_span: OpenSpan, error: str = "") -> None:
        for attempt in open_span.attempts:
            self._open_spans.pop(attempt.run_id, None)
        if open_span.labels:
            histogram = self._step_histograms[str(open_span.labels["gen_ai.operation.name"])]
            histogram.record(
                perf_counter() - open_span.started, open_span.labels | ({"error.type": error} if error else {})
            )
        open_span.end_span(error)

    def _start_step(
        self, run_id: UUID, parent: OpenSpan, step_name: str, step_input: Mapping[str, Any], values: Mapping[str, Any]
    ) -> OpenSpan:
        """Start and return the span of a step.

        `values`: turn, round and other values of the step's metadata. A step that asks a participant gets an agent
        span. The spans of a turn and of the following decision belong to the round.
        """
        run = parent.root
        run.update_position(step_input)
        name, turn = get_step_turn(step_name, step_input, run.turn)
        labels: SpanAttributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name} if name else {}
        attributes = labels | {
            "gen_ai.conversation.id": values.get("thread_id"),
            "moot.protocol": run.protocol,
            "moot.step": step_name,
            "moot.turn": turn or None,
            "moot.round": run.round or None,
        }
        parent_span = (
            self._get_round_span(run, values) if run.round and (turn or step_name == "decide") else parent.span
        )
        span = self._start_span(
            f"invoke_agent {name}" if name else step_name, parent_span, drop_none_values(attributes)
        )
        outer_context = context.get_current()
        context.attach(trace.set_span_in_context(span))
        return OpenSpan(span, run_id, run, is_nested=parent is not run, outer_context=outer_context, labels=labels)

    def _get_round_span(self, run: OpenSpan, values: Mapping[str, Any]) -> Span:
        """Return the span of the current round.

        The span starts with the round's first turn. It ends when a later round starts or the run ends.
        """
        number = run.round
        for earlier_round in [round_number for round_number in run.rounds if round_number < number]:
            run.rounds.pop(earlier_round).end()
        if number not in run.rounds:
            run.rounds[number] = self._start_span(
                f"round {number}",
                run.span,
                drop_none_values({"gen_ai.conversation.id": values.get("thread_id"), "moot.round": number}),
            )
        return run.rounds[number]

    def _start_span(
        self, name: str, parent_span: Span, attributes: SpanAttributes, kind: SpanKind = SpanKind.INTERNAL
    ) -> Span:
        return self._tracer.start_span(name, trace.set_span_in_context(parent_span), kind, attributes)

    def _record_update(self, open_span: OpenSpan, update: Mapping[str, Any]) -> None:
        if open_span.run is not None:
            open_span.run.update_position(update)
            span, calls = open_span.span, list[Call](update.get("calls") or [])
            if open_span.is_nested and (lookups := list[Lookup](update.get("lookups") or [])):
                span.update_name(f"execute_tool {lookups[0].tool}")
                span.set_attributes(
                    {
                        "gen_ai.operation.name": "execute_tool",
                        "gen_ai.tool.name": lookups[0].tool,
                        "gen_ai.tool.call.id": lookups[0].id,
                        "moot.lookup.status": lookups[0].status,
                    }
                )
            if calls and not open_span.is_nested:  # a step records the spending of the graph within it
                span.set_attribute("moot.calls", len(calls))
            incidents: list[Incident] = update.get("incidents") or []
            for incident in incidents:
                span.add_event(
                    "moot.incident",
                    {
                        "moot.incident.who": incident.who,
                        "moot.incident.kind": incident.kind,
                        "moot.incident.consequence": incident.consequence,
                    },
                )
            if any(incident.consequence == MISSED_TURN for incident in incidents):
                span.set_status(Status(StatusCode.ERROR, MISSED_TURN))
            statements: list[Statement] = update.get("history") or []
            if self._records_contents and statements:
                messages = [
                    {
                        "role": "assistant",
                        "parts": [{"type": "text", "content": statement.content}],
                        "finish_reason": "stop",
                    }
                    for statement in statements
                ]
                span.set_attribute("gen_ai.output.messages", json.dumps(messages))
        if outcome := update.get("outcome"):
            open_span.root.span.set_attributes(
                {"moot.ending": outcome.reason, "moot.status": outcome.status, "moot.rehearsal": outcome.rehearsal}
            )
            if outcome.status == "failed":
                open_span.root.span.set_status(Status(StatusCode.ERROR))


def get_step_turn(step: str, step_input: Mapping[str, Any], last_turn: int) -> tuple[str, int]:
    """Return the name of the participant in a step, and the number of the turn.

    `last_turn`: last turn so far. The name is empty if the step asks no participant. The number is 0 outside turns.
    """
    if "floor" in step_input and step in ("speak", "take_turn", "receive_message"):
        return next(iter(step_input["floor"]), ""), step_input["turn"] + 1
    seat = step_input.get("seat", 0)  # speakers of one blind round have consecutive seats
    return str(step_input.get("who", "")), last_turn + seat if seat else 0


def drop_none_values(attributes: Mapping[str, Any]) -> SpanAttributes:
    """Return the attributes without those that are `None`."""
    return {key: value for key, value in attributes.items() if value is not None}
