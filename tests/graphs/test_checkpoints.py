"""Checkpoints: nothing paid for is lost, nothing is asked twice, and what comes back is what was stored."""

import asyncio
import importlib
import json
import operator
import os
import signal
import sqlite3
import subprocess
import sys
import typing
from pathlib import Path
from typing import Any

import pytest
from deliberations.debate import Debaters, hold, line, turn_of
from fakeserver import FakeServer, Fault
from filled import filled, kinds_in
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import START, MessagesState, StateGraph
from moot.app.saved import open_database
from moot.graphs import debate
from moot.models.chat_model import close_models
from moot.models.failures import RunStoppedError
from moot.state.statement import Statement
from places import ROOT
from pydantic import BaseModel
from runs.looking_up import list_namespaces
from sampling import sample_cases

TOPIC = {"topic": "Should cities ban cars?"}
RUN: Any = {"configurable": {"thread_id": "t"}}
GRAPHS = sorted(json.loads((ROOT / "langgraph.json").read_text())["graphs"].items())


def knobs(server: FakeServer, **given: Any) -> Any:
    return {
        "model": f"any@{server.url}",
        "max_turns": 4,
        "dynamic_termination": False,
        "retry_delays": [0],
        "seed": 1,
        **given,
    }


def texts(ended: Any) -> list[str]:
    return [statement.content for statement in ended["history"]]


def undisturbed() -> list[str]:
    """The debate that comes of a server whose replies follow from the prompt alone."""
    with FakeServer() as server:
        return texts(debate.graph.invoke(TOPIC, context=knobs(server)))


def stopped_at(server: FakeServer, call: int) -> None:
    server.faults = {call: Fault.status(401)}


@pytest.mark.parametrize("call", range(1, 6))
def test_a_stopped_run_goes_on_exactly_where_it_stopped_sync(call: int, tmp_path: Path) -> None:
    with FakeServer() as server:
        stopped_at(server, call)
        with SqliteSaver.from_conn_string(str(tmp_path / "db")) as saver:
            graph = debate.build().compile(checkpointer=saver)
            with pytest.raises(RunStoppedError):
                graph.invoke(TOPIC, RUN, context=knobs(server))
        with SqliteSaver.from_conn_string(str(tmp_path / "db")) as saver:
            state = debate.build().compile(checkpointer=saver).invoke(None, RUN, context=knobs(server))
        assert len(server.chats) == 5 + 1, "only the unfinished call is made again"
    assert texts(state) == undisturbed()
    assert len(state["calls"]) == 5


def test_a_stopped_run_goes_on_exactly_where_it_stopped_async(tmp_path: Path) -> None:
    async def run(server: FakeServer, given: Any) -> Any:
        async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "db")) as saver:
            graph = debate.build().compile(checkpointer=saver)
            state = await graph.ainvoke(given, RUN, context=knobs(server))
            await close_models()
            return state

    with FakeServer() as server:
        stopped_at(server, 3)
        with pytest.raises(RunStoppedError):
            asyncio.run(run(server, TOPIC))
        fake_server = asyncio.run(run(server, None))
        assert len(server.chats) == 6
    assert texts(fake_server) == undisturbed()


CHILD = """
import json, sys
from langgraph.checkpoint.sqlite import SqliteSaver
from moot.graphs import debate
with SqliteSaver.from_conn_string(sys.argv[1]) as saver:
    graph = debate.build().compile(checkpointer=saver)
    given, run, knobs = map(json.loads, sys.argv[2:])
    graph.invoke(given, run, context=knobs, durability="sync")
"""


@pytest.mark.parametrize("call", sample_cases([1, 2, 3, 5], kinds=0))
def test_a_killed_process_loses_the_call_under_way_and_nothing_else(call: int, tmp_path: Path) -> None:
    with FakeServer(faults={call: Fault.hang()}) as server:
        contents = [json.dumps(one) for one in (TOPIC, RUN, knobs(server))]
        command = [sys.executable, "-c", CHILD, str(tmp_path / "db"), *contents]
        with subprocess.Popen(command, env=os.environ | {"LANGGRAPH_STRICT_MSGPACK": "true"}) as child:
            server.wait_for(call, within=60)
            child.send_signal(signal.SIGKILL)
        with SqliteSaver.from_conn_string(str(tmp_path / "db")) as saver:
            state = debate.build().compile(checkpointer=saver).invoke(None, RUN, context=knobs(server))
        assert len(server.chats) == 6
    assert texts(state) == undisturbed()


def test_what_comes_back_has_the_types_that_were_stored(tmp_path: Path) -> None:
    with SqliteSaver.from_conn_string(str(tmp_path / "db")) as saver:
        graph = debate.build().compile(checkpointer=saver)
        model = Debaters(script=lambda prompt: None)
        graph.invoke(TOPIC, RUN, context={"model": model, "max_turns": 4, "dynamic_termination": False})
        before = graph.get_state(RUN).values
    with SqliteSaver.from_conn_string(str(tmp_path / "db")) as saver:
        after = debate.build().compile(checkpointer=saver).get_state(RUN).values
    assert after == before
    assert [type(statement) for statement in after["history"]] == [Statement] * 4
    assert type(after["settings"]) is type(before["settings"])
    assert after["settings"].model == "object:Debaters"


@pytest.mark.long
@pytest.mark.parametrize(("name", "graph"), GRAPHS, ids=[name for name, _ in GRAPHS])
def test_every_stored_type_of_every_protocol_survives_a_strict_checkpoint(name: str, graph: Any) -> None:
    module, _, attribute = (graph if isinstance(graph, str) else graph["path"]).partition(":")
    compiled = getattr(importlib.import_module(module), attribute)
    saver = importlib.import_module(module).build().compile(checkpointer=InMemorySaver()).checkpointer
    hints = typing.get_type_hints(compiled.builder.state_schema)
    stored = {kind for hint in [*hints.values(), compiled.builder.context_schema] for kind in kinds_in(hint)}
    assert len(stored) > 5
    for kind in sorted(stored, key=lambda one: one.__name__):
        value = filled(kind)
        back = saver.serde.loads_typed(saver.serde.dumps_typed(value))
        assert type(back) is kind, f"{kind.__name__} comes back as {type(back).__name__}"
        assert back == value
        assert isinstance(back, BaseModel)


@pytest.mark.parametrize("copied", ["with_config", "copy"])
def test_a_copied_graph_loses_its_allow_list_and_still_resumes(copied: str, tmp_path: Path) -> None:
    with FakeServer() as server, SqliteSaver.from_conn_string(str(tmp_path / "db")) as saver:
        stopped_at(server, 3)
        graph = debate.build().compile(checkpointer=saver)
        graph = graph.with_config(recursion_limit=99) if copied == "with_config" else graph.copy()
        with pytest.raises(RunStoppedError):
            graph.invoke(TOPIC, RUN, context=knobs(server))
        state = graph.invoke(None, RUN, context=knobs(server))
        assert len(server.chats) == 6
    assert texts(state) == undisturbed()
    assert all(isinstance(statement, Statement) for statement in state["history"])


def held_once(saver: Any) -> tuple[Any, Debaters, Any]:
    model = Debaters(script=lambda prompt: None)
    graph = debate.build().compile(checkpointer=saver)
    context = {"model": model, "max_turns": 4, "dynamic_termination": False, "seed": 1}
    graph.invoke(TOPIC, RUN, context=context)
    return graph, model, context


def after_turn(graph: Any, turn: int) -> Any:
    return next(
        statement
        for statement in graph.get_state_history(RUN)
        if statement.values["turn"] == turn and statement.next == ("speak",)
    )


def test_every_checkpoint_of_the_history_holds_exactly_what_was_said_by_then() -> None:
    graph, _, _ = held_once(InMemorySaver())
    seen = [
        (statement.values.get("turn", 0), len(statement.values["history"]))
        for statement in graph.get_state_history(RUN)
    ]
    assert all(turn == said for turn, said in seen)
    assert max(seen) == (4, 4)


def test_a_fork_goes_on_from_its_turn_with_what_was_changed_and_leaves_the_original_whole() -> None:
    with sqlite3.connect(":memory:", check_same_thread=False) as connection:
        graph, model, context = held_once(SqliteSaver(connection))
        before = graph.get_state(RUN)
        point = after_turn(graph, 3)
        cast = [participant.model_dump() for participant in point.values["participants"]]
        cast[1]["persona"] = "A changed mind."
        rules = point.values["settings"].model_dump() | {"max_turns": 6}
        fork = graph.update_state(point.config, {"participants": cast, "settings": rules})
        state = graph.invoke(None, fork, context=context)
        assert [statement.turn for statement in state["history"]] == [1, 2, 3, 4, 5, 6]
        assert "A changed mind." in next(prompt for prompt in model.prompts[5:] if turn_of(prompt) == 4).private
        assert graph.get_state(before.config).values["history"] == before.values["history"]
    connection.close()


def test_a_changed_topic_or_rule_holds_from_its_checkpoint_on_and_nothing_else_changes() -> None:
    graph, model, context = held_once(InMemorySaver())
    point, prompt_count = after_turn(graph, 2), len(model.prompts)
    rules = point.values["settings"].model_dump() | {"max_turns": 3}
    fork = graph.update_state(point.config, {"topic": "Should cities ban scooters?", "settings": rules})
    state = graph.invoke(None, fork, context={**context, "max_turns": 9})
    assert texts(state) == [line(1), line(2), line(3)], "what was said stays, and the changed rule holds"
    assert all("Should cities ban scooters?" in prompt.shared for prompt in model.prompts[prompt_count:])
    assert not any(TOPIC["topic"] in prompt.shared for prompt in model.prompts[prompt_count:])


def test_changed_material_holds_from_its_checkpoint_on() -> None:
    graph, model, context = held_once(InMemorySaver())
    point, prompt_count = after_turn(graph, 2), len(model.prompts)
    graph.invoke(None, graph.update_state(point.config, {"material": "Scooters need no fuel."}), context=context)
    assert len(model.prompts) > prompt_count
    assert all("Scooters need no fuel." in prompt.shared for prompt in model.prompts[prompt_count:])


def test_a_statement_may_be_put_into_another_s_mouth_in_a_fork() -> None:
    graph, model, context = held_once(InMemorySaver())
    point = after_turn(graph, 1)
    told = {"turn": 2, "round": 1, "speaker": "CON", "content": "Words from outside."}
    fork = graph.update_state(point.config, {"history": [told], "turn": 2, "floor": []}, as_node="speak")
    state = graph.invoke(None, fork, context=context)
    assert texts(state) == [line(1), "Words from outside.", line(3), line(4)]
    assert any("Words from outside." in prompt.text for prompt in model.prompts)


def test_a_run_begun_with_a_model_object_says_so_when_it_is_resumed_without() -> None:
    graph = debate.build().compile(checkpointer=InMemorySaver(), interrupt_after=["order"])
    model = Debaters(script=lambda prompt: None)
    graph.invoke(TOPIC, RUN, context={"model": model, "max_turns": 2})
    with pytest.raises(RunStoppedError, match="started with a model object, which Moot does not store; pass it again"):
        graph.invoke(None, RUN, context={"max_turns": 2})
    assert model.prompts == []


def test_the_rules_of_the_beginning_hold_whatever_a_resume_brings() -> None:
    graph = debate.build().compile(checkpointer=InMemorySaver(), interrupt_after=["order"])
    model = Debaters(script=lambda prompt: None)
    graph.invoke(TOPIC, RUN, context={"model": model, "max_turns": 2})
    while graph.get_state(RUN).next:
        state = graph.invoke(None, RUN, context={"model": model, "max_turns": 20, "language": "zh"})
    assert len(state["history"]) == 2
    assert state["settings"].language == "en"


def test_a_debate_leaves_few_bytes_per_turn(tmp_path: Path) -> None:
    def size(turns: int) -> int:
        path = tmp_path / f"{turns}.db"
        with SqliteSaver.from_conn_string(str(path)) as saver:
            graph = debate.build().compile(checkpointer=saver)
            context: Any = {
                "model": Debaters(script=lambda prompt: None),
                "max_turns": turns,
                "dynamic_termination": False,
            }
            graph.invoke(TOPIC, RUN, context=context)
            saver.conn.execute("pragma wal_checkpoint(truncate)")
        return path.stat().st_size

    assert (size(20) - size(10)) / 10 < 20_000
    assert hold(max_turns=2)[0]["history"]


LOOSE = """
import sqlite3
from langgraph.checkpoint.sqlite import SqliteSaver
from moot.graphs import debate
graph = debate.build().compile(checkpointer=SqliteSaver(sqlite3.connect("own.db", check_same_thread=False)))
config, context = {"configurable": {"thread_id": "t"}}, {"model": "rehearsal", "seed": 7, "max_turns": 4}
graph.invoke({"topic": "Tea?"}, config, context=context, interrupt_after=["order"])
ended = graph.invoke(None, config, context=context)
assert type(ended["history"][0]).__name__ == "Statement", ended["history"]
assert graph.get_state(config).values["outcome"] == ended["outcome"]
"""


@pytest.mark.long
def test_langgraph_s_own_saver_loads_a_run_without_the_strict_mode_too(tmp_path: Path) -> None:
    loose = {name: value for name, value in os.environ.items() if name != "LANGGRAPH_STRICT_MSGPACK"}
    process = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", LOOSE],
        cwd=tmp_path,
        env=loose,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr


SMALL: dict[str, tuple[Any, Any]] = {
    "debate": (TOPIC, {"max_turns": 4}),
    "consensus": (TOPIC | {"participants": ["Ada", "Ben", "Cleo"]}, {"max_rounds": 2}),
    "discussion": (TOPIC | {"participants": ["Ada", "Ben", "Cleo"]}, {"max_turns": 4}),
    "panel": ({"query": "Cars?", "papers": [{"title": "Cars", "abstract": "Cars are loud."}]}, {"language": "en"}),
    "justice": ({}, {"participants": ["Ada", "Ben", "Cleo"], "discussion": {"max_rounds": 1}}),
}
TIGHT = {"memory_max_chars": 300, "compression_threshold": 0.9, "compression_target": 0.5}


@pytest.mark.long
@pytest.mark.parametrize("name", SMALL)
def test_a_saver_that_is_told_of_no_type_loads_a_whole_run_and_has_nothing_to_say(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    given, settings = SMALL[name]
    tight = {} if name == "justice" else {"memory": TIGHT}
    graph = importlib.import_module(f"moot.graphs.{name}").build().compile(checkpointer=InMemorySaver())
    state = graph.invoke(given, RUN, context={"model": "rehearsal", "seed": 5} | settings | tight)
    assert {key: graph.get_state(RUN).values[key] for key in state} == state
    assert list(graph.get_state_history(RUN))
    assert not caplog.records


def test_a_saved_step_leaves_no_checkpoint_of_its_look_ups_or_of_its_agent(tmp_path: Path) -> None:
    assert asyncio.run(list_namespaces(str(tmp_path / "moot.db"), tmp_path)) == {""}


def test_a_graph_with_a_memory_of_its_own_inside_an_agent_keeps_it_from_turn_to_turn(tmp_path: Path) -> None:
    class Counted(typing.TypedDict):
        count: typing.Annotated[int, operator.add]

    inner = StateGraph(Counted)
    inner.add_node("add", lambda state: {"count": 1})
    inner.add_edge(START, "add")
    counter = inner.compile(checkpointer=True)

    async def count(state: MessagesState) -> dict[str, Any]:
        counted = await counter.ainvoke({"count": 0})
        return {"messages": [AIMessage(f"I have counted up to {counted['count']} by now.")]}

    agent = StateGraph(MessagesState)
    agent.add_node("count", count)
    agent.add_edge(START, "count")

    async def run() -> list[str]:
        async with open_database(str(tmp_path / "moot.db")) as store:
            settings: Any = {"model": "rehearsal", "models": {"PRO": agent.compile()}, "max_turns": 4}
            state = await store.get_graph("debate").ainvoke(TOPIC, RUN, context=settings, durability="sync")
            return [statement.content for statement in state["history"] if statement.speaker == "PRO"]

    assert asyncio.run(run()) == ["I have counted up to 1 by now.", "I have counted up to 2 by now."]
