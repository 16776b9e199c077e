"""The LangGraph server driven with its SDK: forms, threads, runs, state, history, forks; offline and without a key."""

from collections.abc import Iterator
from typing import Any

import pytest
from fakeserver import FakeServer, Fault
from langgraph_sdk import get_sync_client
from servers.langgraph import CONFIG, Client, Server

TOPIC = {"topic": "Should cities ban cars?"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("server"))
    try:
        running.wait_until_ready()
        yield running
    finally:
        running.process.terminate()
        running.process.wait(20)
    log = running.log.read_text()
    assert "Blocking call" not in log
    assert "BlockingError" not in log
    assert "Deserializing unregistered type" not in log


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    with get_sync_client(url=server.url) as client:
        yield client


def knobs(model: FakeServer, **given: Any) -> Any:
    return {
        "model": f"any@{model.url}",
        "max_turns": 3,
        "dynamic_termination": False,
        "retry_delays": [0],
        "seed": 1,
        **given,
    }


@pytest.mark.long
def test_all_protocols_are_served_with_their_descriptions(client: Client) -> None:
    served = {one["graph_id"] for one in client.assistants.search(limit=100)}
    assert served == set(CONFIG["graphs"])
    assert all(graph["description"] for graph in CONFIG["graphs"].values())


def schemas(client: Client, name: str) -> Any:
    (one,) = client.assistants.search(graph_id=name)
    return client.assistants.get_schemas(one["assistant_id"])


def fields(schema: Any) -> Iterator[tuple[str, Any]]:
    for form in [schema, *schema.get("$defs", {}).values()]:
        yield from form.get("properties", {}).items()


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(CONFIG["graphs"]))
def test_forms_are_complete_with_titles_descriptions_bounds_and_defaults(name: str, client: Client) -> None:
    found = schemas(client, name)
    for part in ("input_schema", "context_schema"):
        for key, field in fields(found[part]):
            assert "description" in field or "$ref" in field, f"{name} {part} {key} says nothing"
            assert "title" in field or "$ref" in field or "anyOf" in field or "allOf" in field, f"{key} has no title"
            for kind in [field, *field.get("anyOf", [])]:
                numeric = kind.get("type") in ("integer", "number") and not {"const", "enum"} & set(kind)
                assert not numeric or any(bound in kind for bound in ("minimum", "exclusiveMinimum")), (
                    f"{key}: no bound"
                )
    settings = found["context_schema"]["properties"]
    lacking = {key for key, knob in settings.items() if "$ref" not in knob and "default" not in knob}
    idle = {
        key
        for key, knob in settings.items()
        if "$ref" not in knob and knob.get("description", "").startswith("Does nothing: ")
    }
    twice = {key for key, knob in settings.items() if "Short form of the setting in" in knob.get("description", "")}
    lacking -= {"models", "packages", "agent_context", "tools", "tool_definitions", "mcp_servers"}
    assert lacking == idle | twice, "a form sends none of what does nothing here or stands elsewhere, too"
    assert found["output_schema"]["properties"]
    assert not found["context_schema"].get("required")


def test_the_debate_s_form_asks_for_a_topic_and_offers_every_knob(client: Client) -> None:
    found = schemas(client, "debate")
    assert found["input_schema"]["required"] == ["topic"]
    assert found["input_schema"]["properties"]["topic"]["maxLength"] == 4000
    settings = found["context_schema"]["properties"]
    assert (settings["max_turns"]["minimum"], settings["max_turns"]["maximum"], settings["max_turns"]["default"]) == (
        2,
        20,
        10,
    )
    assert settings["stop_rule"]["enum"] == ["asked", "lexical", "judge", "declared", "calibrated"]
    assert settings["dynamic_termination"]["default"] is True


@pytest.mark.long
def test_statements_stream_with_the_speaker_s_name(client: Client) -> None:
    thread = client.threads.create()["thread_id"]
    heard: dict[str, str] = {}
    with FakeServer() as model:
        for part in client.runs.stream(
            thread, "debate", input=TOPIC, context=knobs(model), stream_mode=["messages-tuple", "updates"]
        ):
            if part.event == "messages":
                chunk, element = part.data
                heard[element["speaker"]] = heard.get(element["speaker"], "") + chunk["content"]
        assert all(request.stream for request in model.chats)
    state = client.threads.get_state(thread)
    said = {statement["speaker"]: statement["content"] for statement in state["values"]["history"]}
    assert set(heard) == {"PRO", "CON", "synthesizer"}
    assert heard["CON"] == said["CON"]
    assert heard["synthesizer"].strip() == state["values"]["synthesis"]
    assert state["next"] == []
    assert state["values"]["outcome"]["reason"] == "max_turns_reached"


@pytest.mark.long
def test_a_stopped_run_is_resumed_where_it_stopped_and_may_be_forked(client: Client) -> None:
    thread = client.threads.create()["thread_id"]
    with FakeServer(faults={3: Fault.status(401)}) as model:
        context = knobs(model)
        with pytest.raises(Exception, match="Incorrect API key"):
            client.runs.wait(thread, "debate", input=TOPIC, context=context)
        assert [statement["turn"] for statement in client.threads.get_state(thread)["values"]["history"]] == [1, 2]
        with pytest.raises(Exception, match="already holds a deliberation"):
            client.runs.wait(thread, "debate", input={"topic": "Another motion"}, context=context)
        ended = client.runs.wait(thread, "debate", input=None, context=context)
        assert len(model.chats) == 5
        assert [statement["turn"] for statement in ended["history"]] == [1, 2, 3]

        point = next(
            statement for statement in client.threads.get_history(thread, limit=50) if statement["values"]["turn"] == 1
        )
        cast = point["values"]["participants"]
        cast[1]["persona"] = "A changed mind."
        fork = client.threads.update_state(thread, {"participants": cast}, checkpoint=point["checkpoint"])
        forked = client.runs.wait(thread, "debate", input=None, context=context, checkpoint=fork["checkpoint"])
        assert [statement["turn"] for statement in forked["history"]] == [1, 2, 3]
        assert "A changed mind." in model.chats[5].human
        assert forked["history"][0] == ended["history"][0]


@pytest.mark.long
def test_a_person_s_statement_is_put_into_the_state_as_plain_values(client: Client) -> None:
    thread = client.threads.create()["thread_id"]
    with FakeServer(faults={2: Fault.status(401)}) as model:
        with pytest.raises(Exception, match="Incorrect API key"):
            client.runs.wait(thread, "debate", input=TOPIC, context=knobs(model))
        told = {"turn": 2, "round": 1, "speaker": "CON", "content": "Words from outside."}
        client.threads.update_state(thread, {"history": [told], "turn": 2, "floor": []}, as_node="speak")
        ended = client.runs.wait(thread, "debate", input=None, context=knobs(model))
        assert len(model.seen("Words from outside.")) == 2
    assert [statement["content"] for statement in ended["history"]][1] == "Words from outside."


@pytest.mark.long
def test_a_preset_keeps_its_knobs(client: Client) -> None:
    with FakeServer() as model:
        preset = client.assistants.create("debate", context=knobs(model, max_turns=2), name="two turns")
        ended: Any = client.runs.wait(None, preset["assistant_id"], input=TOPIC)
    assert len(ended["history"]) == 2


@pytest.mark.long
@pytest.mark.parametrize(
    ("given", "context", "words"),
    [
        ({"topic": " "}, {}, "topic = ' '"),
        (TOPIC, {"max_turns": 99}, "max_turns"),
        (TOPIC, {"profile": "x"}, "choose one of"),
    ],
)
def test_bad_input_is_an_error_that_names_it(given: Any, context: Any, words: str, client: Client) -> None:
    with FakeServer() as model:
        with pytest.raises(Exception, match=words):
            client.runs.wait(None, "debate", input=given, context=knobs(model, **context))
        assert not model.chats


@pytest.mark.long
def test_it_runs_the_rehearsal_without_any_model(client: Client) -> None:
    ended: Any = client.runs.wait(
        None, "debate", input=TOPIC, context={"model": "rehearsal", "max_turns": 2, "seed": 1}
    )
    assert ended["outcome"]["rehearsal"]
    assert len(ended["history"]) == 2
