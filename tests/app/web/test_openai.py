"""`moot serve` as an OpenAI-compatible endpoint, asked by the official client."""

import asyncio
import json
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import openai
import pytest
from command import document, listed
from fakeserver import FakeServer, Fault, Reply, Request, script
from moot.app.run.start import create_run
from moot.app.saved import Store, open_database
from moot.app.web.event_stream import await_first_result
from moot.app.web.openai import client_runs
from moot.app.web.openai.chat_request import ChatRequest, ModelDefaults, assign_seats, build_chat_run_request
from moot.app.web.openai.client_runs import RUN_LIMIT, ClientRuns
from moot.app.web.openai.errors import convert_error
from moot.app.web.openai.keys import ApiKeys
from moot.app.web.run_driver import RunDriver as RoomDriver
from moot.state.errors import InputError
from sampling import sample_cases
from servers.room import Room, open_room

KEY, OTHER = "key-of-a-test-0123456789", "another-key-0123456789"
PAGE = "https://chat.example"
QUESTION: list[Any] = [{"role": "user", "content": "Tea or coffee?"}]
SHORT: Any = {"moot": {"max_turns": 2}}
ASKED: Any = SimpleNamespace(models={"rehearsal"})


@pytest.fixture(scope="module")
def fake() -> Iterator[FakeServer]:
    with FakeServer() as fake:
        yield fake


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("room")


@pytest.fixture(scope="module")
def keys(folder: Path) -> Path:
    file = folder / "keys"
    file.write_text(f"# keys\n{KEY}\n{OTHER}\n")
    return file


@pytest.fixture(scope="module")
def room(folder: Path, keys: Path, fake: FakeServer) -> Iterator[Room]:
    words = ("--model", f"openai:fake@{fake.url}", "--api-key-file", str(keys), "--allow-origin", PAGE)
    with open_room(folder, *words) as room:
        yield room


@pytest.fixture
def client(room: Room, fake: FakeServer) -> Iterator[openai.OpenAI]:
    fake.reset()
    with openai.OpenAI(base_url=f"{room.root}/v1", api_key=KEY) as client:
        yield client


@pytest.fixture(scope="module")
def browser(room: Room) -> Iterator[httpx.Client]:
    """Somebody who has come in and has the room's cookie."""
    with room.client() as browser:
        del browser.headers["origin"]
        yield browser


def load_document(folder: Path, run: str) -> dict[str, Any]:
    return document("show", run, "--db", folder / "moot.db")


@pytest.mark.long
def test_a_question_is_deliberated_and_answered_by_the_closing_text(
    client: openai.OpenAI, folder: Path, fake: FakeServer
) -> None:
    talk: list[Any] = [
        {"role": "system", "content": "We have no kettle."},
        {"role": "user", "content": "Is water enough?"},
        {"role": "assistant", "content": "No, it is not."},
        {"role": "user", "content": [{"type": "text", "text": "Tea or coffee?"}]},
    ]
    answer = client.chat.completions.create(model="moot/debate", messages=talk, extra_body=SHORT, top_p=0.5)
    moot = answer.model_extra["moot"]  # type: ignore[index]
    report, message = load_document(folder, moot["run"]), answer.choices[0].message
    assert (report["protocol"], report["topic"]) == ("debate", "Tea or coffee?")
    assert report["material"] == "We have no kettle.\n\nuser: Is water enough?\n\nassistant: No, it is not."
    assert message.content == report["synthesis"] != ""
    texts = [f"{turn['turnNumber']}. {turn['speakerId']}: {turn['content']}" for turn in report["turns"]]
    assert message.reasoning_content == "".join(f"{text}\n\n" for text in texts)  # type: ignore[attr-defined]
    assert (answer.choices[0].finish_reason, moot["status"], moot["unused"]) == ("stop", "completed", ["top_p"])
    assert answer.usage
    assert answer.usage.total_tokens == report["totalTokens"]
    assert answer.usage.prompt_tokens == sum(call["input_tokens"] for call in report["calls"])
    assert len(report["calls"]) == len(fake.requests) == 3


@pytest.mark.long
def test_a_long_last_message_is_told_whole_as_material_and_its_ends_are_the_topic(
    client: openai.OpenAI, folder: Path, fake: FakeServer
) -> None:
    text = "Which office? " + "It has 12 rooms. " * 1000 + "Name one city."
    talk: list[Any] = [{"role": "system", "content": "We are ten."}, {"role": "user", "content": text}]
    answer = client.chat.completions.create(model="moot/debate", messages=talk, extra_body=SHORT)
    report = load_document(folder, answer.model_extra["moot"]["run"])  # type: ignore[index]
    assert report["material"] == f"We are ten.\n\nuser: {text}"
    assert report["topic"].startswith("Answer the user's last message.")
    assert "It begins: “Which office? It has" in report["topic"]
    assert report["topic"].endswith("Name one city.”")
    assert all(text in request.text for request in fake.requests)


CLIENT_TASKS = {
    "tags in Open WebUI": "### Task:\nGenerate 1-3 broad tags.\n<chat_history>\nUSER: Tea?\n</chat_history>",
    "a title in LibreChat": "Provide a concise, 5-word-or-less title for the conversation, using title case.",
}


@pytest.mark.parametrize("case", CLIENT_TASKS)
@pytest.mark.parametrize("streamed", [False, True])
def test_a_request_that_a_chat_client_makes_for_itself_is_answered_by_one_model_which_is_said(
    case: str, streamed: bool, client: openai.OpenAI, fake: FakeServer, browser: httpx.Client
) -> None:
    before, runs = fake.reply, browser.get("/").text
    fake.reply = lambda _: "Tea Talk"
    asking: dict[str, Any] = {"messages": [{"role": "user", "content": CLIENT_TASKS[case]}], "stream": streamed}
    try:
        answer = client.chat.completions.create(model="moot/council", **asking)
    finally:
        fake.reply = before
    parts = list(answer) if streamed else [answer]
    texts = [part.choices[0].delta.content if streamed else part.choices[0].message.content for part in parts]
    assert "".join(filter(None, texts)) == "Tea Talk"
    headline = parts[-1].model_extra["moot"]["headline"]
    assert headline.startswith("A request of the chat program itself: openai:fake@")
    (request,) = fake.requests
    assert CLIENT_TASKS[case].partition("<")[0] in request.text
    assert browser.get("/").text == runs, "no run was started"


@pytest.mark.long
def test_streamed_each_statement_is_reasoning_and_the_closing_text_is_content(
    client: openai.OpenAI, folder: Path
) -> None:
    parts = list(
        client.chat.completions.create(
            model="moot/council", messages=QUESTION, stream=True, stream_options={"include_usage": True}
        )
    )
    report = load_document(folder, parts[0].id.removeprefix("chatcmpl-"))
    deltas = [part.choices[0].delta for part in parts if part.choices]
    reasoned = [text for delta in deltas if (text := getattr(delta, "reasoning_content", None))]
    texts = [f"{turn['turnNumber']}. {turn['speakerId']}: {turn['content']}\n\n" for turn in report["turns"]]
    assert reasoned == texts
    assert len(texts) == 5
    assert "".join(delta.content or "" for delta in deltas) == report["synthesis"]
    assert [part.choices[0].finish_reason for part in parts if part.choices][-1] == "stop"
    assert parts[-1].usage
    assert parts[-1].usage.total_tokens == report["totalTokens"]


@pytest.mark.long
def test_streamed_each_statement_of_a_blind_round_is_told_once_whoever_is_done_first(
    client: openai.OpenAI, folder: Path, fake: FakeServer
) -> None:
    before = fake.reply

    def slowly(request: Request) -> Reply:
        is_first = "You are Ada" in request.text.rpartition("<task>")[2]
        return Reply(str(before(request)), latency=1.0 if is_first else 0.0)

    fake.reply = slowly
    try:
        body: Any = {"moot": {"participants": ["Ada", "Ben", "Cleo"], "max_rounds": 1}}
        asking: dict[str, Any] = {"model": "moot/consensus", "messages": QUESTION, "extra_body": body}
        parts = list(client.chat.completions.create(**asking, stream=True))
    finally:
        fake.reply = before
    report = load_document(folder, parts[0].id.removeprefix("chatcmpl-"))
    deltas = [part.choices[0].delta for part in parts if part.choices]
    reasoned = [text for delta in deltas if (text := getattr(delta, "reasoning_content", None))]
    texts = [f"{turn['turnNumber']}. {turn['speakerId']}: {turn['content']}\n\n" for turn in report["turns"]]
    assert len(texts) == 3
    assert sorted(reasoned) == texts


def test_what_is_asked_stands_in_the_room(client: openai.OpenAI, browser: httpx.Client) -> None:
    answer = client.chat.completions.create(model="moot/debate", messages=QUESTION, extra_body=SHORT)
    page = browser.get(f"/runs/{answer.model_extra['moot']['run']}").text  # type: ignore[index]
    assert answer.choices[0].message.content
    assert "Tea or coffee?" in page


def test_the_models_are_the_protocols_that_models_alone_hold_on_a_question(client: openai.OpenAI) -> None:
    names = [one.id for one in client.models.list()]
    assert {"moot/council", "moot/consensus", "moot/debate", "moot/panel", "moot/jury", "moot/delphi"} == set(names)
    assert client.models.retrieve("moot/debate").id == "moot/debate"
    with pytest.raises(openai.NotFoundError, match=r"model = 'moot/tea': choose one of moot/debate, "):
        client.models.retrieve("moot/tea")


def form(schema: dict[str, Any]) -> dict[str, Any]:
    return {
        "response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object", **schema}}}
    }


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no such model": ({"model": "gpt-5"}, "model = 'gpt-5': choose one of moot/debate"),
    "no messages": ({"messages": []}, "messages = []: list should have at least 1 item"),
    "no question": ({"messages": [{"role": "system", "content": "x"}]}, "messages = 'system': end with a user's"),
    "a picture": (
        {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]},
        "messages.0.content = [{'type': 'image_url', 'image_url': {'url': 'x'}}]: give a text, or a list of parts",
    ),
    "two answers": ({"n": 2}, "n = 2: leave it out; a deliberation has only one"),
    "tools": (
        {"tools": [{"type": "function", "function": {"name": "x"}}]},
        "tools = 'x': must be allowed by this server: it allows no tools; leave it out",
    ),
    "JSON": (
        {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "array"}}}},
        "response_format = {'type': 'array'}: give a pydantic model, a TypedDict, or a JSON schema of type object",
    ),
    "tools that are words": (
        {"extra_body": {"tools": [{"function": "x"}]}},
        "tools = 'x': must be allowed by this server",
    ),
    "a form elsewhere": (form({"allOf": [{"$ref": "http://127.0.0.1:9/x"}]}), "response_format.$ref = 'http://127.0"),
    "a form in a file": (form({"allOf": [{"$ref": "file:///etc/hostname"}]}), "response_format.$ref = 'file:///etc/"),
    "a form nowhere": (form({"allOf": [{"$ref": "#/nope"}]}), "response_format.$ref = '#/nope': must name a part"),
    "an endless form": (form({"allOf": [{"$ref": "#"}]}), "response_format = None: must have at most 1000 parts"),
    "a slow pattern": (
        form({"properties": {"x": {"type": "string", "pattern": "^(a+)+$"}}}),
        "response_format.pattern = '^(a+)+$': must be absent",
    ),
    "a wide form": (form({"properties": {f"p{n}": {} for n in range(10_000)}}), "response_format = None: must have"),
    "a vote": (
        {"model": "moot/delphi", "extra_body": {"moot": {"vote": "borda"}}},
        "moot.vote = 'borda': leave it out",
    ),
    "a knob": ({"extra_body": {"moot": {"max_turn": 4}}}, "moot.max_turn = 4: unknown key; did you mean max_turns?"),
    "a file": ({"extra_body": {"moot": {"record": "/tmp/x"}}}, "moot.record = '/tmp/x': unknown key"),
    "too far": ({"extra_body": {"moot": {"max_turns": 99}}}, "moot.max_turns = 99: must be at most"),
    "a model of one's own": (
        {"extra_body": {"moot": {"participants": ["PRO=openai:dear", "CON"]}}},
        "moot.participants = 'openai:dear': must be one of this server's models: openai:fake@",
    ),
    "a person": ({"extra_body": {"moot": {"participants": ["PRO=person", "CON"]}}}, "moot.participants = 'person'"),
}


def test_what_cannot_be_done_is_refused_with_key_value_and_remedy_before_anything_is_asked(
    client: openai.OpenAI, fake: FakeServer
) -> None:
    for case, (given, line) in REFUSED.items():
        asking: dict[str, Any] = {"model": "moot/debate", "messages": QUESTION, **given}
        with pytest.raises((openai.BadRequestError, openai.NotFoundError)) as error:
            client.chat.completions.create(**asking)
        assert error.value.body["message"].startswith(line), case  # type: ignore[index]
        assert (error.value.type, bool(error.value.param)) == ("invalid_request_error", True), case
    assert not fake.requests


BODIES = {
    "no JSON": (b"{", 400, "send JSON"),
    "a tower": (b"[" * 100_000, 400, "send JSON"),
    "a list": (b"[1]", 400, "must be a mapping; its keys are model"),
    "too long": (b" " * 2_000_001, 413, "send at most 2,000,000"),
}


@pytest.mark.parametrize("case", BODIES)
def test_what_is_no_request_is_refused_in_the_same_shape(case: str, room: Room) -> None:
    body, status, said = BODIES[case]
    url, headers = f"{room.root}/v1/chat/completions", {"authorization": f"Bearer {KEY}"}
    answer = httpx.post(url, content=body, headers=headers, trust_env=False)
    assert (answer.status_code, said in answer.json()["error"]["message"]) == (status, True)


def test_only_a_key_opens_the_endpoint_and_a_key_opens_nothing_else(room: Room, browser: httpx.Client) -> None:
    key = {"authorization": f"Bearer {KEY}"}
    for headers in ({}, {"authorization": "Bearer wrong"}, {"authorization": f"Basic {KEY}"}):
        answer = browser.get("/v1/models", headers=headers)
        error = answer.json()["error"]
        assert (answer.status_code, error["code"]) == (401, "invalid_api_key"), headers
        assert "Incorrect API key provided" in error["message"], "some clients know it by these words"
        assert "`moot serve` printed the key, and --new-api-key makes another" in error["message"]
    assert browser.get("/v1/models", headers=key).status_code == 200
    for path in ("/", "/new"):
        assert httpx.get(room.root + path, headers=key, trust_env=False).headers["location"] == "/enter"
    nowhere = httpx.get(f"{room.root}/v1/tea", headers=key, trust_env=False)
    assert (nowhere.status_code, nowhere.json()["error"]["code"]) == (404, "not_found")
    foreign = httpx.get(f"{room.root}/v1/models", headers={**key, "host": "evil.example"}, trust_env=False)
    assert foreign.status_code == 421


def test_a_web_page_may_ask_only_where_its_origin_is_allowed(room: Room) -> None:
    url, key = f"{room.root}/v1/models", {"authorization": f"Bearer {KEY}"}
    for origin in ("https://evil.example", "null", room.root):
        options = httpx.get(url, headers={**key, "origin": origin}, trust_env=False)
        assert (options.status_code, options.json()["error"]["code"]) == (403, "origin_not_allowed"), origin
        assert "access-control-allow-origin" not in options.headers
    assert httpx.get(url, headers={**key, "origin": PAGE}, trust_env=False).status_code == 200
    before = {"access-control-request-method": "POST", "access-control-request-headers": "authorization"}
    allowed = httpx.options(url, headers={**before, "origin": PAGE}, trust_env=False)
    assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (200, PAGE)
    options = httpx.options(url, headers={**before, "origin": "https://evil.example"}, trust_env=False)
    assert "access-control-allow-origin" not in options.headers


def test_a_key_that_is_taken_from_the_file_opens_no_more(room: Room, keys: Path) -> None:
    with openai.OpenAI(base_url=f"{room.root}/v1", api_key=OTHER) as client:
        assert client.models.list().data
        keys.write_text(f"{KEY}\n")
        with pytest.raises(openai.AuthenticationError):
            client.models.list()
        keys.rename(keys.with_suffix(".away"))
        with pytest.raises(openai.AuthenticationError):
            client.models.list()
        keys.with_suffix(".away").rename(keys)


def test_a_key_is_made_and_shown_once_kept_as_a_digest_and_revoked_by_another(tmp_path: Path) -> None:
    first, again = ApiKeys(), ApiKeys()
    assert first.new_key
    assert not again.new_key
    assert again.find_key_digest(first.new_key)
    assert first.new_key not in next((tmp_path / "data" / "moot").glob("api-*.key")).read_text()
    other = ApiKeys(replaces_key=True)
    assert other.find_key_digest(other.new_key)
    assert not again.find_key_digest(first.new_key)
    assert not again.find_key_digest("")
    elsewhere = ApiKeys(replaces_key=True, db=str(tmp_path / "other.db"))
    assert other.find_key_digest(other.new_key), "another room has a key of its own"
    assert not other.find_key_digest(elsewhere.new_key)


@pytest.mark.parametrize("text", ["", "short\n"])
def test_a_file_without_a_usable_key_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "keys").write_text(text)
    with pytest.raises(InputError, match="one key per line, each of at least 16"):
        ApiKeys(tmp_path / "keys")


def test_the_same_request_sent_again_after_its_client_left_goes_on_with_the_run(
    client: openai.OpenAI, folder: Path, fake: FakeServer
) -> None:
    again: Any = {"x-stainless-retry-count": "1"}
    asking: dict[str, Any] = {"model": "moot/debate", "messages": QUESTION, "extra_body": SHORT, "stream": True}
    with client.chat.completions.create(**asking) as stream:
        for part in stream:
            if getattr(part.choices[0].delta, "reasoning_content", None):
                fake.hold()
                break
    run = part.id.removeprefix("chatcmpl-")
    fake.release()
    parts = list(client.chat.completions.create(**asking, extra_headers=again))
    report = load_document(folder, run)
    assert parts[0].id.removeprefix("chatcmpl-") == run
    assert (report["status"], len(report["turns"])) == ("completed", 2)
    assert len(fake.requests) == len(report["calls"]) == 3
    once_more = client.chat.completions.create(**asking, extra_headers=again)
    assert next(part.id for part in once_more) == parts[0].id
    assert len(fake.requests) == 3


def test_a_model_that_fails_is_told_as_an_error_once_and_the_saved_run_is_named(
    client: openai.OpenAI, fake: FakeServer
) -> None:
    asking: dict[str, Any] = {"model": "moot/debate", "messages": QUESTION, "extra_body": SHORT}
    before, fake.reply = fake.reply, script([Reply("I am for tea, and here is why."), Fault.status(401)] * 2)
    try:
        with pytest.raises(
            openai.InternalServerError, match=r"Saved as debate-tea-coffee-\w+; continue there"
        ) as whole:
            client.chat.completions.create(**asking)
        assert (whole.value.status_code, whole.value.type, whole.value.code) == (503, "api_error", "stopped")
        assert len(fake.requests) == 2  # the client's own program did not ask again
        with pytest.raises(openai.APIError, match="Saved as debate-tea-coffee"):
            list(client.chat.completions.create(**asking, stream=True))
    finally:
        fake.reply = before


LEFT = [(*asked, streamed) for asked in (("moot/debate", 1), ("moot/council", 3)) for streamed in (False, True)]


@pytest.mark.long
@pytest.mark.parametrize(("model", "under_way", "streamed"), sample_cases(LEFT, kinds=0))
def test_when_a_client_leaves_what_is_under_way_is_finished_and_nothing_is_begun_no_retry_either(
    model: str, under_way: int, streamed: bool, room: Room, browser: httpx.Client, fake: FakeServer, folder: Path
) -> None:
    fake.reset()
    before, fake.reply = fake.reply, lambda request: Fault.status(500) if request.n == 1 else before(request)
    fake.hold()
    try:
        seats = ["Ann", "Ben", "Cleo"][: max(2, under_way)]
        body = json.dumps({"model": model, "messages": QUESTION, "stream": streamed, "moot": {"participants": seats}})
        head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {KEY}\r\n"
        with socket.create_connection(("127.0.0.1", int(room.root.rpartition(":")[2]))) as client:
            client.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
            while len(fake.chats) < under_way:
                time.sleep(0.02)
        time.sleep(3)  # the room learns of it
        fake.release()
        run = str(listed("--db", folder / "moot.db")[0]["run"])
        while "Stop run" in browser.get(f"/runs/{run}").text:
            time.sleep(0.1)
        assert len(fake.chats) == under_way
        assert len(load_document(folder, run)["calls"]) == under_way - 1, "what came of the others is saved"
    finally:
        fake.release()
        fake.reply = before


class RunDriver:
    """Begins nothing, and knows what it was told to stop."""

    def __init__(self) -> None:
        self.driver, self.stopped, self.may_begin = self, list[str](), asyncio.Event()

    async def start_run(self, request: object, models: object, on_name: object) -> str:
        await self.may_begin.wait()
        return "run"

    def is_driving(self, run: str) -> bool:
        return True

    def stop_run(self, run: str, reason: str = "") -> None:
        self.stopped.append(run)


def test_work_ends_when_its_client_leaves_even_if_the_work_loses_a_cancellation() -> None:
    async def lose_cancellation() -> None:
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        await asyncio.Event().wait()

    async def leave() -> str:
        await asyncio.sleep(0)
        return "left"

    async def await_both() -> None:
        task = asyncio.create_task(await_first_result(lose_cancellation(), leave()))
        done_tasks, _ = await asyncio.wait([task], timeout=10)
        assert done_tasks == {task}
        assert await task == "left"

    asyncio.run(await_both())


def test_a_run_stops_when_nobody_listens_any_more_even_if_its_client_left_before_it_had_begun() -> None:
    async def ask() -> None:
        room = RunDriver()
        early = asyncio.create_task(listen(room))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        early.cancel()
        await asyncio.wait([early])
        room.may_begin.set()
        assert room.stopped == []
        async with begun(room):
            assert room.stopped == ["run"]
        assert room.stopped == ["run", "run"]

    async def listen(room: RunDriver) -> None:
        async with begun(room):
            await asyncio.Event().wait()

    def begun(room: RunDriver) -> Any:
        return ClientRuns(room).open_run(ASKED, "key", "", is_retry=False)

    asyncio.run(ask())


def test_whoever_sends_a_request_again_keeps_its_run_going_when_the_first_sender_is_found_gone() -> None:
    async def ask() -> None:
        room = RunDriver()
        room.may_begin.set()
        courses = ClientRuns(room)  # type: ignore[arg-type]
        first = courses.open_run(ASKED, "key", "", is_retry=False)
        await first.__aenter__()

        async def gone_on(run: str) -> bool:
            await first.__aexit__(None, None, None)
            return True

        courses._resume_left_run = gone_on  # type: ignore[method-assign]
        async with courses.open_run(ASKED, "key", "", is_retry=True) as run:
            assert (run, room.stopped) == ("run", [])
        assert room.stopped == ["run"]

    asyncio.run(ask())


def test_a_run_that_stops_while_nothing_is_told_of_it_ends_its_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_runs, "SILENCE_TIMEOUT", 0.01)

    async def followed() -> None:
        chat_run_request = await build_chat_run_request(
            ChatRequest(model="moot/debate", messages=QUESTION), ModelDefaults(["rehearsal"])
        )
        async with open_database(str(tmp_path / "moot.db")) as store:
            run = (await create_run(store, chat_run_request)).run
            told = ClientRuns(room_of(store)).follow_run(run)
            async with store.lock(run):
                assert await anext(told)
                assert await anext(told) is None, "nobody looks on"
            with pytest.raises(client_runs.EndpointError, match=f"stopped. Saved as {run}; continue there"):
                await anext(told)

    def room_of(store: Store) -> Any:
        driver = RoomDriver(store, rehearsal_delay=0)
        return SimpleNamespace(store=store, driver=driver, hub=driver.hub)

    asyncio.run(followed())


def test_one_key_begins_only_so_many_in_a_minute_and_too_many_at_once_are_told_to_wait() -> None:
    async def ask() -> None:
        room = RunDriver()
        room.may_begin.set()
        courses = ClientRuns(room)  # type: ignore[arg-type]
        for number in range(RUN_LIMIT):
            async with courses.open_run(ASKED, "key", str(number), is_retry=True):
                pass
        async with courses.open_run(ASKED, "another", "", is_retry=False):
            pass
        with pytest.raises(InputError, match="the limit of starts per minute") as raised_error:
            async with courses.open_run(ASKED, "key", "one more", is_retry=True):
                pass
        for error in (raised_error.value, InputError("runs", 8, "as many are driven here as may be")):
            answer = convert_error(error).make_response()
            assert (answer.status_code, answer.headers["retry-after"]) == (429, "60")

    asyncio.run(ask())


def test_several_models_of_the_server_sit_together_each_under_its_name() -> None:
    models = ["openai:a", "openai:b@http://127.0.0.1:1/v1"]
    assert [assign_seat["model"] for assign_seat in assign_seats("debate", models)] == models
    assert [assign_seat["name"] for assign_seat in assign_seats("debate", models)] == ["PRO", "CON"]
    assert [(assign_seat["name"], assign_seat["model"]) for assign_seat in assign_seats("council", models)] == [
        ("a", "openai:a"),
        ("b", "openai:b@http://127.0.0.1:1/v1"),
        ("a (2)", "openai:a"),
    ]
    assert assign_seats("panel", models) == assign_seats("council", models[:1]) == []
