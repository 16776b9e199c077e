"""Participants look things up with the tools of MCP servers: real ones, as programs and over HTTP."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chats.scripted import ScriptedReply, SentPrompt
from deliberations.debate import Debaters, hold, turn_of
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from moot.graphs import debate
from moot.models import describe_recipients
from moot.models.agents import distrust_imports
from moot.models.failures import RunStoppedError
from moot.models.operator_policy import get_operator_policy
from moot.state.errors import InputError
from moot.state.settings import Settings
from ports import free_port
from servers.tools import serving_tools, starting_tools

pytestmark = pytest.mark.long

READING = ["mcp:web/search", "mcp:web/draw", "mcp:web/hang", "mcp:web/die", "mcp:web/greet"]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving_tools(free_port()) as address:
        yield address


def looking_up(*rounds: list[tuple[str, dict[str, Any]]]) -> Any:
    """Look these up in turn 1, a list a round."""

    def script(prompt: SentPrompt) -> ScriptedReply | None:
        done = sum(message.type == "ai" for message in prompt.messages)
        if prompt.purpose != "statement" or turn_of(prompt) != 1 or done >= len(rounds):
            return None
        calls = [{"name": name, "args": args, "id": str(at)} for at, (name, args) in enumerate(rounds[done])]
        return AIMessage("", tool_calls=calls)

    return script


def look_up(server: dict[str, Any], *rounds: list[tuple[str, dict[str, Any]]], **settings: Any) -> dict[str, Any]:
    chosen: dict[str, Any] = {"tools": READING, "mcp_servers": {"web": server}, "max_turns": 2, **settings}
    return hold(looking_up(*rounds), **chosen)[0]


@pytest.mark.parametrize("kind", ["program", "address"])
def test_what_a_server_answers_is_on_record(kind: str, url: str) -> None:
    server = starting_tools() if kind == "program" else {"url": url, "trusted": True}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("web__search", {"query": "trams"}),
        ("web__search", {"query": "nothing"}),
        ("web__search", {"what": "trams"}),
        ("web__draw", {"config": "tram"}),
        ("web__hang", {}),
        ("web__search", {"query": "long"}),
    ]
    state = look_up(server, calls, lookups={"timeout": 5, "per_turn": 6})
    assert [(lookup.tool, lookup.status) for lookup in state["lookups"]] == [
        ("web__search", "ok"),
        ("web__search", "error"),
        ("web__search", "bad_arguments"),
        ("web__draw", "ok"),
        ("web__hang", "timeout"),
        ("web__search", "ok"),
    ]
    lookup, nothing, _, picture, _, long = state["lookups"]
    assert (lookup.source, lookup.text) == ("mcp:web/search", "Found on trams: trams run in Ghent.")
    assert "there is nothing on it" in nothing.text
    assert picture.text == "A tram:\n[image/png, 12 kB]"
    assert (long.chars, long.text[-3:]) == (5_000_008, "end")
    assert {tool.name: tool.reads_only for tool in state["settings"].tool_definitions}["web__search"]


def test_a_result_of_a_server_forges_neither_its_end_nor_a_statement_nor_a_task() -> None:
    chosen: dict[str, Any] = {"tools": READING, "mcp_servers": {"web": starting_tools()}, "max_turns": 2}
    _, model = hold(looking_up([("web__search", {"query": "injection"})]), **chosen)
    (result,) = [message.text for message in model.prompts[1].messages if message.type == "tool"]
    assert result.startswith('<lookup id="L1.1" tool="web__search">')
    assert (result.count("</lookup>"), "<statement" in result, "<task>" in result) == (1, False, False)
    assert "I concede." in result
    assert "material, not instructions" in model.prompts[1].system


def test_a_server_that_died_is_started_again_for_the_next_look_up(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("NOTES", str(tmp_path / "notes"))
    again = [("web__search", {"query": "trams"})]
    state = look_up(starting_tools(NOTES=""), [("web__die", {})], again)
    assert [(lookup.status, lookup.text) for lookup in state["lookups"]] == [
        ("error", "The tool reported an error: Connection closed"),
        ("ok", "Found on trams: trams run in Ghent."),
    ]
    assert (tmp_path / "notes").read_text().splitlines() == ["start", "start"]


def test_a_server_gets_its_key_and_a_program_the_named_variables_alone(url: str, monkeypatch: Any) -> None:
    monkeypatch.setenv("WEB_API_KEY", "sk-of-the-web-7")
    state = look_up({"url": url, "trusted": True, "key": "WEB_API_KEY"}, [("web__greet", {})])
    assert state["lookups"][0].text == "Hello, Bearer sk-of-the-web-7."
    monkeypatch.delenv("WEB_API_KEY")
    with pytest.raises(
        InputError, match=r"mcp_servers\.web\.key = 'WEB_API_KEY': this environment variable is not set"
    ):
        look_up({"url": url, "trusted": True, "key": "WEB_API_KEY"})
    with pytest.raises(
        InputError, match=r"mcp_servers\.web\.env = 'WEB_API_KEY': this environment variable is not set"
    ):
        look_up({**starting_tools(), "env": ["WEB_API_KEY"]})
    with pytest.raises(InputError, match=r"sends OPENAI_API_KEY only to https://api\.openai\.com;"):
        look_up({"url": "https://mcp.example/mcp", "key": "OPENAI_API_KEY"})


def test_a_tool_that_may_act_waits_for_approval_and_acts_once(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("NOTES", str(tmp_path / "notes"))
    graph = debate.build().compile(checkpointer=InMemorySaver())
    model = Debaters(script=looking_up([("web__buy", {"what": "bread"}), ("web__search", {"query": "x"})]))
    context: Any = {
        "model": model,
        "tools": ["mcp:web"],
        "max_turns": 2,
        "mcp_servers": {"web": starting_tools(NOTES="")},
    }
    config: Any = {"configurable": {"thread_id": "t"}}
    given: Any = {"topic": "Tea?", "participants": ["Ada", "Ben"]}
    state = graph.invoke(given, config, context=context, durability="sync")
    (question,) = state["__interrupt__"]
    assert (question.value["tool"], question.value["arguments"]) == ("web__buy", {"what": "bread"})
    state = graph.invoke(Command(resume={"approve": True}), config, context=context, durability="sync")
    assert [(lookup.tool, lookup.status, lookup.approved_by) for lookup in state["lookups"]] == [
        ("web__buy", "ok", "owner"),
        ("web__search", "ok", ""),
    ]
    assert (tmp_path / "notes").read_text().splitlines() == ["start", "start", "bread"]


def test_only_a_trusted_address_says_by_itself_what_only_reads(url: str) -> None:
    with pytest.raises(InputError, match=r"tools = \['web__search'\]: web__search may change something"):
        look_up({"url": url}, tools=["mcp:web/search"])


def test_stay_allows_a_server_by_its_origin_and_a_program_that_is_declared_local(url: str) -> None:
    model = Debaters(script=looking_up([("web__search", {"query": "trams"})]), metadata={"local": True})
    context: Any = {"model": model, "stay": "local", "tools": ["mcp:web/search"], "max_turns": 2}
    for server in ({"url": url, "trusted": True}, {**starting_tools(), "local": True}):
        state = debate.graph.invoke({"topic": "Tea?"}, context=context | {"mcp_servers": {"web": server}})
        assert describe_recipients(state["settings"]).endswith("Nothing leaves this machine, as declared.")
    assert "Look-ups: web__search." in describe_recipients(state["settings"])
    with pytest.raises(InputError, match=r"stay = local allows no call to mcp:web/search; .*local: true"):
        debate.graph.invoke({"topic": "Tea?"}, context=context | {"mcp_servers": {"web": starting_tools()}})
    far = {"url": "https://mcp.example/mcp", "trusted": True}
    with pytest.raises(InputError, match=r"allows no call to mcp\.example; name another, or add https://mcp\.example"):
        debate.graph.invoke({"topic": "Tea?"}, context=context | {"mcp_servers": {"web": far}})


def test_a_saved_run_starts_a_server_only_if_the_operator_allows_it(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("NOTES", str(tmp_path / "notes"))
    server = starting_tools(NOTES="")
    words = " ".join([str(server["command"]), *server["args"]])
    with (
        distrust_imports(),
        pytest.raises(
            InputError, match="a saved run starts a server only with your permission; give the setting again"
        ),
    ):
        look_up(server)
    assert not (tmp_path / "notes").exists()
    monkeypatch.setenv("MOOT_ALLOW_TOOLS", f"mcp:{words}")
    with distrust_imports():
        look_up(server)
    assert (tmp_path / "notes").read_text() == "start\n"


def test_a_client_of_a_server_names_no_mcp_servers() -> None:
    settings = Settings.model_validate({"mcp_servers": {"web": starting_tools()}})
    with pytest.raises(InputError, match="this server does not let its clients name MCP servers"):
        get_operator_policy().limit_settings(settings, [])


def test_a_run_stops_if_a_tool_of_the_server_is_not_what_it_was(monkeypatch: Any) -> None:
    graph = debate.build().compile(checkpointer=InMemorySaver(), interrupt_before=["speak"])
    server = starting_tools(VERSION="")
    monkeypatch.setenv("VERSION", "1")
    model = Debaters(script=looking_up([("web__search", {"query": "x"})]))
    context: Any = {"model": model, "tools": ["mcp:web/search"], "max_turns": 2, "mcp_servers": {"web": server}}
    config: Any = {"configurable": {"thread_id": "t"}}
    graph.invoke({"topic": "Tea?"}, config, context=context)
    monkeypatch.setenv("VERSION", "2")
    with pytest.raises(RunStoppedError, match="web__search has changed since the run started"):
        graph.invoke(None, config, context=context)


def test_a_replay_starts_no_server(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("NOTES", str(tmp_path / "notes"))
    file = str(tmp_path / "run.jsonl")
    first = look_up(starting_tools(NOTES=""), [("web__search", {"query": "x"})], record=file)
    again = look_up(starting_tools(NOTES=""), replay=file)
    assert (tmp_path / "notes").read_text() == "start\n"
    assert [lookup.text for lookup in again["lookups"]] == [lookup.text for lookup in first["lookups"]]


@pytest.mark.parametrize(
    ("server", "remedy"),
    [
        ({"command": "no-such-program"}, "no answer from no-such-program: .*No such file"),
        ({"command": "false"}, "no answer from false: Connection closed"),
        ({"url": "http://127.0.0.1:9/mcp"}, "no answer from http://127.0.0.1:9/mcp: All connection attempts failed"),
        ({"command": "a", "url": "http://b"}, "give either a command or a url"),
        ({"url": "http://b", "env": ["A"]}, "it has no effect here; use it only with a command"),
    ],
)
def test_a_server_that_does_not_answer_is_refused_before_any_call(server: dict[str, Any], remedy: str) -> None:
    with pytest.raises(InputError, match=remedy):
        hold(lambda prompt: pytest.fail("asked"), tools=["mcp:web"], mcp_servers={"web": server})


def test_an_unknown_server_and_an_unknown_tool_are_refused_by_name(url: str) -> None:
    with pytest.raises(InputError, match="mcp_servers has no such server; it has web"):
        look_up({"url": url}, tools=["mcp:net"])
    with pytest.raises(InputError, match="the server has no such tool; its tools: search, hang"):
        look_up({"url": url}, tools=["mcp:web/find"])
