"""Any agent in a seat: what it is told, what is taken, what it costs, and what is refused."""

import asyncio
import re
import sqlite3
from dataclasses import dataclass
from typing import Any

import httpx
import moot
import pytest
from chats.scripted import ScriptedChat
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import ToolException, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.pregel.remote import RemoteGraph
from langgraph.types import Command, interrupt
from langgraph_sdk.errors import APIStatusError
from moot.graphs import consensus, debate
from moot.models import agents as agents_module
from moot.models.agents import distrust_imports
from moot.models.failures import RunStoppedError, ServerOutageError
from moot.models.operator_policy import get_operator_policy
from pydantic import BaseModel

SETTINGS: Any = {"model": "rehearsal", "seed": 7, "max_turns": 2}
SAID = "What I found speaks plainly for it."
TOPIC = {"topic": "Ban cars?"}


@tool
def look_up(query: str) -> str:
    """Look something up."""
    return f"It says: {query}."


@tool
def ask_owner(query: str) -> str:
    """Ask whoever owns the run."""
    return f"Allowed: {interrupt({'may I': query})}."


def searching(reply: Any = SAID, uses: str = "look_up") -> ScriptedChat:
    """A model that uses a tool once, then replies."""

    def script(messages: list[BaseMessage], kwargs: Any) -> Any:
        if messages[-1].type == "human":
            return AIMessage("", tool_calls=[{"name": uses, "args": {"query": "rain"}, "id": "1"}])
        return reply(messages) if callable(reply) else reply

    return ScriptedChat(script=script)


def make_agent(model: ScriptedChat, *tools: Any, **options: Any) -> Any:
    agents = pytest.importorskip("langchain.agents")
    return agents.create_agent(model, [look_up, *tools], system_prompt="You look things up.", **options)


def graph_of(answer: Any, context_schema: Any = None, **options: Any) -> Any:
    """An agent of one node, by hand."""
    graph = StateGraph(MessagesState, context_schema)
    graph.add_node("answer", answer)
    graph.add_edge(START, "answer")
    graph.add_edge("answer", END)
    return graph.compile(**options)


def replying(text: str = SAID) -> Any:
    return graph_of(lambda state: {"messages": [AIMessage(text)]})


def run_agent(agent: Any, **settings: Any) -> moot.Result[Any]:
    """A debate in which the agent speaks first."""
    return moot.agent("debate", **SETTINGS, models={"PRO": agent}, **settings).run("Ban cars?")


def test_it_is_told_one_human_message_with_the_head_and_answers_after_its_tools() -> None:
    model = searching()
    result = run_agent(make_agent(model))
    system, human = model.prompts[0].messages
    assert system.text == "You look things up."
    assert (human.type, model.prompts[0].who) == ("human", "PRO")
    assert human.text.index("Motion: Ban cars?") < human.text.index("<task>")
    assert result.history[0].content == SAID
    assert result.incidents == []


def test_each_message_is_a_call_of_purpose_agent_with_its_tokens() -> None:
    model = searching()
    calls = [call for call in run_agent(make_agent(model)).calls if call.who == "PRO"]
    assert [(call.purpose, call.outcome, call.turn) for call in calls] == [("agent", "ok", 1)] * 2
    assert all(call.input_tokens and not call.lacks_usage for call in calls)
    assert {call.temperature_sent for call in calls} == {None}


def test_what_its_tools_said_is_on_record_as_look_ups_of_its_turn() -> None:
    (lookup,) = run_agent(make_agent(searching())).lookups
    assert (lookup.id, lookup.who, lookup.turn, lookup.purpose) == ("L1.1", "PRO", 1, "statement")
    assert (lookup.source, lookup.tool, lookup.arguments) == ("agent", "look_up", {"query": "rain"})
    assert (lookup.text, lookup.status, lookup.chars) == ("It says: rain.", "ok", 14)


def test_a_rejected_answer_leaves_its_look_ups_and_the_next_ones_count_on() -> None:
    @tool
    def read(query: str) -> str:
        """Read a page."""
        if query == "rain":
            raise ToolException("no such page")
        return "x" * 5000

    read.handle_tool_error = True
    replies = iter(["No.", SAID])

    def script(messages: list[BaseMessage], kwargs: Any) -> Any:
        if messages[-1].type == "human":
            query = "sun" if "<again>" in messages[-1].text else "rain"
            return AIMessage("", tool_calls=[{"name": "read", "args": {"query": query}, "id": "1"}])
        return next(replies)

    result = run_agent(make_agent(ScriptedChat(script=script), read), retry_delays=[0], lookups={"chars": 200})
    assert result.history[0].content == SAID
    assert [(lookup.id, lookup.status, lookup.chars) for lookup in result.lookups] == [
        ("L1.1", "error", 12),
        ("L1.2", "ok", 5000),
    ]
    assert len(result.lookups[1].text) < 220


@pytest.mark.parametrize(
    "agent",
    [
        replying(),
        replying().with_config(tags=["mine"]),
        RunnableLambda(lambda messages: AIMessage(SAID)),
        RunnableLambda(lambda messages: SAID),
        lambda messages: SAID,
        lambda: replying(),
        moot.agent("debate", model=ScriptedChat(script=lambda *_: SAID), max_turns=2),
    ],
    ids=["graph", "bound graph", "runnable", "text", "function", "factory", "deliberation"],
)
def test_a_graph_a_runnable_a_function_and_a_deliberation_hold_a_seat(agent: Any) -> None:
    result = run_agent(agent)
    assert result.history[0].content == SAID
    assert {call.purpose for call in result.calls if call.who == "PRO"} == {"agent"}


def test_agents_with_tools_hold_every_seat_of_a_consensus_with_a_vote() -> None:
    def reply(messages: list[BaseMessage]) -> str:
        text = messages[-3].text
        if "Position" in text and "Agreement" in text and "<task>" in text and "Vote" not in text.split("<task>")[1]:
            return f"{SAID}\nPosition: I am for it.\nAgreement: 0.5"
        return f"{SAID}\nVote: A" if "Vote:" in text else SAID

    context: Any = {
        "model": make_agent(searching(reply)),
        "seed": 3,
        "max_rounds": 1,
        "vote": "majority",
        "max_attempts": 1,
    }
    given: Any = {"topic": "A four-day week?", "participants": ["Ada", "Ben", "Cleo"]}
    state = consensus.graph.invoke(given, context=context)
    assert {line.speaker for line in state["history"]} >= {"Ada", "Ben", "Cleo"}
    assert {call.model for call in state["calls"]} == {"agent:object:CompiledStateGraph"}
    assert state["polls"][-1].event == "completed"
    tally = state["polls"][-1].tally
    assert tally is not None
    assert (tally.voters, tally.votes, tally.winner) == (3, 3, "A")


@pytest.mark.long
def test_a_form_is_asked_for_in_words_and_asked_again_in_one_message() -> None:
    asked: list[str] = []

    def answer(messages: list[BaseMessage]) -> str:
        (message,) = messages
        asked.append(message.text)
        return f"Well, {len(asked)} things depend on it."

    context: Any = {"model": "rehearsal", "seed": 3, "max_rounds": 1, "vote": "majority", "models": {"Ada": answer}}
    given: Any = {"topic": "A four-day week?", "participants": ["Ada", "Ben", "Cleo"]}
    consensus.graph.invoke(given, context=context | {"max_attempts": 2})
    again = next(text for text in asked if "<again>" in text)
    assert again.index("</task>") < again.index("<again>")


@dataclass
class FactList:
    seat: str = ""
    turn: int = 0


class Strict(BaseModel):
    user: str


def noting(seen: list[Any], schema: Any) -> Any:
    def answer(state: MessagesState, runtime: Any) -> dict[str, Any]:
        seen.append(runtime.context)
        return {"messages": [AIMessage(SAID)]}

    from langgraph.runtime import Runtime

    answer.__annotations__["runtime"] = Runtime
    return graph_of(answer, schema)


def test_its_context_is_who_and_when_or_its_own_and_never_the_protocol_s() -> None:
    seen: list[Any] = []
    run_agent(noting(seen, None))
    run_agent(noting(seen, FactList))
    run_agent(noting(seen, Strict), agent_context={"PRO": {"user": "ann"}})
    plain, facts, own = seen
    assert plain == {"run": "", "seat": "PRO", "turn": 1, "round": 1, "language": "en"}
    assert facts == FactList(seat="PRO", turn=1)
    assert own == Strict(user="ann")


def test_a_context_that_does_not_fit_is_refused_before_any_call() -> None:
    with pytest.raises(moot.InputError, match=r"agent_context.PRO = .*must fit the agent's context Strict"):
        run_agent(noting([], Strict), agent_context={"PRO": {"name": "ann"}})
    with pytest.raises(moot.InputError, match=r"agent_context\.Ann = .*no participant has this name"):
        run_agent(replying(), agent_context={"Ann": {"user": "ann"}})


@pytest.mark.parametrize("checkpointer", [True, False])
def test_a_checkpointer_of_true_or_false_is_refused(checkpointer: bool) -> None:
    agent = graph_of(lambda state: {"messages": [AIMessage(SAID)]}, checkpointer=checkpointer)
    with pytest.raises(moot.InputError, match="compile the agent without checkpointer=True or False"):
        run_agent(agent)


def test_a_saver_of_its_own_is_not_used_and_that_is_on_record() -> None:
    saver = InMemorySaver()
    result = run_agent(graph_of(lambda state: {"messages": [AIMessage(SAID)]}, checkpointer=saver))
    note = "PRO: the run saves its agent; the agent's own checkpointer is not used"
    assert result.incidents[0].what == note
    assert list(saver.list(None)) == []


def test_an_exception_is_a_fault_of_an_attempt_with_its_class_and_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_API_KEY", "shop-1234567890")
    calls: list[int] = []

    def answer(messages: Any) -> str:
        calls.append(1)
        if len(calls) == 1:
            raise LookupError("shop-1234567890 is unknown\nsecond line")
        return SAID

    result = run_agent(answer, retry_delays=[0])
    incident = result.incidents[0]
    assert (incident.kind, incident.consequence) == ("agent_failed", "asked again")
    assert incident.what.startswith("the agent failed: LookupError: … is unknown")
    assert [call.outcome for call in result.calls if call.who == "PRO"] == ["agent_failed", "ok"]
    assert result.history[0].content == SAID


@pytest.mark.parametrize("texts", [[""], [SAID, ""]])
def test_an_agent_that_says_nothing_in_the_end_misses_its_turn(texts: list[str]) -> None:
    result = run_agent(graph_of(lambda _: {"messages": [AIMessage(text) for text in texts]}), max_attempts=1)
    assert [incident.kind for incident in result.incidents][:1] == ["empty"]
    assert "PRO" not in {line.speaker for line in result.history}


def test_it_is_stopped_at_its_cap_of_calls_and_what_it_spent_counts() -> None:
    def script(messages: list[BaseMessage], kwargs: Any) -> Any:
        return AIMessage("", tool_calls=[{"name": "look_up", "args": {"query": "rain"}, "id": str(len(messages))}])

    model = ScriptedChat(script=script)
    result = run_agent(make_agent(model), agent_calls=3, max_attempts=1)
    assert len(model.prompts) == 3
    assert "more than 3 model calls" in result.incidents[0].what
    calls = [call for call in result.calls if call.who == "PRO"]
    assert [call.outcome for call in calls] == ["ok", "ok", "ok", "agent_failed"]
    assert all(call.tokens for call in calls[:3])


def test_calls_that_leave_no_message_count_too() -> None:
    model = ScriptedChat(script=lambda *_: SAID)

    def answer(state: MessagesState) -> dict[str, Any]:
        return {"messages": [[model.invoke(state["messages"]) for _ in range(3)][-1]]}

    calls = [call for call in run_agent(graph_of(answer)).calls if call.who == "PRO"]
    assert [call.purpose for call in calls] == ["agent"] * 3
    assert all(call.tokens for call in calls)


def test_it_is_stopped_at_its_cap_of_steps_and_at_its_time_limit() -> None:
    def loop(state: MessagesState) -> Command[Any]:
        return Command(goto="answer")

    assert "GraphRecursionError" in run_agent(graph_of(loop), agent_steps=5, max_attempts=1).incidents[0].what

    async def wait(messages: Any) -> str:
        await asyncio.Event().wait()
        return SAID

    waiting = RunnableLambda(wait)
    result = run_agent(waiting, timeouts={"agent": 0.05}, max_attempts=1)
    assert result.incidents[0].kind == "timeout"


def test_a_budget_that_leaves_fewer_calls_than_an_agent_may_make_is_spent() -> None:
    result = run_agent(replying(), budget={"calls": 8}, agent_calls=10)
    assert result.incidents[0].kind == "budget_spent"


@pytest.mark.parametrize("saver", ["memory", "sqlite"])
def test_its_question_reaches_the_owner_and_it_goes_on_inside_after_the_answer(saver: str, tmp_path: Any) -> None:
    model = searching(uses="ask_owner", reply=lambda messages: messages[-1].text + " That is plain.")
    connection = sqlite3.connect(tmp_path / "own.db", check_same_thread=False)
    in_memory_saver: Any = InMemorySaver() if saver == "memory" else SqliteSaver(connection)
    graph = debate.build().compile(checkpointer=in_memory_saver)
    context: Any = {**SETTINGS, "models": {"PRO": make_agent(model, ask_owner)}}
    config: Any = {"configurable": {"thread_id": "1"}}
    (asked,) = graph.invoke(TOPIC, config, context=context)["__interrupt__"]  # type: ignore[arg-type]
    where = {"who": "PRO", "purpose": "statement", "turn": 1, "round": 1, "source": "agent"}
    assert asked.value == {"kind": "approval", **where, "value": {"may I": "rain"}}
    state = graph.invoke(Command(resume={asked.id: "yes"}), config, context=context)
    assert state["history"][0].content == "Allowed: yes. That is plain."
    assert len(model.prompts) == 2
    connection.close()


def test_its_question_stops_a_run_that_nobody_saves_and_says_the_remedy() -> None:
    with pytest.raises(RunStoppedError, match=r"waits for your approval.* node of a graph with a checkpointer"):
        run_agent(make_agent(searching(uses="ask_owner"), ask_owner))


class Paragraph(BaseModel):
    text: str


def test_state_of_its_middleware_comes_back_as_it_was(tmp_path: Any) -> None:
    middleware = pytest.importorskip("langchain.agents.middleware")
    seen: list[Any] = []

    class NotedState(middleware.AgentState):  # type: ignore[misc, name-defined, unused-ignore]
        note: Paragraph

    class Noting(middleware.AgentMiddleware):  # type: ignore[misc, name-defined, unused-ignore]
        state_schema = NotedState

        def before_agent(self, state: Any, runtime: Any) -> Any:
            return {"note": Paragraph(text="kept")}

        def after_agent(self, state: Any, runtime: Any) -> Any:
            seen.append(state["note"])

    model = searching(uses="ask_owner")
    agent = make_agent(model, ask_owner, middleware=[Noting()])
    connection = sqlite3.connect(tmp_path / "own.db", check_same_thread=False)
    graph = debate.build().compile(checkpointer=SqliteSaver(connection))
    config: Any = {"configurable": {"thread_id": "1"}}
    context: Any = {**SETTINGS, "models": {"PRO": agent}}
    (asked,) = graph.invoke(TOPIC, config, context=context)["__interrupt__"]  # type: ignore[arg-type]
    graph.invoke(Command(resume={asked.id: "yes"}), config, context=context)
    assert seen == [Paragraph(text="kept")]
    connection.close()


def test_it_is_recorded_and_replayed_without_being_asked(tmp_path: Any) -> None:
    model = searching()
    recording = str(tmp_path / "run.jsonl")
    first = run_agent(make_agent(model), record=recording)
    again = moot.agent("debate", model="rehearsal", models={"PRO": make_agent(ScriptedChat(script=[]))}, max_turns=2)
    second = moot.agent(
        "debate", model="rehearsal", models={"PRO": make_agent(ScriptedChat(script=[]))}, max_turns=2, replay=recording
    ).run("Ban cars?")
    assert again.get_name() == "debate"
    assert [line.content for line in second.history] == [line.content for line in first.history]
    assert [call.tokens for call in second.calls] == [call.tokens for call in first.calls]
    assert [(lookup.text, lookup.replayed) for lookup in first.lookups] == [("It says: rain.", False)]
    assert [(lookup.text, lookup.replayed) for lookup in second.lookups] == [("It says: rain.", True)]


class Remote:
    """A client of a LangGraph server that notes what it is sent."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.runs = self

    async def stream(self, **sent: Any) -> Any:
        self.sent.append(sent)
        message = {"type": "ai", "content": SAID}
        yield type("Part", (), {"event": "values", "data": {"messages": [message]}, "id": None})()


def test_a_remote_graph_gets_a_thread_of_its_own_and_nothing_else_of_ours() -> None:
    client: Any = Remote()
    result = run_agent(RemoteGraph("assistant", client=client))
    (sent,) = client.sent
    assert re.fullmatch(r"[0-9a-f-]{36}", sent["thread_id"])
    assert sent["config"] == {"recursion_limit": 50, "configurable": {}}
    assert sent["context"]["seat"] == "PRO"
    assert result.history[0].content == SAID


def test_each_run_of_a_remote_graph_has_threads_of_its_own_and_a_saved_one_keeps_them() -> None:
    client: Any = Remote()
    context: Any = {**SETTINGS, "models": {"PRO": RemoteGraph("assistant", client=client)}}
    for _ in range(2):
        debate.graph.invoke(TOPIC, context=context)  # type: ignore[arg-type]
    for saver in (InMemorySaver(), InMemorySaver()):
        graph = debate.build().compile(checkpointer=saver)
        graph.invoke(TOPIC, {"configurable": {"thread_id": "1"}}, context=context)  # type: ignore[arg-type]
    first, second, saved, saved_again = (sent["thread_id"] for sent in client.sent)
    assert len({first, second, saved}) == 3
    assert saved_again == saved


def test_a_name_is_imported_and_what_is_no_agent_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    (tmp_path / "my_agents.py").write_text(f"def agent(messages):\n    return {SAID!r}\n\nnumber = 7\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert run_agent("agent:my_agents:agent").history[0].content == SAID
    for spec, fault in {
        "agent:my_agents:number": "give a compiled graph",
        "agent:my_agents:nothing": "the agent cannot be imported",
        "agent:no.such.module:agent": (
            "the agent cannot be imported: No module named 'no'; add the folder of the module to PYTHONPATH"
        ),
        "agent:unknown": "write agent:package.module:name",
    }.items():
        with pytest.raises(moot.InputError, match=fault):
            run_agent(spec)


def test_a_name_of_a_package_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents_module, "map_entry_points", lambda group: {"searcher": []})
    monkeypatch.setattr(agents_module, "load_plugin", lambda key, group, name: lambda messages: f"{SAID} {group}")
    assert run_agent("agent:searcher").history[0].content == f"{SAID} moot.agents"


def test_a_name_out_of_a_saved_run_runs_only_if_the_operator_allows_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any, request: pytest.FixtureRequest
) -> None:
    request.addfinalizer(get_operator_policy.cache_clear)
    get_operator_policy.cache_clear()
    (tmp_path / "saved_agents.py").write_text(f"def agent(messages):\n    return {SAID!r}\n")
    monkeypatch.syspath_prepend(tmp_path)
    with distrust_imports():
        with pytest.raises(RunStoppedError, match="set MOOT_ALLOW_AGENTS"):
            run_agent("agent:saved_agents:agent")
        monkeypatch.setenv("MOOT_ALLOW_AGENTS", "agent:other:one, agent:saved_agents:agent")
        get_operator_policy.cache_clear()
        assert run_agent("agent:saved_agents:agent").history[0].content == SAID


def test_an_object_is_passed_again_to_go_on() -> None:
    graph = debate.build().compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}
    context: Any = {**SETTINGS, "models": {"PRO": replying()}}
    graph.invoke(TOPIC, config, context=context, interrupt_after=["convene"])  # type: ignore[arg-type]
    assert graph.get_state(config).values["settings"].models == {"PRO": "agent:object:CompiledStateGraph"}
    with pytest.raises(RunStoppedError, match="pass it again in the context"):
        graph.invoke(None, config, context=SETTINGS)
    assert graph.invoke(None, config, context=context)["history"][0].content == SAID


REQUEST = httpx.Request("POST", "http://127.0.0.1:2024/threads/1/runs/stream")


@pytest.mark.parametrize(
    ("fault", "error", "line"),
    [
        (httpx.ReadError("cut"), ServerOutageError, r"for 127\.0\.0\.1:2024: .*Not yet answered: PRO \(turn 1\)"),
        (500, ServerOutageError, r"for 127\.0\.0\.1:2024: .*Not yet answered: PRO \(turn 1\)"),
        (404, RunStoppedError, r"PRO .*404"),
    ],
)
def test_the_turn_of_a_remote_graph_whose_server_fails_is_not_missed(
    fault: Any, error: type[Exception], line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def stream(**_: Any) -> Any:
        if isinstance(fault, int):
            response = httpx.Response(fault, request=REQUEST)
            raise APIStatusError("no", response=response, body=None)
        raise fault
        yield

    agent = RemoteGraph("assistant", url="http://127.0.0.1:2024")
    monkeypatch.setattr(agent.client.runs, "stream", stream)  # type: ignore[union-attr]
    with pytest.raises(error, match=line):
        run_agent(agent, retry_delays=[0])
