"""Nothing that a client of a server sends, stores or forks raises what its operator allows, by any entrance."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, cast

import httpx
import httpx2
import pytest
import yaml
from fakeserver import FakeServer, Reply, Request
from fakeserver.echo import echo_by_hash
from fakeserver.spoilt import make_reply
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, Send, StateUpdate
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from moot.app.protocols.registry import get_protocol, map_protocols
from moot.app.run.config_file import merge_value
from moot.app.saved import load_saved_run, open_database
from moot.app.schema_fields import SchemaField, list_settings
from moot.app.tools.mcp.arguments import build_tool_request, map_tool_settings
from moot.app.tools.mcp.http_server import TokenGuard
from moot.app.tools.mcp.runs import ServerRuns
from moot.app.tools.mcp.server import build_server
from moot.app.web.a2a_endpoint import build_a2a_endpoint
from moot.app.web.application import build_application, watch_room
from moot.app.web.login import COOKIE, Login
from moot.app.web.openai.chat_request import ModelDefaults, map_offered_models
from moot.app.web.openai.client_runs import ClientRuns
from moot.app.web.openai.endpoint import ClientSettings, build_endpoint
from moot.app.web.openai.keys import ApiKeys
from moot.app.web.room import Room
from moot.app.web.run_driver import RunDriver
from moot.models.failures import RunStoppedError
from moot.models.operator_policy import get_operator_policy
from moot.storage.database import get_default_database
from pydantic import ValidationError
from sampling import sample_cases
from starlette.routing import Mount

CLIENT: dict[str, Any] = {"langgraph_auth_user": {"identity": "guest"}}
CAPS = {"MOOT_MAX_CALLS": "9", "MOOT_MAX_TOKENS": "24000", "MOOT_MAX_COST": "0.1", "MOOT_MAX_ATTEMPTS": "2"}
CAPS |= {"MOOT_PRICES": '{"input": 5, "output": 5}', "MOOT_MAX_ANSWER_TOKENS": "500"}
SHORT = {"max_turns": 6, "max_rounds": 2, "seed": 1, "juror_count": 3, "expert_count": 3}
SECRET = "nobody-opens-this"
KEY = "key-of-a-test-0123456789"
opened: list[str] = []
"""What was opened of what nobody may open."""


@sys.addaudithook
def watch(event: str, arguments: tuple[Any, ...]) -> None:
    if event in ("open", "os.listdir", "os.scandir", "sqlite3.connect", "os.mkdir") and SECRET in str(arguments[0]):
        opened.append(f"{event} {arguments[0]}")


class Operator:
    """A model server that the operator allows, another one that nobody allows, and what was spent at the first."""

    def __init__(self, allowed: FakeServer, foreign: FakeServer, folder: Path) -> None:
        self.allowed, self.foreign, self.folder = allowed, foreign, folder
        self.spec = f"openai:any@{allowed.url}"
        self.calls = self.tokens = 0

    def answer(self, request: Request) -> Reply:
        """The longest answer that the request allows."""
        reply, cap = make_reply(echo_by_hash(request), request), request.cap or 0
        self.calls += 1
        self.tokens += len(request.text.encode()) // 4 + cap
        return replace(reply, usage={"completion_tokens": cap})

    def check(self) -> None:
        assert not self.foreign.requests
        assert not opened
        assert self.calls <= 9
        assert self.tokens <= 20_000  # what the cost buys
        self.calls = self.tokens = 0


@pytest.fixture
def operator(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Operator]:
    with FakeServer() as allowed, FakeServer() as foreign:
        for name, value in (CAPS | {"MOOT_ALLOW_ORIGINS": allowed.url.removesuffix("/v1")}).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("MOOT_MODEL", f"openai:any@{allowed.url}")
        operator = Operator(allowed, foreign, tmp_path)
        allowed.reply = operator.answer
        get_operator_policy.cache_clear()
        opened.clear()
        yield operator
        get_operator_policy.cache_clear()


def forge(field: SchemaField, operator: Operator) -> list[Any]:
    """Values of a field that would raise spend or reach, by its type alone."""
    address, path = f"openai:any@{operator.foreign.url}", str(operator.folder / SECRET)
    schema, item = field.schema, field.item.schema
    if field.choices:
        return [choice for choice in field.choices if choice != field.default]
    match schema.get("type"):
        case "integer" | "number":
            low, high = schema.get("minimum", schema.get("exclusiveMinimum", 0)), schema.get("maximum", 10**9)
            return [low, schema.get("exclusiveMaximum", high), *([None] if field.may_be_none else [])]
        case "boolean":
            return [not field.default]
        case "array" if item.get("type") == "string":
            return [[path], [address]]
        case "array" if item.get("type") in ("number", "integer"):
            return [[item.get("maximum", 10)] * schema.get("minItems", 3)]
        case "array":
            return [[{**dict(one), "model": address} for one in field.default or [{"name": "Ada"}] * 3]]
        case "object" if schema.get("additionalProperties", {}).get("type") == "string":
            return [{"synthesizer": address, "judge": address}]
        case "object":
            return [{operator.spec: {"input": 0, "output": 0}}]
    return [address, path, f"{operator.foreign.url}/x"]


CASES = [
    (name, field) for name, entry in map_protocols().items() for field in list_settings(entry.graph.context_schema)
]
"""Every field of every protocol, from its schema."""


def make_input(name: str) -> dict[str, Any]:
    key = get_protocol(name).topic_key
    return {key: "Tea or coffee?"} if key else {}


def make_context(name: str, operator: Operator) -> dict[str, Any]:
    fields = get_protocol(name).graph.context_schema.model_fields
    return {key: value for key, value in SHORT.items() if key in fields} | {"model": operator.spec}


@asynccontextmanager
async def begun(name: str, operator: Operator, **until: Any):  # type: ignore[no-untyped-def]
    """A client's thread after its first step, or as far as `until` says."""
    graph = get_protocol(name).module.build().compile(checkpointer=InMemorySaver())
    thread = {"configurable": {"thread_id": "a", **CLIENT}}
    until = until or {"interrupt_after": ["convene"]}
    await graph.ainvoke(make_input(name), thread, context=make_context(name, operator), **until)
    yield graph, thread


async def send_context(name: str, key: str, value: Any, operator: Operator) -> None:
    context = merge_value(make_context(name, operator), key, value)
    await get_protocol(name).module.graph.ainvoke(make_input(name), {"configurable": CLIENT}, context=context)


async def send_configurable(name: str, key: str, value: Any, operator: Operator) -> None:
    """As an assistant with an old-style configuration has it, which outranks no context."""
    config = {"configurable": CLIENT | merge_value(make_context(name, operator), key, value)}
    await get_protocol(name).module.graph.ainvoke(make_input(name), config, context=make_context(name, operator))


async def update_state(name: str, key: str, value: Any, operator: Operator) -> None:
    async with begun(name, operator) as (graph, thread):
        settings = (await graph.aget_state(thread)).values["settings"].model_dump(mode="json")
        await graph.aupdate_state(thread, {"settings": merge_value(settings, key, value)})
        await graph.ainvoke(None, thread)


async def send_command(name: str, key: str, value: Any, operator: Operator) -> None:
    async with begun(name, operator) as (graph, thread):
        state = await graph.aget_state(thread)
        settings = merge_value(state.values["settings"].model_dump(mode="json"), key, value)
        await graph.ainvoke(Command(update={"settings": settings}, goto=list(state.next)), thread)


async def fork_thread(name: str, key: str, value: Any, operator: Operator) -> None:
    async with begun(name, operator, durability="sync") as (graph, thread):
        operator.check()
        first = [state async for state in graph.aget_state_history(thread) if state.values.get("participants")][-1]
        settings = merge_value(first.values["settings"].model_dump(mode="json"), key, value)
        aupdate_state = await graph.aupdate_state(first.config, {"settings": settings})
        await graph.ainvoke(None, {"configurable": CLIENT | aupdate_state["configurable"]})


@asynccontextmanager
async def visited(operator: Operator):  # type: ignore[no-untyped-def]
    """A room that others reach, its endpoint, and somebody who has come in."""
    (operator.folder / "keys").write_text(KEY)
    async with open_database(get_default_database()) as store:
        clients = ClientSettings(ApiKeys(operator.folder / "keys", False), ModelDefaults([operator.spec]))
        room = Room(store, RunDriver(store, 0, client_models=()), Login(KEY), is_exposed=True)
        runs = ClientRuns(room)
        routes = [Mount("/v1", build_endpoint(runs, clients)), Mount("/a2a", build_a2a_endpoint(runs, clients))]
        app = build_application(room, ["room"], routes)
        headers = {"origin": "http://room", "authorization": f"Bearer {KEY}"}
        transport = httpx.ASGITransport(app)
        cookies = {COOKIE: room.login.make_cookie()}
        client = httpx.AsyncClient(transport=transport, base_url="http://room", headers=headers, cookies=cookies)
        async with watch_room(app), client as inside:
            yield room, inside
            while room.driver._driven_runs:
                await asyncio.sleep(0.01)


def write(value: Any) -> str:
    return yaml.safe_dump(value, default_flow_style=True, width=10_000).removesuffix("...\n").strip()


async def fill_form(name: str, key: str, value: Any, operator: Operator) -> None:
    values = make_input(name) | make_context(name, operator) | {key: value, "do": "begin", "most": "tokens=24000"}
    data = {each: write(element) for each, element in values.items()}
    names = ("Ada", "Ben") if name == "debate" else ("Ada", "Ben", "Cleo")
    data |= {f"seat.{seat}.name": who for seat, who in enumerate(names, 1)}
    if key == "model":  # a participant's own as well
        data["seat.1.model"] = str(value)
    async with visited(operator) as (_, inside):
        await inside.post(f"/new?protocol={name}", data=data)


async def fork_in_room(name: str, key: str, value: Any, operator: Operator) -> None:
    form = {each: write(one) for each, one in (make_input(name) | make_context(name, operator)).items()}
    async with visited(operator) as (room, inside):
        response = await inside.post(f"/new?protocol={name}", data=form | {"do": "begin", "most": "tokens=24000"})
        assert response.status_code == 303, response.text
        run = response.headers["location"]
        while room.driver._driven_runs:
            await asyncio.sleep(0.01)
        operator.check()
        for statement in (await load_saved_run(room.store, run.rpartition("/")[2])).state["history"][:1]:
            form = {"turn": str(statement.turn), "rules": f"{key}={write(value)}"}
            await inside.post(f"{run}/fork", data=form)


async def send_body(operator: Operator, path: str, body: dict[str, Any], **headers: str) -> None:
    """Send a program's request."""
    async with visited(operator) as (_, inside):
        del inside.headers["origin"]  # a program sends none
        answer = await inside.post(path, content=json.dumps(body), headers=headers)
        assert answer.status_code not in (401, 403, 404, 405, 415), answer.text


async def ask_endpoint(name: str, key: str, value: Any, operator: Operator) -> None:
    messages = [{"role": "user", "content": "Tea?"}]
    body = {"model": f"moot/{name}", "messages": messages, "moot": {key: value}}
    await send_body(operator, "/v1/chat/completions", body)


async def ask_for_response(name: str, key: str, value: Any, operator: Operator) -> None:
    await send_body(operator, "/v1/responses", {"model": f"moot/{name}", "input": "Tea?", "moot": {key: value}})


async def send_message(name: str, key: str, value: Any, operator: Operator) -> None:
    message = {"messageId": "1", "role": "ROLE_USER", "parts": [{"text": "Tea?"}], "metadata": {"moot": {key: value}}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": message}}
    await send_body(operator, f"/a2a/{name}", body, **{"A2A-Version": "1.0", "content-type": "application/json"})


def make_arguments(name: str, operator: Operator) -> dict[str, Any]:
    caps = {"max_turns": 3, "max_calls": 9, "max_total_tokens": 20_000}
    return make_input(name) | {"model": operator.spec} | caps


async def call_tool(name: str, key: str, value: Any, operator: Operator) -> None:
    if name in map_tool_settings():
        arguments = make_arguments(name, operator) | {key: value}
        await ServerRuns("").run_deliberation(build_tool_request(name, arguments), None)


async def call_tool_over_http(name: str, key: str, value: Any, operator: Operator) -> None:
    runs = ServerRuns("", operator.spec, [operator.spec])
    app = build_server(runs).streamable_http_app(host="127.0.0.1")
    transport = httpx2.ASGITransport(TokenGuard(app, KEY))
    headers = {"authorization": f"Bearer {KEY}", "host": "127.0.0.1:80"}
    try:
        async with (
            app.router.lifespan_context(app),
            httpx2.AsyncClient(transport=transport, headers=headers, timeout=60) as http,
            Client(streamable_http_client("http://127.0.0.1/mcp", http_client=http)) as client,
        ):
            if name in map_tool_settings():
                await client.call_tool(name, make_arguments(name, operator) | {key: value})
    finally:
        await runs.close()


def test_a_request_of_a_chat_program_itself_is_in_the_journal_of_the_day_and_under_the_operators_caps(
    operator: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = "### Task:\nGenerate tags.\n<chat_history>\nUSER: Tea?\n</chat_history>"
    body = {"model": "moot/debate", "messages": [{"role": "user", "content": task}]}

    async def ask() -> tuple[httpx.Response, tuple[int, int, float]]:
        async with visited(operator) as (room, inside):
            del inside.headers["origin"]
            answer = await inside.post("/v1/chat/completions", json=body)
            return answer, await room.store.journal.sum_daily_spending()

    answer, (calls, tokens, cost) = asyncio.run(ask())
    assert answer.status_code == 200, answer.text
    assert (calls, operator.calls) == (1, 1)
    assert tokens > 0 < cost
    operator.check()
    monkeypatch.setenv("MOOT_MAX_TOKENS", "100")
    get_operator_policy.cache_clear()
    answer, (calls, *_) = asyncio.run(ask())
    assert answer.status_code == 502, answer.text
    assert (calls, operator.calls) == (1, 0)


Entrance = Callable[[str, str, Any, Operator], Awaitable[None]]
ENTRANCES: dict[str, Entrance] = {
    "context": send_context,
    "assistant": send_configurable,
    "update_state": update_state,
    "Command": send_command,
    "fork": fork_thread,
    "form": fill_form,
    "fork in the room": fork_in_room,
    "/v1": ask_endpoint,
    "/v1/responses": ask_for_response,
    "A2A": send_message,
    "MCP": call_tool,
    "MCP over HTTP": call_tool_over_http,
}
"""Every way in which a client's settings come to a server. A new entrance joins here."""

OFFERED_MODELS = map_offered_models()
FORGERIES = [
    (entrance, name, field)
    for entrance in ENTRANCES
    for name, field in CASES
    if entrance not in ("/v1", "/v1/responses", "A2A") or f"moot/{name}" in OFFERED_MODELS
]
"""Every field through every entrance that offers its protocol."""


@pytest.mark.parametrize("entrance", sorted(ENTRANCES))
def test_a_setting_that_a_client_may_choose_runs_through_every_entrance(entrance: str, operator: Operator) -> None:
    asyncio.run(ENTRANCES[entrance]("debate", "max_turns", 4, operator))
    assert operator.allowed.chats
    operator.check()


@pytest.mark.long
@pytest.mark.parametrize(
    ("entrance", "name", "field"),
    sample_cases(FORGERIES, kinds=2, most=24),
    ids=lambda value: getattr(value, "name", value),
)
def test_no_forged_field_raises_what_a_client_spends_or_reaches(
    entrance: str, name: str, field: SchemaField, operator: Operator
) -> None:
    for value in forge(field, operator):
        with suppress(ValueError, LookupError, RunStoppedError, ValidationError):  # it is refused, or leads nowhere
            asyncio.run(ENTRANCES[entrance](name, field.name, value, operator))
        operator.check()


@pytest.mark.parametrize(
    ("entrance", "name"), sample_cases([*product(sorted(ENTRANCES), ["debate", "consensus"])], kinds=2)
)
def test_prices_caps_attempts_and_sizes_that_a_client_writes_change_nothing(
    entrance: str, name: str, operator: Operator
) -> None:
    free = {"input": 0, "output": 0}
    forged = {"prices": {**free, "models": {operator.spec: free}}, "budget": {"calls": 10**6, "cost": None}}
    forged |= {"max_attempts": 10, "max_tokens_per_turn": 100_000, "reasoning_tokens": 200_000, "max_rounds": 1000}
    for key, value in forged.items():
        with suppress(ValueError, RunStoppedError, ValidationError):
            asyncio.run(ENTRANCES[entrance](name, key, value, operator))
        operator.check()


def forge_channels(operator: Operator) -> list[dict[str, Any]]:
    """Writes to channels other than the settings that would raise spend or reach."""
    seats = [{"name": name, "model": f"openai:any@{operator.foreign.url}"} for name in ("PRO", "CON")]
    free_call = {"purpose": "statement", "replayed": True}
    return [
        {"calls": {"__overwrite__": []}},
        {"calls": {"type": "__overwrite__", "value": []}},
        {"calls": [free_call | {"input_tokens": -(10**6)}]},
        {"calls": [free_call] * 2},
        {"incidents": {"__overwrite__": []}, "lookups": {"__overwrite__": []}},
        {"participants": seats},
        {"participants": [{**seat, "model": "agent:os:getcwd"} for seat in seats]},
        {"participants": [{**seat, "model": "object:RehearsalModel"} for seat in seats]},
        {"participants": {"__overwrite__": seats}},
        {"settings": {"__overwrite__": {}}},
    ]


@pytest.mark.parametrize("way", ["update_state", "Command", "pairs", "Send", "supersteps"])
def test_no_forged_channel_raises_what_a_client_spends_or_reaches(way: str, operator: Operator) -> None:
    """What was spent is counted on, whatever a client writes between the steps of its thread."""

    async def go_on(change: dict[str, Any]) -> None:
        async with begun("debate", operator) as (graph, thread):
            for _ in range(12):
                state = await graph.aget_state(thread)
                if not state.next:
                    return
                goto = list(state.next)
                command: Any = None
                with suppress(ValueError, LookupError, RunStoppedError, ValidationError):
                    match way:
                        case "update_state":
                            await graph.aupdate_state(thread, change)
                        case "supersteps":
                            await graph.abulk_update_state(thread, [[StateUpdate(cast(Any, Command(update=change)))]])
                        case "Command":
                            command = Command(update=change, goto=goto)
                        case "pairs":
                            command = Command(update=list(change.items()), goto=goto)
                        case "Send":
                            command = Command(goto=[Send(node, change) for node in goto])
                    await graph.ainvoke(command, thread, interrupt_after=["speak"])
                with suppress(ValueError, LookupError, RunStoppedError, ValidationError):
                    await graph.ainvoke(None, thread, interrupt_after=["speak"])

    for change in forge_channels(operator):
        with suppress(ValueError, LookupError, RunStoppedError, ValidationError):
            asyncio.run(go_on(change))
        operator.check()
