"""`moot serve --a2a`, asked by the SDK's own client and by a seat of another deliberation."""

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import httpx
import moot
import pytest
from a2a.client import Client, ClientConfig, create_client
from a2a.client.errors import A2AClientError
from a2a.helpers import (
    get_data_parts,
    get_message_text,
    get_text_parts,
    new_data_message,
    new_data_part,
    new_raw_part,
    new_text_message,
    new_text_part,
)
from a2a.types import (
    CancelTaskRequest,
    GetTaskRequest,
    ListTasksRequest,
    Message,
    Part,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    StreamResponse,
    SubscribeToTaskRequest,
    Task,
    TaskState,
)
from a2a.utils.errors import (
    ContentTypeNotSupportedError,
    InternalError,
    InvalidParamsError,
    TaskNotCancelableError,
    TaskNotFoundError,
    UnsupportedOperationError,
)
from command import document
from moot.app.commands.room.serve import serve
from moot.app.web.a2a_tasks import parse_answer
from moot.state import InputError
from servers.room import Room, open_room

KEY, OTHER, THIRD = "key-of-a-test-0123456789", "another-key-0123456789", "a-third-key-0123456789"
SLOW: Any = {"max_turns": 20}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("room")


@pytest.fixture(scope="module")
def room(folder: Path) -> Iterator[Room]:
    (folder / "keys").write_text(f"{KEY}\n{OTHER}\n{THIRD}\n")
    words = ("--a2a", "--model", "rehearsal", "--api-key-file", str(folder / "keys"), "--rehearsal-delay", "0.1")
    with open_room(folder, *words) as room:
        yield room


@asynccontextmanager
async def connected(room: Room, protocol: str = "debate", key: str = KEY, **headers: str) -> AsyncIterator[Client]:
    """The SDK's client of a protocol."""
    headers |= {"authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(headers=headers, timeout=30, trust_env=False) as http_client:
        yield await create_client(f"{room.root}/a2a/{protocol}", ClientConfig(httpx_client=http_client))


def asking(text: str = "Tea or coffee?", context: str = "", at_once: bool = False, **settings: Any) -> Any:
    """A message that asks something, with settings."""
    message = new_text_message(text, role=Role.ROLE_USER, context_id=context or None)
    message.metadata.update({"moot": {"max_turns": 2, "seed": 7} | settings})
    return SendMessageRequest(message=message, configuration=SendMessageConfiguration(return_immediately=at_once))


async def streamed(events: AsyncIterator[StreamResponse]) -> list[Any]:
    """What a stream brings: tasks, artifacts and states with their texts."""
    found: list[Any] = []
    async for event in events:
        if event.HasField("status_update"):
            status = event.status_update.status
            found.append((TaskState.Name(status.state)[11:], get_message_text(status.message)))
        else:
            found.append(event.task if event.HasField("task") else event.artifact_update.artifact)
    return found


async def begun(client: Client, **settings: Any) -> Task:
    """A task that has just begun."""
    async for event in client.send_message(asking(**settings)):
        return event.task
    raise AssertionError("nothing came")


@pytest.mark.long
def test_a_card_is_open_to_all_and_says_that_a_key_is_needed(room: Room) -> None:
    card = httpx.get(f"{room.root}/a2a/council/.well-known/agent-card.json", trust_env=False).json()
    assert card["name"] == "moot/council"
    assert card["supportedInterfaces"][0]["url"] == f"{room.root}/a2a/council"
    assert card["securityRequirements"] == [{"schemes": {"key": {}}}]
    assert httpx.get(f"{room.root}/a2a/nothing/.well-known/agent-card.json", trust_env=False).status_code == 404


def test_a_question_is_streamed_as_a_task_its_statements_its_artifact_and_its_end(room: Room, folder: Path) -> None:
    async def ask() -> tuple[list[Any], Task, Any]:
        async with connected(room) as client:
            found = await streamed(client.send_message(asking(context="kitchen")))
            task = await client.get_task(GetTaskRequest(id=found[0].id))
            with pytest.raises(UnsupportedOperationError, match="has ended; call tasks/get"):
                await streamed(client.subscribe(SubscribeToTaskRequest(id=task.id)))
            return found, task, await client.list_tasks(ListTasksRequest(context_id="kitchen"))

    (first, *statements, artifact, last), task, listed = asyncio.run(ask())
    saved = document("show", first.id, "--db", folder / "moot.db")
    assert (first.context_id, saved["topic"]) == ("kitchen", "Tea or coffee?")
    texts = [f"{turn['speakerId']}: {turn['content']}" for turn in saved["turns"]]
    assert statements == [("WORKING", text) for text in texts]
    assert [part for part in get_text_parts(artifact.parts) if saved["synthesis"] in part]
    (result,) = get_data_parts(artifact.parts)
    assert (result["run"], len(result["history"]), result["usage"]["total_tokens"]) == (
        first.id,
        2,
        saved["totalTokens"],
    )
    assert last == ("COMPLETED", saved["headline"])
    assert [get_message_text(message) for message in task.history] == ["Tea or coffee?", *texts]
    assert task.artifacts[0] == artifact
    assert [task.id for task in listed.tasks] == [first.id]
    assert not listed.tasks[0].artifacts


def test_a_task_goes_on_without_its_client_and_is_followed_again(room: Room) -> None:
    async def ask() -> tuple[Task, list[Any]]:
        async with connected(room) as client:
            task = await begun(client, max_turns=4)
            return task, await streamed(client.subscribe(SubscribeToTaskRequest(id=task.id)))

    begun_task, (task, *_, artifact, last) = asyncio.run(ask())
    assert (task.id, artifact.name, last[0]) == (begun_task.id, "synthesis", "COMPLETED")


def test_a_canceled_task_stops_after_a_saved_step_and_its_run_can_be_resumed(room: Room, folder: Path) -> None:
    async def ask() -> list[Any]:
        async with connected(room) as client:
            task = await begun(client, at_once=True, **SLOW)
            canceled = await client.cancel_task(CancelTaskRequest(id=task.id))
            with pytest.raises(TaskNotCancelableError, match="has ended"):
                await client.cancel_task(CancelTaskRequest(id=task.id))
            return [canceled, await client.get_task(GetTaskRequest(id=task.id))]

    canceled, found = asyncio.run(ask())
    assert {canceled.status.state, found.status.state} == {TaskState.TASK_STATE_CANCELED}
    saved = document("show", canceled.id, "--db", folder / "moot.db")
    assert saved["fault"] == "canceled by the client that started it"
    assert saved["terminationReason"] is None


def test_a_persons_turn_requires_input_and_a_message_is_the_answer(room: Room) -> None:
    async def ask() -> tuple[Task, list[Any], Task]:
        async with connected(room) as client:
            found = await streamed(client.send_message(asking(participants=["Ada", "Ben=person"], max_turns=3)))
            waiting = await client.get_task(GetTaskRequest(id=found[0].id))
            while waiting.status.state == TaskState.TASK_STATE_INPUT_REQUIRED:
                message = new_text_message("I drink water.", task_id=waiting.id, role=Role.ROLE_USER)
                if forms := get_data_parts(waiting.status.message.parts):
                    message = answer_form(forms[0]["schema"], waiting.id)
                await streamed(client.send_message(SendMessageRequest(message=message)))
                waiting = await client.get_task(GetTaskRequest(id=found[0].id))
            with pytest.raises(UnsupportedOperationError, match="waits for no answer now"):
                await streamed(client.send_message(SendMessageRequest(message=message)))
            return found[0], found, waiting

    _, found, task = asyncio.run(ask())
    assert found[-1][0] == "INPUT_REQUIRED"
    assert "Ben" in found[-1][1]
    assert task.status.state == TaskState.TASK_STATE_COMPLETED
    assert "Ben: I drink water." in [get_message_text(message) for message in task.history]


DATA: Any = {"weight": 4, "certainty": 1, "standing": [1, 2], "scores": [{"option": "A", "score": 2.5}]}
PARTS: list[tuple[list[Part], Any]] = [
    ([new_text_part("Vote: A")], "Vote: A"),
    ([new_data_part(DATA)], DATA | {"certainty": 1.0}),
    ([new_data_part({"choice": "A"}), new_data_part({"choice": "B"})], [{"choice": "A"}, {"choice": "B"}]),
    ([new_data_part({"choice": "A"}), new_text_part("Vote: B")], [{"choice": "A"}, "Vote: B"]),
    ([new_data_part({}), new_text_part("Vote: B")], [{}, "Vote: B"]),
    ([], ""),
]


@pytest.mark.parametrize(("parts", "answer"), PARTS)
def test_an_answer_is_one_part_and_its_whole_numbers_are_whole(parts: list[Part], answer: Any) -> None:
    schema = {"properties": {"weight": {"type": "integer"}, "certainty": {"type": "number"}}}
    parsed = parse_answer(Message(parts=parts), schema)
    assert json.dumps(parsed, sort_keys=True) == json.dumps(answer, sort_keys=True)


def answer_form(schema: Any, task_id: str) -> Message:
    """The first choice in each field of a form."""
    fields = {
        name: (field.get("enum") or [{"boolean": False, "integer": 1, "number": 1}.get(field.get("type"), "No.")])[0]
        for name, field in schema["properties"].items()
    }
    message = new_data_message(fields, role=Role.ROLE_USER)
    message.task_id = task_id
    return message


@pytest.mark.long
def test_its_start_says_where_the_agents_are_and_where_the_key_is(tmp_path: Path) -> None:
    for key in ("shown once: moot-", "printed at the first start; --new-api-key makes a new one"):
        with open_room(tmp_path, "--a2a", "--model", "rehearsal") as room:
            assert room.process.stdout
            lines = [room.process.stdout.readline() for _ in range(2)]
        assert lines[0].startswith(f"Key for {room.root}/v1, {key}")
        assert lines[1].startswith(f"Agents: {room.root}/a2a/NAME (debate, consensus, ")
        assert "discussion" not in lines[1]


def test_a_foreign_key_page_or_task_is_refused(room: Room) -> None:
    async def ask(key: str = KEY, **headers: str) -> Any:
        async with connected(room, key=key, **headers) as client:
            return await client.list_tasks(ListTasksRequest())

    for key, headers, status in ((KEY + "x", {}, 401), (KEY, {"origin": "https://evil.example"}, 403)):
        with pytest.raises(A2AClientError, match=f"HTTP Error {status}"):
            asyncio.run(ask(key, **headers))

    async def look() -> None:
        async with connected(room) as client, connected(room, key=OTHER) as stranger:
            task = await begun(client, at_once=True)
            for ask in (
                stranger.get_task(GetTaskRequest(id=task.id)),
                stranger.cancel_task(CancelTaskRequest(id=task.id)),
            ):
                with pytest.raises(TaskNotFoundError):
                    await ask
            assert (await stranger.list_tasks(ListTasksRequest())).tasks == []

    asyncio.run(look())
    connection = HTTPConnection(room.root.removeprefix("http://"))
    connection.request("POST", "/a2a/debate", headers={"content-length": "9000000", "authorization": f"Bearer {KEY}"})
    assert connection.getresponse().status == 413
    connection.close()


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"max_turn": 2}, r"moot\.max_turn = 2.*did you mean max_turns"),
        ({"db": "other.db"}, r"moot\.db = 'other\.db': unknown key"),
        ({"participants": ["Ada=openai:gpt-5"]}, "must be one of this server's models: rehearsal"),
    ],
)
def test_a_setting_that_clients_may_not_name_is_refused(room: Room, settings: Any, fault: str) -> None:
    async def ask() -> None:
        async with connected(room) as client:
            await streamed(client.send_message(asking(**settings)))

    with pytest.raises(InvalidParamsError, match=fault):
        asyncio.run(ask())


NO_PARAMS = '{"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": 7}'
BROKEN = ['{"jsonrpc": "2.0", "id"', "1e999", "[" * 5000, NO_PARAMS]


def test_a_request_that_is_no_json_rpc_is_refused_without_a_traceback(tmp_path: Path) -> None:
    (tmp_path / "keys").write_text(KEY)
    words = ("--a2a", "--model", "rehearsal", "--api-key-file", str(tmp_path / "keys"))
    with open_room(tmp_path, *words) as room:
        headers = {"authorization": f"Bearer {KEY}"}
        with httpx.Client(base_url=room.root, headers=headers, timeout=30, trust_env=False) as client:
            replies = [client.post("/a2a/debate", content=text).json() for text in BROKEN]
        room.process.send_signal(signal.SIGINT)
        errors = room.process.communicate(timeout=30)[1]
    assert all(reply["error"]["code"] <= -32600 for reply in replies)
    assert "Traceback" not in errors


@pytest.mark.long
def test_tasks_are_listed_page_by_page_by_context_and_state(room: Room) -> None:
    async def ask() -> tuple[list[str], list[str], list[str]]:
        async with connected(room, key=THIRD) as client:
            ids = []
            for context in ("one", "two", "two"):
                ids.append((await begun(client, context=context)).id)
                await streamed(client.subscribe(SubscribeToTaskRequest(id=ids[-1])))
            seen, token = list[str](), ""
            while not seen or token:
                page = await client.list_tasks(ListTasksRequest(page_size=2, page_token=token))
                seen, token = seen + [task.id for task in page.tasks], page.next_page_token
            completed = ListTasksRequest(context_id="two", status=TaskState.TASK_STATE_COMPLETED)
            return ids, seen, [task.id for task in (await client.list_tasks(completed)).tasks]

    ids, seen, completed = asyncio.run(ask())
    assert seen == ids[::-1]
    assert completed == ids[:0:-1]


@pytest.mark.long
def test_a_client_gets_what_the_operator_allows_and_no_more(tmp_path: Path) -> None:
    (tmp_path / "keys").write_text(KEY)
    words = ("--a2a", "--model", "rehearsal", "--api-key-file", str(tmp_path / "keys"), "--max-starts", "1")

    async def ask(room: Room) -> Any:
        async with connected(room) as client:
            with pytest.raises(InvalidParamsError, match=r"give at most 4, the limit of this server"):
                await begun(client, max_calls=5)
            with pytest.raises(InternalError, match="the limit of starts per minute is reached; wait a minute"):
                await begun(client)
            return (await client.list_tasks(ListTasksRequest())).tasks

    with open_room(tmp_path, *words, MOOT_MAX_CALLS="4") as room:
        assert asyncio.run(ask(room)) == []


@pytest.mark.long
def test_a_task_survives_the_death_of_its_server(tmp_path: Path) -> None:
    async def begin(room: Room) -> str:
        async with connected(room) as client:
            return (await begun(client, **SLOW)).id

    async def follow(room: Room, task: str) -> list[Any]:
        async with connected(room) as client:
            return await streamed(client.subscribe(SubscribeToTaskRequest(id=task)))

    (tmp_path / "keys").write_text(KEY)
    words = ("--a2a", "--model", "rehearsal", "--api-key-file", str(tmp_path / "keys"), "--rehearsal-delay", "0.15")
    with open_room(tmp_path, *words) as room:
        task = asyncio.run(begin(room))
        room.kill()
    with open_room(tmp_path, *words) as room:
        assert asyncio.run(follow(room, task))[-1][0] == "COMPLETED"


def test_a_file_is_refused(room: Room) -> None:
    async def ask() -> None:
        async with connected(room) as client:
            request = asking()
            request.message.parts.append(new_raw_part(b"%PDF", "application/pdf"))
            await streamed(client.send_message(request))

    with pytest.raises(ContentTypeNotSupportedError, match="send a text"):
        asyncio.run(ask())


@pytest.mark.long
def test_a_deliberation_here_holds_a_seat_of_another_one(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROOM_API_KEY", KEY)
    spec = f"a2a:{room.root}/a2a/jury#ROOM_API_KEY"
    outer = moot.agent("debate", model="rehearsal", seed=7, max_turns=2, models={"PRO": spec}).run("Ban cars?")
    assert outer.history[0].content.startswith("Rehearsal: no model took part.")
    assert [call.outcome for call in outer.calls] == ["ok"] * 3


@pytest.mark.long
def test_without_its_package_one_line_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "moot.app.web.a2a_endpoint", None)
    with pytest.raises(InputError, match=r"""serve = '--a2a': .* pip install "moot\[a2a\]\""""):
        serve(a2a=True)
