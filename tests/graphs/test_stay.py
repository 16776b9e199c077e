"""`stay` refuses tools and agents that may send words anywhere, before any call, unless they are declared local."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import pytest
from chats.scripted import ScriptedReply, SentPrompt
from deliberations.debate import Debaters, turn_of
from fakeserver import FakeServer
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import BaseTool, tool
from langchain_core.tracers.langchain import wait_for_all_tracers
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.pregel.remote import RemoteGraph
from langsmith.utils import get_env_var
from moot.app.protocols.registry import get_protocol
from moot.app.run.rehearsal import rehearse_run
from moot.app.run.request import build_client_request
from moot.graphs import consensus, debate
from moot.models import agents as agents_module, describe_recipients
from moot.models.failures import RunStoppedError
from moot.models.operator_policy import get_operator_policy
from moot.nodes.lookups import tools as tools_module
from moot.state.errors import InputError

STAY: Any = {"stay": "local", "max_turns": 2, "dynamic_termination": False, "retry_delays": [0]}
LOCAL = {"local": True}


@pytest.fixture
def sent() -> list[str]:
    """What the tools were given."""
    return []


def searching(sent: list[str], **declared: bool) -> BaseTool:
    @tool
    def search(query: str) -> str:
        """Search."""
        sent.append(query)
        return "Trams run in Ghent."

    search.metadata = {"reads_only": True, **declared}
    return search


def deliberate(*tools: BaseTool | str, **context: Any) -> tuple[dict[str, Any], Debaters]:
    def script(prompt: SentPrompt) -> ScriptedReply | None:
        is_first = turn_of(prompt) == 1 and not any(message.type == "tool" for message in prompt.messages)
        calls = [{"name": "search", "args": {"query": "trams"}, "id": "1"}]
        return AIMessage("", tool_calls=calls) if is_first and prompt.purpose == "statement" else None

    model = Debaters(script=script, metadata=LOCAL)
    settings = STAY | {"model": model, "tools": list(tools)} | context
    return debate.graph.invoke({"topic": "Tea?", "participants": ["Ada", "Ben"]}, context=settings), model


def test_a_tool_that_is_not_declared_local_is_refused_before_any_call(sent: list[str]) -> None:
    model = Debaters(script=[], metadata=LOCAL)
    with pytest.raises(InputError, match=r"tools = 'search': stay = local allows no call to search; .*local: true"):
        deliberate(searching(sent), model=model)
    assert not sent
    assert not model.prompts


def test_a_tool_that_is_declared_local_runs_and_the_line_says_as_declared(sent: list[str]) -> None:
    state, _ = deliberate(searching(sent, local=True))
    assert sent == ["trams"]
    assert describe_recipients(state["settings"]) == (
        "Ada, Ben: Debaters. Look-ups: search. Synthesis: Ada's model. Nothing leaves this machine, as declared."
    )


def test_without_stay_the_line_says_which_tools_may_send_words_anywhere(sent: list[str]) -> None:
    state, _ = deliberate(searching(sent), stay=None)
    assert describe_recipients(state["settings"]) == (
        "Ada, Ben: Debaters. Look-ups: search. Synthesis: Ada's model. search may send words anywhere."
    )


def test_a_declared_tool_is_refused_where_only_another_server_may_get_the_words(sent: list[str]) -> None:
    with pytest.raises(InputError, match=r"model of Ada = 'object:Debaters#local': .*or add local to stay"):
        deliberate(searching(sent, local=True), stay="https://api.mistral.ai")
    assert not sent


def test_an_installed_tool_that_is_not_declared_local_is_refused(
    sent: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools_module, "map_entry_points", lambda group: ["wiki"])
    monkeypatch.setattr(tools_module, "load_plugin", lambda *_: lambda: [searching(sent)])
    with pytest.raises(InputError, match="stay = local allows no call to search"):
        deliberate("wiki")


def test_a_tool_whose_declaration_was_taken_back_is_not_called_when_the_run_goes_on(sent: list[str]) -> None:
    graph = debate.build().compile(checkpointer=InMemorySaver(), interrupt_before=["speak"])
    model = Debaters(script=lambda prompt: None, metadata=LOCAL)
    config: Any = {"configurable": {"thread_id": "t"}}
    context = STAY | {"model": model, "tools": [searching(sent, local=True)]}
    graph.invoke({"topic": "Tea?"}, config, context=context)
    calls = [{"name": "search", "args": {"query": "trams"}, "id": "1"}]
    model.script = lambda prompt: AIMessage("", tool_calls=calls)
    with pytest.raises(RunStoppedError, match="stay = local allows no call to search"):
        graph.invoke(None, config, context=context | {"tools": [searching(sent)]})
    assert not sent


@pytest.mark.parametrize("protocol", [debate, consensus])
def test_the_library_is_searched_without_another_servers_vectors(
    protocol: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = FakeListChatModel(responses=["x"], metadata=LOCAL)
    context = STAY | {"model": model, "tools": ["library"]}
    if protocol is consensus:
        del context["max_turns"], context["dynamic_termination"]
    with FakeServer() as server:
        monkeypatch.setenv("MOOT_EMBEDDINGS", f"openai:vectors@{server.url.replace('127.0.0.1', 'vectors.example')}")
        with pytest.raises(InputError, match=r"embeddings = .*allows no call to vectors\.example"):
            protocol.graph.invoke({"topic": "Tea?"}, context=context)


def answering(sent: list[str]) -> Any:
    def answer(messages: list[Any]) -> AIMessage:
        sent.append(messages[-1].text)
        return AIMessage("What I found speaks plainly for it.")

    return RunnableLambda(answer)


def test_an_agent_that_is_not_declared_local_is_refused_before_any_call(sent: list[str]) -> None:
    with pytest.raises(InputError, match=r"model of PRO = 'agent:object:.*allows no call to .*local: true"):
        debate.graph.invoke(
            {"topic": "Tea?"}, context=STAY | {"model": "rehearsal", "models": {"PRO": answering(sent)}}
        )
    assert not sent


def test_an_agent_that_is_declared_local_answers_and_the_line_says_as_declared(sent: list[str]) -> None:
    agent = answering(sent).with_config(metadata=LOCAL)
    state = debate.graph.invoke({"topic": "Tea?"}, context=STAY | {"model": "rehearsal", "models": {"PRO": agent}})
    assert len(sent) == 1
    assert describe_recipients(state["settings"]).endswith("Nothing leaves this machine, as declared.")


def test_a_named_agent_is_declared_by_its_owner_and_still_needs_the_operators_leave(
    sent: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "agent:my.agents:found"
    monkeypatch.setattr(agents_module, "_import_agent", lambda spec: {name: answering(sent)}[spec])
    context = STAY | {"model": "rehearsal"}
    with pytest.raises(InputError, match=r"model of PRO = 'agent:my\.agents:found': stay = local allows no call"):
        debate.graph.invoke({"topic": "Tea?"}, context=context | {"models": {"PRO": name}})
    debate.graph.invoke({"topic": "Tea?"}, context=context | {"models": {"PRO": f"{name}#local"}})
    assert len(sent) == 1
    with pytest.raises(InputError, match="does not let its clients use this agent"):
        get_operator_policy().check_spec("models.PRO", f"{name}#local")
    monkeypatch.setenv("MOOT_ALLOW_AGENTS", name)
    get_operator_policy.cache_clear()
    get_operator_policy().check_spec("models.PRO", f"{name}#local")
    get_operator_policy.cache_clear()


@pytest.mark.parametrize("spec", ["", "agent:my.agents:remote@{}"])
def test_a_remote_agent_is_allowed_by_the_origin_of_its_server(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As an object or by its name."""
    sent: list[dict[str, Any]] = []

    async def stream(**values: Any) -> Any:
        sent.append(values)
        message = {"type": "ai", "content": "What I found speaks plainly for it."}
        yield type("Part", (), {"event": "values", "data": {"messages": [message]}, "id": None})()

    def deliberate_with(url: str, stay: str) -> Any:
        agent = RemoteGraph("assistant", url=url)
        monkeypatch.setattr(agent.client.runs, "stream", stream)  # type: ignore[union-attr]
        monkeypatch.setattr(agents_module, "_import_agent", {"agent:my.agents:remote": agent}.__getitem__)
        context = STAY | {"stay": stay, "model": "rehearsal", "models": {"PRO": spec.format(url) or agent}}
        return describe_recipients(debate.graph.invoke({"topic": "Tea?"}, context=context)["settings"])

    assert deliberate_with("http://127.0.0.1:2024", "local").startswith("PRO: 127.0.0.1:2024. ")
    assert deliberate_with("https://agents.example", "https://agents.example").endswith("for agents.example.")
    assert len(sent) == 2
    for url, stay in [("https://agents.example", "local"), ("https://agents.example", "https://agents.example:444")]:
        with pytest.raises(InputError, match=r"allows no call to agents\.example; .*or add https://agents\.example"):
            deliberate_with(url, stay)
    assert len(sent) == 2


def test_an_agent_that_is_not_at_the_address_in_its_name_is_refused(
    sent: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agents_module, "_import_agent", lambda spec: answering(sent))
    spec = "agent:my.agents:found@http://127.0.0.1:2024"
    with pytest.raises(InputError, match="the agent is not a remote graph at http://127"):
        debate.graph.invoke({"topic": "Tea?"}, context=STAY | {"model": "rehearsal", "models": {"PRO": spec}})
    assert not sent


def test_a_remote_agent_at_another_address_does_not_continue_a_run() -> None:
    graph = debate.build().compile(checkpointer=InMemorySaver(), interrupt_before=["speak"])
    config: Any = {"configurable": {"thread_id": "t"}}
    urls = ("http://127.0.0.1:2024", "https://agents.example")
    local, foreign = (STAY | {"model": "rehearsal", "models": {"PRO": RemoteGraph("a", url=url)}} for url in urls)
    graph.invoke({"topic": "Tea?"}, config, context=local)
    with pytest.raises(RunStoppedError, match="pass it again in the context"):
        graph.invoke(None, config, context=foreign)


class Traces(BaseHTTPRequestHandler):
    """LangSmith's server, which keeps what it is sent."""

    sent: ClassVar[list[bytes]] = []

    def do_POST(self) -> None:
        self.sent.append(self.rfile.read(int(self.headers.get("content-length") or 0)))
        self.send_response(202)
        self.end_headers()

    do_GET = do_PATCH = do_POST

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def traced(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], int]]:
    """Count what LangSmith was sent, where tracing is on."""
    server = ThreadingHTTPServer(("127.0.0.2", 0), Traces)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    monkeypatch.setenv("LANGSMITH_ENDPOINT", f"http://127.0.0.2:{server.server_port}")
    monkeypatch.setenv("LANGSMITH_API_KEY", "lsv2_planted_key_0001")
    monkeypatch.setattr("moot.state.recipient.is_loopback", lambda origin: "127.0.0.2" not in origin)
    get_env_var.cache_clear()
    Traces.sent.clear()

    def count() -> int:
        wait_for_all_tracers()
        return len(Traces.sent)

    yield count
    server.shutdown()
    server.server_close()
    get_env_var.cache_clear()


def test_no_trace_of_a_refused_run_is_sent_before_the_refusal(traced: Callable[[], int]) -> None:
    graph = debate.build().compile(checkpointer=InMemorySaver(), interrupt_before=["speak"])
    with pytest.raises(InputError, match="LANGSMITH_TRACING"):
        graph.invoke({"topic": "Tea?"}, {"configurable": {"thread_id": "t"}}, context=STAY | {"model": "rehearsal"})
    with pytest.raises(InputError, match="LANGSMITH_TRACING"):
        asyncio.run(
            debate.graph.ainvoke({"topic": "Tea?"}, context=STAY | {"model": "rehearsal", "replay": "no.jsonl"})
        )
    assert not traced()
    debate.graph.invoke({"topic": "Tea?"}, context={"model": "rehearsal", "max_turns": 2})
    assert traced(), "without stay the traces are sent, so the count is able to see one"


def test_a_saved_run_is_refused_before_its_record_is_traced(
    traced: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    graph, config = debate.build().compile(checkpointer=InMemorySaver()), {"configurable": {"thread_id": "t"}}
    with monkeypatch.context() as context:
        context.setenv("LANGSMITH_TRACING", "false")
        get_env_var.cache_clear()
        graph.invoke({"topic": "Tea?"}, config, context=STAY | {"model": "rehearsal"}, interrupt_before=["speak"])
    get_env_var.cache_clear()
    with pytest.raises(InputError, match="LANGSMITH_TRACING"):
        graph.invoke(None, config)
    assert not traced()


def test_an_estimate_is_not_traced(traced: Callable[[], int]) -> None:
    request = build_client_request(get_protocol("debate"), {"topic": "Tea?", "model": "rehearsal", "max_turns": 2})
    asyncio.run(rehearse_run(request, request.settings))
    assert not traced()
