"""Answers in a form, and `/v1/responses`, asked by the official client."""

import json
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import httpx
import openai
import pytest
from command import document, listed
from fakeserver import Answer, FakeServer, Fault, Reply, Request, echo_by_hash
from pydantic import BaseModel
from runs.undisturbed import reconciled
from servers.room import Room, open_room

pytestmark = pytest.mark.long

KEY, OTHER = "key-of-a-test-0123456789", "another-key-0123456789"
SHORT: Any = {"moot": {"max_turns": 2}}
ASKED: list[Any] = [{"role": "user", "content": "Tea or coffee?"}]


class Verdict(BaseModel):
    """What a client asks for."""

    drink: Literal["tea", "coffee"]
    sure: bool


@pytest.fixture(scope="module")
def fake() -> Iterator[FakeServer]:
    with FakeServer() as fake:
        yield fake


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("room")


@pytest.fixture(scope="module")
def room(folder: Path, fake: FakeServer) -> Iterator[Room]:
    (folder / "keys").write_text(f"{KEY}\n{OTHER}\n")
    words = ("--model", f"openai:fake@{fake.url}", "--api-key-file", str(folder / "keys"))
    with open_room(folder, *words, MOOT_ALLOW_TOOLS="library") as room:
        yield room


@pytest.fixture
def client(room: Room, fake: FakeServer) -> Iterator[openai.OpenAI]:
    fake.reset()
    before = fake.reply

    def reply(request: Request) -> Any:
        is_form = "requested form" in request.text
        return '{"drink": "tea", "sure": true}' if is_form else before(request)

    fake.reply = reply
    with openai.OpenAI(base_url=f"{room.root}/v1", api_key=KEY) as client:
        yield client
    fake.reply = before


def test_the_synthesizer_fills_the_form_of_a_chat_and_its_call_is_on_record(
    client: openai.OpenAI, folder: Path, fake: FakeServer
) -> None:
    answer = client.chat.completions.parse(
        model="moot/debate", messages=ASKED, response_format=Verdict, extra_body=SHORT
    )
    assert answer.choices[0].message.parsed == Verdict(drink="tea", sure=True)
    report = document("show", answer.model_extra["moot"]["run"], "--db", folder / "moot.db")  # type: ignore[index]
    assert [call["purpose"] for call in report["calls"]] == ["statement", "statement", "synthesis", "form"]
    assert answer.usage
    assert answer.usage.total_tokens == report["totalTokens"]
    reconciled(report, sent=len(fake.requests), lost=0)
    assert len(fake.requests) == 4


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs a client that can be killed")
def test_the_call_of_the_form_is_on_record_if_the_client_leaves_before_it_ends(
    folder: Path, room: Room, fake: FakeServer
) -> None:
    fake.reset()
    is_asked = threading.Event()

    def reply(request: Request) -> Answer:
        if "requested form" in request.text:
            is_asked.set()
            return Reply('{"x": 1}', latency=1.0)
        return echo_by_hash(request)

    before, fake.reply = fake.reply, reply
    body = {"model": "moot/debate", "messages": ASKED, "response_format": {"type": "json_object"}, **SHORT}
    try:
        curl = ["curl", "-s", "-H", f"Authorization: Bearer {KEY}", "-d", json.dumps(body)]
        leaving = subprocess.Popen([*curl, f"{room.root}/v1/chat/completions"])
        assert is_asked.wait(30)
        leaving.kill()
        leaving.wait()
    finally:
        fake.reply = before
    time.sleep(1.5)
    report = document("show", listed("--db", folder / "moot.db")[0]["run"], "--db", folder / "moot.db")
    reconciled(report, sent=len(fake.requests), lost=0)


@pytest.mark.parametrize("leaves", [True, False])
def test_a_form_that_is_asked_for_again_while_it_is_filled_is_paid_once(
    leaves: bool, client: openai.OpenAI, room: Room, folder: Path, fake: FakeServer
) -> None:
    before, is_asked = fake.reply, threading.Event()

    def reply(request: Request) -> Answer:
        if "requested form" in request.text:
            is_asked.set()
            return Reply('{"x": 1}', latency=1.5)
        return before(request)

    fake.reply = reply
    body = json.dumps({"model": "moot/debate", "messages": ASKED, "response_format": {"type": "json_object"}, **SHORT})
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {KEY}\r\n"
    headers = {"authorization": f"Bearer {KEY}", "x-stainless-retry-count": "1"}
    with socket.create_connection(("127.0.0.1", int(room.root.rpartition(":")[2]))) as first:
        first.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
        assert is_asked.wait(30)
        if leaves:
            first.close()
        again = httpx.post(f"{room.root}/v1/chat/completions", content=body, headers=headers, timeout=30).json()
    assert again["choices"][0]["message"]["content"] == '{"x": 1}'
    report = document("show", again["moot"]["run"], "--db", folder / "moot.db")
    assert [call["purpose"] for call in report["calls"]] == ["statement", "statement", "synthesis", "form"]
    assert again["usage"]["total_tokens"] == report["totalTokens"]
    assert len(fake.requests) == 4


def test_any_json_object_may_be_asked_for_and_streamed(client: openai.OpenAI) -> None:
    parts = client.chat.completions.create(
        model="moot/debate", messages=ASKED, response_format={"type": "json_object"}, extra_body=SHORT, stream=True
    )
    text = "".join(part.choices[0].delta.content or "" for part in parts)
    assert json.loads(text) == {"drink": "tea", "sure": True}


def test_a_form_that_stays_empty_is_a_refusal_that_names_the_run(client: openai.OpenAI, fake: FakeServer) -> None:
    before = fake.reply
    fake.reply = lambda request: "No." if "requested form" in request.text else before(request)
    answer = client.chat.completions.parse(
        model="moot/debate", messages=ASKED, response_format=Verdict, extra_body=SHORT
    )
    message = answer.choices[0].message
    assert (message.parsed, message.content) == (None, None)
    assert message.refusal
    assert answer.model_extra["moot"]["run"] in message.refusal  # type: ignore[index]


def test_the_call_of_the_form_is_one_of_the_calls_that_a_client_allows(client: openai.OpenAI, fake: FakeServer) -> None:
    client.chat.completions.parse(
        model="moot/debate", messages=ASKED, response_format=Verdict, extra_body={"moot": {"max_calls": 5}}
    )
    assert len(fake.requests) <= 5


@pytest.mark.parametrize(
    ("extra", "error"),
    [
        ({"response_format": {"type": "json_schema"}}, "a JSON schema of type object"),
        (
            {"tools": [{"type": "web_search"}]},
            "tools = 'web_search': must be allowed by this server: library; leave it out",
        ),
    ],
)
def test_what_cannot_be_answered_is_refused_before_any_call(
    extra: Any, error: str, client: openai.OpenAI, fake: FakeServer
) -> None:
    with pytest.raises(openai.BadRequestError, match=error):
        client.chat.completions.create(model="moot/debate", messages=ASKED, extra_body=SHORT | extra)
    assert not fake.requests


def test_a_response_holds_the_statements_as_reasoning_and_the_answer(client: openai.OpenAI, folder: Path) -> None:
    answer = client.responses.create(
        model="moot/debate", input="Tea or coffee?", instructions="We have no kettle.", extra_body=SHORT
    )
    report = document("show", answer.model_extra["moot"]["run"], "--db", folder / "moot.db")  # type: ignore[index]
    assert (report["topic"], report["material"]) == ("Tea or coffee?", "We have no kettle.")
    assert (answer.status, answer.output_text) == ("completed", report["synthesis"])
    reasoning = answer.output[0]
    assert reasoning.type == "reasoning"
    texts = [f"{turn['turnNumber']}. {turn['speakerId']}: {turn['content']}\n\n" for turn in report["turns"]]
    assert [part.text for part in reasoning.summary] == texts
    assert answer.usage
    assert answer.usage.total_tokens == report["totalTokens"]
    assert client.responses.retrieve(answer.id).output_text == answer.output_text


def test_a_response_follows_another_of_the_same_key_alone(client: openai.OpenAI, folder: Path, room: Room) -> None:
    first = client.responses.create(model="moot/debate", input="Tea or coffee?", extra_body=SHORT)
    second = client.responses.create(
        model="moot/debate", input="And at night?", previous_response_id=first.id, extra_body=SHORT
    )
    report = document("show", second.model_extra["moot"]["run"], "--db", folder / "moot.db")  # type: ignore[index]
    assert report["material"] == f"user: Tea or coffee?\n\nassistant: {first.output_text}"
    with openai.OpenAI(base_url=f"{room.root}/v1", api_key=OTHER) as stranger:
        with pytest.raises(openai.NotFoundError, match="there is no such response of yours on this server"):
            stranger.responses.retrieve(first.id)
        with pytest.raises(openai.NotFoundError, match="there is no such response of yours on this server"):
            stranger.responses.create(model="moot/debate", input="So?", previous_response_id=first.id)


def test_a_response_whose_question_is_asked_once_more_can_still_be_read_and_followed(client: openai.OpenAI) -> None:
    first, second = (
        client.responses.create(model="moot/debate", input="Tea or coffee?", extra_body=SHORT) for _ in range(2)
    )
    assert first.id != second.id
    assert client.responses.retrieve(first.id).output_text == first.output_text
    client.responses.create(model="moot/debate", input="And at night?", previous_response_id=first.id, extra_body=SHORT)


def test_a_response_with_a_form_is_read_again_and_followed_by_its_form_and_filled_once(
    client: openai.OpenAI, folder: Path, fake: FakeServer
) -> None:
    asked: Any = {"model": "moot/debate", "input": "Tea or coffee?", "text_format": Verdict, "extra_body": SHORT}
    first = client.responses.parse(**asked)
    assert client.responses.retrieve(first.id).output_text == first.output_text == '{"drink": "tea", "sure": true}'
    calls = len(fake.requests)
    again = client.responses.parse(**asked, extra_headers={"x-stainless-retry-count": "1"})
    assert (again.id, again.output_text, len(fake.requests)) == (first.id, first.output_text, calls)
    second = client.responses.create(
        model="moot/debate", input="And at night?", previous_response_id=first.id, extra_body=SHORT
    )
    report = document("show", second.model_extra["moot"]["run"], "--db", folder / "moot.db")  # type: ignore[index]
    assert report["material"] == f"user: Tea or coffee?\n\nassistant: {first.output_text}"


def test_the_whole_output_may_be_sent_back_as_input(client: openai.OpenAI, folder: Path) -> None:
    asked: list[Any] = [{"role": "user", "content": "Tea or coffee?"}]
    first = client.responses.create(model="moot/debate", input=asked, extra_body=SHORT)
    assert [item.type for item in first.output] == ["reasoning", "message"]
    asked += [*first.output, {"role": "user", "content": "And at night?"}]
    second = client.responses.create(model="moot/debate", input=asked, extra_body=SHORT)
    report = document("show", second.model_extra["moot"]["run"], "--db", folder / "moot.db")  # type: ignore[index]
    assert report["topic"] == "And at night?"
    assert report["material"] == f"user: Tea or coffee?\n\nassistant: {first.output_text}"


def test_a_function_named_like_an_allowed_tool_switches_it_on_and_any_other_is_refused(
    client: openai.OpenAI, fake: FakeServer
) -> None:
    asked: dict[str, Any] = {"model": "moot/debate", "extra_body": SHORT}
    library: Any = {"name": "library", "parameters": {}}
    for kind in ("chat", "response"):
        fake.requests.clear()
        if kind == "chat":
            tools: Any = [{"type": "function", "function": library}]
            client.chat.completions.create(messages=ASKED, tools=tools, **asked)
        else:
            client.responses.create(input="Tea?", tools=[{"type": "function", **library}], **asked)
        offered = [[tool["function"]["name"] for tool in request.body.get("tools", [])] for request in fake.requests]
        assert (offered[0], offered[-1]) == (["library"], []), kind  # the first statement, and the synthesis
    for tool in ({"type": "web_search"}, {"type": "function", "name": "buy", "parameters": {}}):
        with pytest.raises(openai.BadRequestError) as error:
            client.responses.create(input="Tea?", tools=[tool], **asked)  # type: ignore[list-item]
        assert error.value.code == "unsupported_tool"


def test_streamed_each_statement_is_a_part_of_the_reasoning_and_the_form_is_the_text(client: openai.OpenAI) -> None:
    parts: list[str] = []
    with client.responses.stream(model="moot/debate", input=ASKED, text_format=Verdict, extra_body=SHORT) as stream:
        kinds = [event.type for event in stream if not parts.append(getattr(event, "delta", "")) or True]
        answer = stream.get_final_response()
    assert answer.output_parsed == Verdict(drink="tea", sure=True)
    assert kinds[0] == "response.created"
    assert kinds[-1] == "response.completed"
    assert kinds.count("response.reasoning_summary_text.delta") == 2
    assert '"tea"' in "".join(parts)


def test_a_response_that_fails_says_so_and_names_the_saved_run(client: openai.OpenAI, fake: FakeServer) -> None:
    fake.reply = lambda request: Fault.status(401)
    events = list(client.responses.create(model="moot/debate", input="Tea?", stream=True, extra_body=SHORT))
    assert events[-1].type == "response.failed"
    assert events[-1].response.error
    assert "saved as" in events[-1].response.error.message.lower()
    again = client.responses.retrieve(events[-1].response.id)
    assert (again.status, again.error.message) == ("failed", events[-1].response.error.message)


@pytest.mark.parametrize("is_streamed", [False, True])
def test_a_response_whose_run_ended_in_an_outage_is_no_answer_and_still_failed_when_read_again(
    is_streamed: bool, client: openai.OpenAI, fake: FakeServer
) -> None:
    before = fake.reply
    fake.reply = lambda request: before(request) if len(fake.requests) <= 1 else ""
    asked: Any = {"model": "moot/debate", "input": "Tea?", "extra_body": SHORT}
    if is_streamed:
        ended = list(client.responses.create(stream=True, **asked))[-1]
        assert ended.type == "response.failed"
        response, message = ended.response.id, ended.response.error.message
    else:
        with pytest.raises(openai.InternalServerError) as error:
            client.with_options(max_retries=0).responses.create(**asked)
        message = error.value.body["message"]
        response = f"resp_{message.rpartition('Saved as ')[2].partition(';')[0]}"
    assert "statements missing" in message
    again = client.responses.retrieve(response)
    assert (again.status, again.error.message, again.output) == ("failed", message, [])


def test_a_response_that_its_client_cancels_stops_after_its_calls(client: openai.OpenAI, fake: FakeServer) -> None:
    fake.hold()
    try:
        stream = client.responses.create(
            model="moot/debate", input="Tea or coffee?", stream=True, extra_body={"moot": {"max_turns": 20}}
        )
        begun = next(iter(stream))
        assert begun.type == "response.created"
        assert client.responses.cancel(begun.response.id).status == "cancelled"
    finally:
        fake.release()
    assert list(stream)[-1].type == "response.failed"
    assert len(fake.requests) <= 1
