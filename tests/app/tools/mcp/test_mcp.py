"""`moot mcp`: an assistant's tools, over standard input and output, with the official client."""

import asyncio
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import httpx2
import pytest
from command import PROGRAM, document, listed, moot
from fakeserver import FakeServer, Fault, script
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult
from moot.app.tools.mcp.runs import ServerRuns
from moot.app.tools.mcp.server import build_server
from moot.models.chat_model import close_models
from places import SAMPLES


def talk(what: Callable[[Client], Awaitable[Any]], *words: str) -> Any:
    """What a client finds that starts `moot mcp` as assistants do; it validates answers against their schemas."""

    async def within() -> Any:
        starting = StdioServerParameters(command=PROGRAM, args=["mcp", *words], env=dict(os.environ))
        async with Client(starting) as client:
            return await what(client)

    return asyncio.run(within())


def talk_here(what: Callable[[Client], Awaitable[Any]], model: str = "rehearsal") -> Any:
    """The same with the server in this process, for speed."""

    async def within() -> Any:
        runs = ServerRuns("", model)
        try:
            async with Client(build_server(runs)) as client:
                return await what(client)
        finally:
            await runs.close()
            await close_models()

    return asyncio.run(within())


def read_result(answer: CallToolResult) -> dict[str, Any]:
    assert not answer.is_error, answer.content
    assert answer.structured_content is not None
    return dict(answer.structured_content)


DELIBERATIONS = {
    "council": ({"query": "Tea?", "councilMaxTurns": 4}, "councilTurns"),
    "debate": ({"topic": "Tea?", "max_turns": 4, "profile": "ethical"}, "turns"),
    "consensus": ({"topic": "Tea?", "max_rounds": 1, "participants": ["Ada", "Ben", "Cleo"]}, "turns"),
    "panel": ({"query": "Do street trees cool a city?", "participants": ["Ada: botany", "Ben: budgets"]}, "turns"),
    # a seed whose first ballot is divided, so that the jurors speak
    "jury": ({"topic": "Guilty?", "options": {"Y": "guilty", "N": "not guilty"}, "max_rounds": 1, "seed": 1}, "turns"),
    "delphi": ({"topic": "How many?", "max_rounds": 1, "participants": ["Ada", "Ben", "Cleo"]}, "turns"),
    "discussion": ({"topic": "Tea?", "max_turns": 4, "participants": ["Ada", "Ben"]}, "turns"),
}


@pytest.mark.long
def test_each_tool_answers_with_structured_content_a_message_per_statement_and_a_saved_run() -> None:
    assert moot("papers", "add", SAMPLES).exit_code == 0
    told: dict[str, list[tuple[float, float | None, str]]] = {name: [] for name in DELIBERATIONS}

    async def ask(client: Client) -> dict[str, Any]:
        answers = {}
        for name, (given, _) in DELIBERATIONS.items():

            async def record_progress(made: float, most: float | None, message: str | None, name: str = name) -> None:
                told[name].append((made, most, message or ""))

            answers[name] = read_result(await client.call_tool(name, given, progress_callback=record_progress))
        return answers

    answers = talk(ask, "--model", "rehearsal")
    assert {run["run"] for run in listed()} == {answer["run"] for answer in answers.values()}
    for name, (_, turns) in DELIBERATIONS.items():
        statements = [f"{one['turnNumber']}. {one['speakerId']}: {one['content']}" for one in answers[name][turns]]
        assert statements
        assert sorted(message for _, _, message in told[name]) == sorted(statements), name
        assert [made for made, _, _ in told[name]] == list(range(1, len(statements) + 1))
        assert {most is None or most >= len(statements) for _, most, _ in told[name]} == {True}
        assert answers[name]["rehearsal"]
    assert {turn["speakerId"] for turn in answers["consensus"]["turns"]} == {"Ada", "Ben", "Cleo"}
    assert answers["panel"]["own"]["papers"]


def test_a_long_run_is_begun_looked_at_and_read_when_it_is_over() -> None:
    async def ask(client: Client) -> tuple[dict[str, Any], CallToolResult, dict[str, Any]]:
        model.hold()
        result = read_result(await client.call_tool("start", {"protocol": "debate", "topic": "Tea?", "max_turns": 4}))
        early = await client.call_tool("result", {"run": result["run"]})
        model.release()
        while (at := read_result(await client.call_tool("status", {"run": result["run"]})))["running"]:
            pass
        assert at["turns"] == 4
        assert at["status"] == "completed"
        return result, early, read_result(await client.call_tool("result", {"run": result["run"]}))

    with FakeServer() as model:
        begun, early, result = talk_here(ask, f"openai:fake@{model.url}")
    assert begun["status"] == "unfinished"
    assert "the run is not finished; ask for its status later" in early.content[0].text  # type: ignore[union-attr]
    assert result["synthesis"] == document("show", result["run"])["synthesis"]


def test_a_run_that_was_begun_is_stopped_by_a_tool_and_can_be_resumed() -> None:
    async def ask(client: Client) -> dict[str, Any]:
        model.hold()
        result = read_result(await client.call_tool("start", {"protocol": "debate", "topic": "Tea?", "max_turns": 20}))
        stopping = asyncio.create_task(client.call_tool("stop", {"run": result["run"]}))
        await client.call_tool("status", {"run": result["run"]})  # the server has read the other call before this one
        model.release()
        return read_result(await stopping)

    with FakeServer() as model:
        status = talk_here(ask, f"openai:fake@{model.url}")
    assert (status["status"], status["running"]) == ("unfinished", False)
    assert status["turns"] < 20
    assert f"resume {status['run']}" in status["remedy"]


def test_a_justice_run_needs_no_topic_and_takes_its_participants() -> None:
    async def ask(client: Client) -> dict[str, Any]:
        given = {"protocol": "justice", "participants": ["Ada", "Ben", "Cleo"]}
        result = read_result(await client.call_tool("start", given))
        return read_result(await client.call_tool("stop", {"run": result["run"]}))

    status = talk_here(ask)
    assert (status["running"], status["run"].startswith("justice-")) == (False, True)


def test_each_saved_run_is_a_resource_whose_text_is_its_report() -> None:
    async def read(client: Client) -> tuple[Any, Any, str, str]:
        before = await client.list_resources()
        await client.call_tool("debate", {"topic": "Tea?", "max_turns": 2})
        after = await client.list_resources()
        text = (await client.read_resource(after.resources[0].uri)).contents[0].text  # type: ignore[union-attr]
        with pytest.raises(MCPError) as error:
            await client.read_resource("moot://runs/debate-x")
        return before.resources, after.resources, text, str(error.value)

    before, (resource,), text, refusal = talk_here(read)
    assert before == []
    assert (resource.name, resource.title, resource.mime_type) == (listed()[0]["run"], "Tea?", "text/markdown")
    assert text == moot("show", resource.name, "--format", "md").stdout
    assert refusal.startswith("run = 'debate-x': no such run in this database")


def test_a_prompt_asks_the_assistant_for_a_deliberation_or_to_explain_one() -> None:
    async def ask(client: Client) -> tuple[list[str], str, str, str]:
        names = [prompt.name for prompt in (await client.list_prompts()).prompts]
        debate = (await client.get_prompt("debate", {"topic": "Tea {run}?"})).messages[0].content.text  # type: ignore[union-attr]
        explain = (await client.get_prompt("explain", {"run": "debate-x"})).messages[0].content.text  # type: ignore[union-attr]
        with pytest.raises(MCPError) as error:
            await client.get_prompt("jury", {})
        return names, debate, explain, str(error.value)

    names, debate, explain, refusal = talk_here(ask)
    assert names == ["debate", "consensus", "discussion", "panel", "jury", "delphi", "explain"]
    assert "the protocol `debate` and this question:\n\nTea {run}?\n\n" in debate
    assert "for the run `debate-x`" in explain
    assert refusal == "topic = '': must be given"


def is_open(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        return connection.recv(65536) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


@pytest.mark.long
def test_over_http_a_client_needs_the_token_and_strangers_are_counted() -> None:
    token = "a-token-of-a-test-0123"
    called = [PROGRAM, "mcp", "--port", "0", "--model", "rehearsal"]
    process = subprocess.Popen(called, stdout=subprocess.PIPE, text=True, env=os.environ | {"MOOT_MCP_TOKEN": token})
    assert process.stdout
    url = process.stdout.readline().strip()

    async def ask(sent_token: str) -> dict[str, Any]:
        headers = {"authorization": f"Bearer {sent_token}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60, trust_env=False) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            return read_result(await client.call_tool("debate", {"topic": "Tea?", "max_turns": 2}))

    try:
        assert asyncio.run(ask(token))["run"] == listed()[0]["run"]
        assert httpx.post(url, headers={"authorization": "Bearer wrong"}, json={}, trust_env=False).status_code == 401
        assert httpx.post(url, json={}, trust_env=False).status_code == 401
        allowed = {"authorization": f"Bearer {token}"}
        assert httpx.post(url, headers=allowed, content=b"x" * 2_000_001, trust_env=False).status_code == 413
        assert len(listed()) == 1
        port = int(url.rpartition(":")[2].partition("/")[0])
        flood = [socket.create_connection(("127.0.0.1", port)) for _ in range(60)]
        assert httpx.post(url, json={}, trust_env=False).status_code == 401
        assert sum(map(is_open, flood)) <= 50
        time.sleep(11)
        assert not any(map(is_open, flood)), "they sent no headers within 10 s"
        for connection in flood:
            connection.close()
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    output = moot("mcp", "--port", "0", "--host", "0.0.0.0")
    assert "MOOT_MCP_TOKEN = '…': set it to a secret of at least 16 characters" in output.stderr


REFUSED = {
    "an unknown argument": ("debate", {"topic": "x", "max_turn": 4}, "max_turn = 4: unknown key; did you mean max_tu"),
    "out of bounds": ("debate", {"topic": "x", "max_turns": -4}, "max_turns = -4: must be at least"),
    "nothing to talk of": ("consensus", {}, "topic = None: must be given"),
    "no list": ("consensus", {"topic": "x", "participants": "Ada"}, "participants = 'Ada': give a list of names"),
    "an address": (
        "debate",
        {"topic": "x", "model": "openai:a@http://h/v1"},
        "model = 'openai:a': this server does not let",
    ),
    "a file": ("debate", {"topic": "x", "record": "/tmp/x"}, "record = '/tmp/x': unknown key"),
    "council": ("council", {"query": "x", "councilMaxTurns": 99}, "councilMaxTurns = 99: must be at most"),
    "no protocol": (
        "start",
        {"protocol": "tea"},
        "protocol = 'tea': choose one of debate, consensus, discussion, panel",
    ),
    "no end": (
        "discussion",
        {"topic": "x"},
        "max_turns = None: must be given, since a session of models alone would never end",
    ),
    "no topic": ("justice", {"topic": "x"}, "topic = 'x': unknown key"),
    "a synthesizer's address": (
        "council",
        {"query": "x", "councilSynthesizer": "openai:a@http://h/v1"},
        "councilSynthesizer = 'openai:a@http://h/v1': unknown key",
    ),
    "a seat's address": ("justice", {"participants": ["A=openai:a@http://h/v1", "B"]}, "model of A = 'openai:a': this"),
    "nothing to stop": ("stop", {"run": "debate-x"}, "run = 'debate-x': no such run in this database"),
    "no run": ("status", {"run": "debate-x"}, "run = 'debate-x': no such run in this database"),
    "no name": ("result", {}, "run = None: give the name of a saved run"),
    "no tool": (
        "vote",
        {},
        "tool = 'vote': choose one of debate, consensus, discussion, panel, jury, delphi",
    ),
}


def test_what_cannot_be_used_is_refused_with_key_value_and_remedy_and_nothing_is_kept() -> None:
    moot("debate", "Tea?", "--model", "rehearsal", "--max-turns", "2")

    async def ask(client: Client) -> list[CallToolResult]:
        return [await client.call_tool(name, given) for name, given, _ in REFUSED.values()]

    answers = talk_here(ask)
    for (case, (_, _, line)), answer in zip(REFUSED.items(), answers, strict=True):
        assert answer.is_error, case
        assert answer.content[0].text.startswith(line), case
    assert len(listed()) == 1


def test_a_run_that_is_stopped_says_how_to_go_on() -> None:
    async def ask(client: Client) -> tuple[CallToolResult, dict[str, Any]]:
        answer = await client.call_tool("debate", {"topic": "Tea?"})
        return answer, read_result(await client.call_tool("status", {"run": listed_run(answer)}))

    with FakeServer(script(["What I say, at some length.", Fault.status(401)])) as fake:
        answer, status = talk_here(ask, f"openai:x@{fake.url}")
    assert answer.is_error
    assert (status["status"], status["running"], status["turns"]) == ("unfinished", False, 1)
    assert f"resume {status['run']}" in status["remedy"]


def listed_run(answer: CallToolResult) -> str:
    """The run that a stopped tool says it saved."""
    match = re.search(r"Saved. Continue: .* resume (\S+)", answer.content[0].text)  # type: ignore[union-attr]
    assert match, answer.content
    return match[1]


@pytest.mark.long
def test_what_is_under_way_when_the_client_leaves_can_be_resumed() -> None:
    asking = {"protocol": "consensus", "topic": "Tea?"}
    run = read_result(talk(lambda client: client.call_tool("start", asking), "--model", "rehearsal"))["run"]
    report = document("resume", run)
    assert report["status"] == "completed"


def test_without_its_package_the_command_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("moot.app.tools.mcp.command.find_spec", lambda name: None)
    output = moot("mcp")
    assert output.exit_code == 2
    assert 'pip install "moot[mcp]"' in output.stderr
