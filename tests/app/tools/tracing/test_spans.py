"""Traces of runs, as OpenTelemetry's own SDK collects them."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from chats.scripted import ScriptedChat
from command import document, listed, moot
from fakeserver import FakeServer, Fault
from moot.app.tools.tracing.spans import SCHEMA_URL, Tracing
from moot.graphs.debate import graph
from moot.models.chat_model import close_models
from opentelemetry import trace
from opentelemetry.metrics import _internal
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes
from opentelemetry.semconv.schemas import Schemas
from opentelemetry.trace import SpanKind, StatusCode

SHORT = ("debate", "Tea?", "--max-turns", "4")
LOOKING = ("--set", "tools=[library]")


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    found, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(found))
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)
    monkeypatch.setenv("MOOT_TRACING", "on")
    yield found
    provider.shutdown()


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemoryMetricReader]:
    found = InMemoryMetricReader()
    provider = MeterProvider([found])
    monkeypatch.setattr(_internal, "_METER_PROVIDER", provider)
    yield found
    provider.shutdown()


def list_spans(spans: InMemorySpanExporter) -> list[str]:
    """The spans as an indented outline, in the order they began."""
    return _within(sorted(spans.get_finished_spans(), key=lambda finished_span: finished_span.start_time or 0), None)


def _within(every: Sequence[ReadableSpan], above: int | None) -> list[str]:
    lines = []
    for one in every:
        if (one.parent.span_id if one.parent else None) == above:
            mark = " ✗" if one.status.status_code is StatusCode.ERROR else ""
            assert one.context
            lines += [f"{one.name}{mark}", *(f"  {line}" for line in _within(every, one.context.span_id))]
    return lines


def named(spans: InMemorySpanExporter, name: str) -> list[dict[str, Any]]:
    return [
        dict(finished_span.attributes or {})
        for finished_span in spans.get_finished_spans()
        if finished_span.name == name
    ]


def test_a_debate_is_a_trace_of_rounds_turns_and_tries_that_ends_with_its_ending(spans: InMemorySpanExporter) -> None:
    report = document(*SHORT, "--model", "rehearsal")
    assert list_spans(spans) == [
        "invoke_workflow debate",
        *["  convene", "  decide", "  order"],
        *["  round 1", "    invoke_agent PRO", "      chat rehearsal", "    decide"],
        *["    invoke_agent CON", "      chat rehearsal", "    decide"],
        *["  order"],
        *["  round 2", "    invoke_agent PRO", "      chat rehearsal", "    decide"],
        *["    invoke_agent CON", "      chat rehearsal", "    decide"],
        *["  cap", "  synthesize", "    chat rehearsal"],
    ]
    (run,), turns = named(spans, "invoke_workflow debate"), named(spans, "invoke_agent CON")
    assert (run["gen_ai.workflow.name"], run["moot.resumed"]) == ("debate", False)
    assert (run["moot.ending"], run["moot.status"]) == (report["terminationReason"], "completed")
    assert [(turn["moot.turn"], turn["moot.round"], turn["moot.protocol"]) for turn in turns] == [
        (2, 1, "debate"),
        (4, 2, "debate"),
    ]
    every = [dict(finished_span.attributes or {}) for finished_span in spans.get_finished_spans()]
    assert {one["gen_ai.conversation.id"] for one in every} == {report["run"]}
    assert sum(one.get("gen_ai.usage.output_tokens", 0) for one in every) == sum(
        call["output_tokens"] for call in report["calls"]
    )


def test_a_look_up_is_a_span_of_a_tool_within_its_turn(spans: InMemorySpanExporter) -> None:
    (lookup,) = document("debate", "Tea?", "--max-turns", "2", "--model", "rehearsal", *LOOKING)["lookups"]
    outline = list_spans(spans)
    turn = outline[outline.index("    invoke_agent PRO") : outline.index("    invoke_agent CON")]
    assert [line.strip() for line in turn if "chat" in line or "tool" in line] == [
        "chat rehearsal",
        "execute_tool library",
        "chat rehearsal",
    ]
    (span,) = named(spans, "execute_tool library")
    assert (span["gen_ai.operation.name"], span["gen_ai.tool.name"]) == ("execute_tool", "library")
    assert (
        (span["gen_ai.tool.call.id"], span["moot.lookup.status"]) == (lookup["id"], lookup["status"]) == ("L1.1", "ok")
    )


def test_each_request_is_a_generation_with_its_model_tokens_and_cost_and_is_measured(
    spans: InMemorySpanExporter, measured: InMemoryMetricReader
) -> None:
    with FakeServer() as fake:
        prices = ("--set", "prices.input=1", "--set", "prices.output=2", "--set", "temperature=0.3")
        report = document(*SHORT, "--model", f"openai:x@{fake.url}", *prices)
    requests = sorted(
        (finished_span for finished_span in spans.get_finished_spans() if finished_span.name == "chat x"),
        key=lambda finished_span: finished_span.end_time or 0,
    )
    calls = report["calls"]
    assert {request.kind for request in requests} == {SpanKind.CLIENT}
    about = [dict(request.attributes or {}) for request in requests]
    assert {
        (one["gen_ai.operation.name"], one["gen_ai.provider.name"], one["gen_ai.request.model"]) for one in about
    } == {("chat", "openai", "x")}
    assert [one["gen_ai.usage.input_tokens"] for one in about] == [call["input_tokens"] for call in calls]
    assert [one["gen_ai.usage.output_tokens"] for one in about] == [call["output_tokens"] for call in calls]
    assert sum(one["moot.cost"] for one in about) == pytest.approx(report["totalCost"])
    assert about[0]["gen_ai.request.temperature"] == 0.3
    assert {one["gen_ai.response.finish_reasons"] for one in about} == {("stop",)}
    assert {one["server.address"] for one in about} == {"127.0.0.1"}
    points = {
        (metric.name, point.attributes.get("gen_ai.token.type")): point
        for metric in measured.get_metrics_data().resource_metrics[0].scope_metrics[0].metrics  # type: ignore[union-attr]
        for point in metric.data.data_points
    }
    for kind in ("input", "output"):
        assert points["gen_ai.client.token.usage", kind].sum == sum(call[f"{kind}_tokens"] for call in calls)
    assert points["gen_ai.client.operation.duration", None].count == len(calls)
    assert points["gen_ai.client.operation.duration", None].attributes["gen_ai.request.model"] == "x"
    assert points["gen_ai.workflow.duration", None].attributes["gen_ai.workflow.name"] == "debate"
    assert points["gen_ai.workflow.duration", None].count == 1
    assert points["gen_ai.invoke_agent.duration", None].attributes["gen_ai.agent.name"] in ("PRO", "CON")
    assert {one["gen_ai.usage.reasoning.output_tokens"] for one in about} == {0}


def test_of_a_streamed_answer_the_time_to_its_first_piece_is_measured(
    spans: InMemorySpanExporter, measured: InMemoryMetricReader
) -> None:
    with FakeServer() as fake:
        context: Any = {"model": f"openai:x@{fake.url}", "max_turns": 2}
        config: Any = {"callbacks": [Tracing()]}

        async def stream() -> None:
            async for _ in graph.astream({"topic": "Tea?"}, config, context=context, stream_mode="messages"):
                pass
            await close_models()

        asyncio.run(stream())
    scope = measured.get_metrics_data().resource_metrics[0].scope_metrics[0]  # type: ignore[union-attr]
    counts = {metric.name: sum(point.count for point in metric.data.data_points) for metric in scope.metrics}  # type: ignore[union-attr]
    assert counts["gen_ai.client.operation.time_to_first_chunk"] == len(named(spans, "chat x")) == 3


def test_those_who_speak_at_the_same_time_stand_in_their_round(spans: InMemorySpanExporter) -> None:
    shared = (
        "--set",
        "blind_first_round=true",
        "--max-rounds",
        "2",
        "--participant",
        "Ada",
        "--participant",
        "Ben",
        "--participant",
        "Cleo",
    )
    document("consensus", "Tea?", *shared, "--model", "rehearsal")
    turns = [one for name in ("Ada", "Ben", "Cleo") for one in named(spans, f"invoke_agent {name}")]
    placed = sorted((turn["moot.round"], turn["moot.turn"]) for turn in turns if "moot.turn" in turn)
    assert placed == [(1, 1), (1, 2), (1, 3), (2, 4), (2, 5), (2, 6)]


def test_a_failing_call_is_a_failed_try_and_an_incident_of_its_turn_and_a_missed_turn_is_an_error(
    spans: InMemorySpanExporter,
) -> None:
    faults = {1: Fault.status(500), **dict.fromkeys((3, 4, 5), Fault.status(500))}
    with FakeServer(faults=faults) as fake:
        settings = ("--set", "retry_delays=[0.01]", "--set", "on_outage=skip")
        document(*SHORT, "--model", f"openai:x@{fake.url}", *settings)
    assert list_spans(spans)[4:12] == [
        "  round 1",
        "    invoke_agent PRO",
        "      chat x ✗",
        "      chat x",
        "    decide",
        "    invoke_agent CON ✗",
        "      chat x ✗",
        "      chat x ✗",
    ]
    failed = [
        finished_span
        for finished_span in spans.get_finished_spans()
        if finished_span.name == "chat x" and not finished_span.status.is_ok
    ]
    about = dict(failed[0].attributes or {})
    assert (about["error.type"], about["gen_ai.request.model"]) == ("OpenAIAPIError", "x")
    pro, con = (
        next(
            finished_span for finished_span in spans.get_finished_spans() if finished_span.name == f"invoke_agent {who}"
        )
        for who in SEATS
    )
    kinds = [[(event.attributes or {})["moot.incident.consequence"] for event in one.events] for one in (pro, con)]
    assert kinds == [["asked again"], ["asked again", "asked again", "missed"]]


SEATS = ("PRO", "CON")


def test_a_resumed_run_is_a_trace_of_its_own_under_the_same_conversation(spans: InMemorySpanExporter) -> None:
    with FakeServer(faults={2: Fault.status(401)}) as fake:
        output = moot(*SHORT, "--model", f"openai:x@{fake.url}")
        assert output.exit_code == 3
        assert list_spans(spans)[0] == "invoke_workflow debate ✗"
        spans.clear()
        run = listed()[0]["run"]
        moot("resume", run)
    assert list_spans(spans)[:4] == ["invoke_workflow debate", "  round 1", "    invoke_agent CON", "      chat x"]
    (resumed,) = named(spans, "invoke_workflow debate")
    assert (resumed["moot.resumed"], resumed["gen_ai.conversation.id"]) == (True, run)


def test_a_run_that_waits_for_a_person_is_no_error(spans: InMemorySpanExporter) -> None:
    moot(*SHORT, "--model", "rehearsal", "--participant", "PRO", "--participant", "CON=person")
    assert list_spans(spans)[-1] == "    invoke_agent CON"
    assert named(spans, "invoke_agent CON")[0]["moot.waiting"] is True


def test_what_was_said_is_in_no_trace_unless_it_is_asked_for(
    spans: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run() -> tuple[str, str]:
        spans.clear()
        record = document("debate", "Tea?", "--max-turns", "2", "--model", "rehearsal")
        return str(
            [
                (finished_span.name, finished_span.attributes, finished_span.events)
                for finished_span in spans.get_finished_spans()
            ]
        ), record["turns"][0]["content"]

    traced, said = run()
    assert said[:20] not in traced
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true")
    _, said = run()
    (message,) = json.loads(named(spans, "invoke_agent PRO")[0]["gen_ai.output.messages"])
    assert (message["role"], message["parts"][0]["content"]) == ("assistant", said)
    prompt = next(
        finished_span.attributes
        for finished_span in spans.get_finished_spans()
        if finished_span.name.startswith("chat ")
    )
    report = json.loads(str((prompt or {})["gen_ai.input.messages"]))
    assert [part["role"] for part in report] == ["system", "user"]
    assert "Tea?" in report[0]["parts"][0]["content"]


def test_a_graph_of_ones_own_is_traced_by_a_callback_and_spans_of_others_stand_within_the_turn(
    spans: InMemorySpanExporter,
) -> None:
    mine = trace.get_tracer("mine")

    def answer(*_: object) -> str:
        with mine.start_as_current_span("the model's own"):
            return "I say what I think of it, and this is it."

    config: Any = {"callbacks": [Tracing()], "configurable": {"thread_id": "mine"}}
    with mine.start_as_current_span("around"):
        graph.invoke({"topic": "Tea?"}, config, context={"model": ScriptedChat(script=answer), "max_turns": 2})
        mine.start_span("afterwards").end()
    lines = list_spans(spans)
    assert lines[:2] == ["around", "  invoke_workflow debate"]
    assert lines[-1] == "  afterwards"
    at = lines.index("      invoke_agent PRO")
    assert sorted(lines[at + 1 : at + 3]) == ["        chat ScriptedChat", "        the model's own"]


def test_the_names_are_those_of_the_version_that_is_named(spans: InMemorySpanExporter) -> None:
    document("debate", "Tea?", "--max-turns", "2", "--model", "rehearsal")
    known = {value for key, value in vars(gen_ai_attributes).items() if key.startswith("GEN_AI_")}
    used = {
        key
        for finished_span in spans.get_finished_spans()
        for key in finished_span.attributes or {}
        if key.startswith("gen_ai.")
    }
    assert used <= known
    assert Schemas.V1_41_0.value == SCHEMA_URL
    assert {
        finished_span.instrumentation_scope.schema_url
        for finished_span in spans.get_finished_spans()
        if finished_span.instrumentation_scope
    } == {SCHEMA_URL}


def test_asked_for_without_its_package_or_by_another_word_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOOT_TRACING", "yes")
    assert "MOOT_TRACING = 'yes': write on or off" in moot(*SHORT, "--model", "rehearsal").stderr
    monkeypatch.setenv("MOOT_TRACING", "on")
    monkeypatch.setattr("moot.app.tools.tracing.find_spec", lambda name: None)
    output = moot(*SHORT, "--model", "rehearsal")
    assert output.exit_code == 2
    assert 'pip install "moot[otel]"' in output.stderr
