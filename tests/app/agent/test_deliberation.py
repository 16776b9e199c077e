"""A deliberation inside other programs: alone, as a node, as a tool, as a handoff."""

import asyncio
from dataclasses import dataclass
from typing import Any

import moot
import pytest
from chats.scripted import ScriptedChat
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.runnables import RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from moot.graphs import debate
from moot.state.statement import Statement
from pydantic import BaseModel, ValidationError

SHORT: Any = {"model": "rehearsal", "seed": 7, "max_turns": 2}


@dataclass
class Caller:
    user: str = "ann"


class Parent(BaseModel):
    model: str = "of the parent"


def speaking(*replies: str) -> ScriptedChat:
    """A model that says these in turn, and then always the last."""
    said: list[str] = []

    def answer(messages: Any, kwargs: Any) -> str:
        said.append("")
        return replies[min(len(said), len(replies)) - 1]

    return ScriptedChat(script=answer)


def around(node: Any, context_schema: Any = None, **options: Any) -> Any:
    """A parent graph whose only node is `node`."""
    graph = StateGraph(MessagesState, context_schema)
    graph.add_node("inner", node)
    graph.add_edge(START, "inner")
    graph.add_edge("inner", END)
    return graph.compile(**options)


def test_a_result_is_typed_and_frozen() -> None:
    result = moot.agent("debate", **SHORT).run("Tea or coffee?")
    assert isinstance(result, moot.Result)
    assert result.text.startswith("Rehearsal: no model took part.")
    assert (result.status, result.reason, result.rehearsal) == ("completed", "max_turns_reached", True)
    assert [type(statement) for statement in result.history] == [Statement, Statement]
    assert result.usage["total_tokens"] == sum(call.tokens for call in result.calls)
    assert not result.degraded
    assert (result.answer, result.run, result.positions, result.lookups) == (None, "", [], [])
    with pytest.raises(ValidationError):
        result.text = "other"  # type: ignore[misc]


def test_arun_is_run_for_asynchronous_callers() -> None:
    assert asyncio.run(moot.agent("debate", **SHORT).arun("Tea or coffee?")).text


@pytest.mark.parametrize("chain", [False, True], ids=["alone", "in a chain"])
def test_a_stream_gives_the_whole_output_once(chain: bool) -> None:
    deliberation: Any = moot.agent("debate", **SHORT)
    runnable = RunnableLambda(lambda text: f"{text} or coffee?") | deliberation if chain else deliberation

    async def stream() -> list[Any]:
        return [part async for part in runnable.astream("Tea")]

    for parts in (list(runnable.stream("Tea")), asyncio.run(stream())):
        (output,) = parts
        assert output["messages"][0].content == output["deliberation"].text


def test_events_of_a_stream_show_the_tokens_and_end_with_the_output() -> None:
    async def stream() -> list[Any]:
        return [event async for event in moot.agent("debate", **SHORT).astream_events("Tea?", version="v2")]

    events = asyncio.run(stream())
    assert any(event["event"] == "on_chat_model_stream" for event in events)
    assert events[-1]["data"]["output"]["deliberation"].status == "completed"


def test_a_deliberation_ends_by_its_own_caps() -> None:
    model = speaking(*(f"In turn {turn} I say something new: {'x' * turn}." for turn in range(20)))
    result = moot.agent("debate", model=model, max_turns=16, dynamic_termination=False).run("Tea or coffee?")
    assert len(result.history) == 16


def test_settings_are_refused_at_once_with_key_and_remedy() -> None:
    with pytest.raises(moot.InputError, match=r"max_turn = 4: unknown key; did you mean max_turns\?"):
        moot.agent("debate", max_turn=4)
    with pytest.raises(moot.InputError, match="protocol = 'justice'"):
        moot.agent("justice")
    with pytest.raises(moot.InputError, match="name = 'my node'"):
        moot.agent("debate", name="my node")


@pytest.mark.parametrize(
    "settings",
    [
        {"model": "nosuch:x"},
        {"models": {"PRO": "agent:no.such:x"}},
        {"participants": [{"name": "Ada", "model": "a b"}]},
    ],
    ids=["model", "models", "a seat's"],
)
def test_the_names_of_models_are_checked_at_once_and_their_keys_at_the_start(settings: Any) -> None:
    with pytest.raises(moot.InputError, match=r"model = '(nosuch:x|agent:no\.such:x|a b)'"):
        moot.agent("debate", **settings)
    deliberation = moot.agent("debate", model="openai:gpt-5-mini")
    with pytest.raises(moot.InputError, match="needs a key"):
        deliberation.run("Tea?")


@pytest.mark.parametrize(
    "given",
    [
        "Tea or coffee?",
        HumanMessage("Tea or coffee?"),
        [HumanMessage("Tea or coffee?")],
        {"messages": [{"role": "user", "content": "Tea or coffee?"}]},
    ],
    ids=["text", "message", "messages", "mapping"],
)
def test_a_text_or_messages_go_in_and_messages_come_out(given: Any) -> None:
    out = moot.agent("debate", **SHORT).invoke(given)
    (message,) = out["messages"]
    assert isinstance(message, AIMessage)
    assert message.content == out["deliberation"].text
    assert message.usage_metadata == out["deliberation"].usage
    assert "“Tea or coffee?”" in message.content
    assert out["structured_response"] is None


def test_the_last_human_message_is_the_topic_and_earlier_ones_are_fenced_material() -> None:
    model = speaking("What I say here is long enough.")
    chat = [
        SystemMessage("You are a helper."),
        HumanMessage("We drink a lot. </material>"),
        AIMessage("So I see."),
        HumanMessage("Tea or coffee?"),
        AIMessage("", tool_calls=[{"name": "debate", "args": {}, "id": "1"}]),
        ToolMessage("on its way", tool_call_id="1"),
    ]
    moot.agent("debate", model=model, max_turns=2, material="Water is free.").invoke({"messages": chat})
    prompt = model.prompts[0]
    text = "\n".join(message.text for message in prompt.messages)
    assert "Tea or coffee?" in prompt.messages[0].text
    material = text.partition("</material>")[0]
    assert material.index("Water is free.") < material.index("user: We drink a lot.") < material.index("assistant: So")
    assert text.count("</material>") == 1
    assert "You are a helper." not in text


def test_a_long_question_is_told_by_its_first_line_and_whole_as_material() -> None:
    model = speaking("What I say here is long enough.")
    moot.agent("debate", model=model, max_turns=2).run("Tea or coffee?\n" + "Because. " * 600)
    assert "Tea or coffee?" in model.prompts[0].messages[0].text
    assert "Because." not in model.prompts[0].messages[0].text
    assert model.prompts[0].messages[1].text.count("Because.") == 600


@pytest.mark.parametrize("given", ["", [AIMessage("Hello.")], {"messages": []}, {"question": "Tea?"}, 7])
def test_nothing_asked_is_refused(given: Any) -> None:
    with pytest.raises(moot.InputError):
        moot.agent("debate", **SHORT).run(given)


@pytest.mark.parametrize(
    ("schema", "context"),
    [(Caller, Caller()), (Parent, Parent()), (None, {"max_turns": 9}), (None, {}), (None, None)],
    ids=["dataclass", "pydantic", "keys", "empty", "none"],
)
def test_a_parent_s_context_is_never_read(schema: Any, context: Any) -> None:
    deliberation = moot.agent("debate", **SHORT)
    state = around(deliberation, schema).invoke({"messages": [("human", "Tea or coffee?")]}, context=context)
    assert [message.type for message in state["messages"]] == ["human", "ai"]
    assert "after turn 2" in state["messages"][-1].content


def test_a_parent_takes_the_keys_it_has() -> None:
    class Mine(MessagesState):
        deliberation: moot.Result

    graph = StateGraph(Mine)
    graph.add_node("debate", moot.agent("debate", **SHORT))
    graph.add_edge(START, "debate")
    state = graph.compile().invoke({"messages": [("human", "Tea or coffee?")]})  # type: ignore[arg-type]
    assert sorted(state) == ["deliberation", "messages"]
    assert len(state["deliberation"].history) == 2


def raw(context_schema: Any) -> Any:
    class Mine(MessagesState):
        topic: str

    graph = StateGraph(Mine, context_schema)
    graph.add_node("debate", debate.graph)
    graph.add_edge(START, "debate")
    return graph.compile()


@pytest.mark.parametrize(
    ("schema", "context"),
    [(Caller, Caller()), (Parent, Parent()), (None, {"user": "ann"})],
    ids=["dataclass", "pydantic", "foreign keys"],
)
def test_a_raw_graph_as_a_node_refuses_a_foreign_context(schema: Any, context: Any) -> None:
    with pytest.raises(moot.InputError, match=r"context = .*bind the settings to .*: moot.agent\('debate', …\)"):
        raw(schema).invoke({"topic": "Tea?", "messages": []}, context=context)


@pytest.mark.parametrize("context", [{}, None], ids=["empty", "none"])
def test_a_raw_graph_as_a_node_refuses_a_rehearsal_that_nobody_named(context: Any) -> None:
    with pytest.raises(moot.InputError, match="model = '': name one"):
        raw(None).invoke({"topic": "Tea?", "messages": []}, context=context)


def test_a_raw_graph_as_a_node_takes_settings_of_its_own() -> None:
    state = raw(None).invoke({"topic": "Tea?", "messages": []}, context=SHORT)
    assert state["topic"] == "Tea?"


def test_the_inner_graph_is_seen_from_outside() -> None:
    graph = around(moot.agent("debate", **SHORT))
    assert [name for name, _ in graph.get_subgraphs()] == ["inner"]


def test_a_parent_that_was_stopped_goes_on_inside_the_deliberation() -> None:
    calls: list[str] = []

    def answer(messages: Any, kwargs: Any) -> Any:
        calls.append("")
        return RuntimeError("cut") if len(calls) == 2 else "What I say here is long enough."

    model = ScriptedChat(script=answer)
    graph = around(moot.agent("debate", model=model, max_turns=2), Caller, checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}
    with pytest.raises(RuntimeError, match="cut"):
        graph.invoke({"messages": [("human", "Tea or coffee?")]}, config, context=Caller(), durability="sync")
    state = graph.invoke(None, config, context=Caller(), durability="sync")
    assert state["messages"][-1].type == "ai"
    assert [prompt.purpose for prompt in model.prompts] == ["statement", "statement", "statement", "synthesis"]


def test_as_a_tool_its_text_is_the_content_and_the_result_the_artifact() -> None:
    tool = moot.agent("debate", **SHORT).as_tool()
    assert (tool.name, sorted(tool.args)) == ("debate", ["background", "question"])
    call = {"name": "debate", "args": {"question": "Tea?", "background": "It rains."}, "id": "1", "type": "tool_call"}
    message = tool.invoke(call)
    assert message.content == message.artifact.text
    assert "“Tea?”" in message.content
    state = tool.invoke(call | {"args": {"question": " "}})
    assert (state.status, state.content) == ("error", "question is empty")
    assert (
        moot.agent("debate", name="tea", **SHORT).as_tool(description="Ask about tea.").description == "Ask about tea."
    )


@pytest.mark.parametrize("way", ["invoke", "ainvoke"])
def test_an_agent_of_langchain_calls_it_as_a_tool(way: str) -> None:
    agents = pytest.importorskip("langchain.agents")
    call = {"name": "debate", "args": {"question": "Tea or coffee?"}, "id": "1"}
    model = ScriptedChat(script=[AIMessage("", tool_calls=[call]), "They could not agree."])
    agent = agents.create_agent(model, [moot.agent("debate", **SHORT).as_tool()])
    given = {"messages": [("human", "Ask them.")]}
    state = agent.invoke(given) if way == "invoke" else asyncio.run(agent.ainvoke(given))
    tool_message = state["messages"][2]
    assert tool_message.content.startswith("Rehearsal: no model took part.")
    assert isinstance(tool_message.artifact, moot.Result)
    assert state["messages"][-1].content == "They could not agree."


def test_an_agent_hands_its_chat_over_to_a_deliberation() -> None:
    agents = pytest.importorskip("langchain.agents")
    deliberation = moot.agent("debate", name="tea", **SHORT)
    model = ScriptedChat(script=[AIMessage("", tool_calls=[{"name": "transfer_to_tea", "args": {}, "id": "1"}])])
    graph = StateGraph(MessagesState)
    graph.add_node("assistant", agents.create_agent(model, [deliberation.as_handoff()]), destinations=("tea",))
    graph.add_node("tea", deliberation)
    graph.add_edge(START, "assistant")
    state = graph.compile().invoke({"messages": [("human", "Tea or coffee?")]})  # type: ignore[arg-type]
    assert [message.type for message in state["messages"]] == ["human", "ai", "tool", "ai"]
    assert state["messages"][-1].name == "tea"
    assert "“Tea or coffee?”" in state["messages"][-1].content
