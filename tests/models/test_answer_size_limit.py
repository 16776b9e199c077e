"""No more of an answer is read than a deliberation can use: a megabyte, however it is packed."""

import asyncio
import gzip
import json
import socket
import sys
import threading
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import pytest
from chats.asker import Asker
from fakeserver import FakeServer, Reply
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.tools import ToolException
from moot.models.default_model import fetch_models
from moot.models.embeddings import load_embeddings
from moot.models.failures import NoAnswerError, RunStoppedError
from moot.models.mcp_sessions import McpSession
from moot.nodes.ask.call_options import Answer
from moot.state.lookups import McpServer
from pydantic import Field

SHORT = "A whole statement about cars in the centre of the city."


@pytest.mark.parametrize("streaming", [False, True])
def test_the_frames_of_a_stream_are_no_part_of_its_answer(streaming: bool) -> None:
    text = "Statement. " * 4_000
    with FakeServer(reply=lambda _: Reply(text)) as server:
        answer = Asker(server, streaming=streaming).ask()
    assert isinstance(answer, Answer)
    assert (answer.text, answer.incidents) == (text, [])


FRAME = {"id": "1", "created": 0, "model": "any"}
PACKINGS = {"gzip": gzip.compress, "deflate": zlib.compress, "identity": bytes}


@contextmanager
def serving(packing: str, body: bytes, kind: str = "application/json") -> Iterator[str]:
    """The address of a server that answers everything with these bytes."""
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-encoding: {packing}\r\ncontent-length: {len(body)}\r\n"
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                caller, _ = listening.accept()
            except OSError:
                return
            with caller:
                read, size = caller.makefile("rb"), 0
                while (line := read.readline()) != b"\r\n":
                    size = int(line.split(b":")[1]) if line.lower().startswith(b"content-length") else size
                read.read(size)
                try:
                    caller.sendall(f"{head}connection: close\r\n\r\n".encode() + body)
                except OSError:
                    continue

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield f"openai:any@http://127.0.0.1:{listening.getsockname()[1]}/v1"
    listening.shutdown(socket.SHUT_RDWR)
    listening.close()
    thread.join()


def completion(said: str) -> bytes:
    """An answer in one piece."""
    choice = {"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
    return json.dumps({**FRAME, "object": "chat.completion", "choices": [choice]}).encode()


def events(said: str, times: int) -> bytes:
    """An answer in so many events, without an end."""
    choice = {"index": 0, "delta": {"content": said}, "finish_reason": None}
    event = json.dumps({**FRAME, "object": "chat.completion.chunk", "choices": [choice]})
    return f"data: {event}\n\n".encode() * times


TOO_LONG = {
    "in one piece": (completion("w" * 1_000_000), False),
    "in long events": (events("w" * 10_000, 110), True),
    "in short events": (events("w" * 200, 5_100) + b"data: [DONE]\n\n", True),
    "in one event without an end": (b"data: " + b"w" * 1_000_000, True),
}


@pytest.mark.parametrize("way", TOO_LONG)
def test_an_answer_is_read_up_to_a_megabyte_then_cut_off_on_record_and_asked_for_again(way: str) -> None:
    body, streaming = TOO_LONG[way]
    with serving("identity", body, "text/event-stream" if streaming else "application/json") as spec:
        lost = Asker(spec, streaming=streaming).ask(max_attempts=2)
    assert isinstance(lost, NoAnswerError)
    assert [call.outcome for call in lost.calls] == ["malformed", "malformed"]
    assert [(incident.kind, incident.consequence, incident.what) for incident in lost.incidents] == [
        ("malformed", end, "the answer was longer than 1000000 bytes and was cut off there")
        for end in ("asked again", "missed")
    ]


@pytest.mark.parametrize("packing", PACKINGS)
def test_a_packed_answer_is_unpacked(packing: str) -> None:
    with serving(packing, PACKINGS[packing](completion(SHORT))) as spec:
        answer = Asker(spec).ask()
    assert isinstance(answer, Answer)
    assert answer.text == SHORT


@cache
def bomb(window: int) -> bytes:
    """Half a megabyte that unpacks into half a gigabyte; `window` says how it is packed, as zlib counts them."""
    packer, piece = zlib.compressobj(9, zlib.DEFLATED, window), bytes(1_000_000)
    return b"".join([packer.compress(b"data: "), *(packer.compress(piece) for _ in range(500)), packer.flush()])


@pytest.mark.long
@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize(("packing", "window"), [("gzip", zlib.MAX_WBITS | 16), ("deflate", zlib.MAX_WBITS)])
def test_a_small_answer_that_unpacks_into_half_a_gigabyte_takes_no_memory(
    packing: str, window: int, streaming: bool
) -> None:
    kind = "text/event-stream" if streaming else "application/json"
    with serving(packing, bomb(window), kind) as spec:
        tracemalloc.start()
        try:
            lost = Asker(spec, streaming=streaming).ask()
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert isinstance(lost, NoAnswerError)
    assert {incident.what for incident in lost.incidents} == {
        "the answer was longer than 1000000 bytes and was cut off there"
    }
    assert peak < 20_000_000


@pytest.mark.long
def test_a_batch_of_vectors_and_a_list_of_models_are_read_up_to_64_megabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-secret")
    with serving("gzip", bomb(zlib.MAX_WBITS | 16)) as spec:
        model = load_embeddings(spec)
        assert model
        tracemalloc.start()
        try:
            with pytest.raises(
                RunStoppedError, match="the answer was longer than 64000000 bytes and was cut off there"
            ):
                asyncio.run(model.aembed_documents(["Trams"]))
            with pytest.raises(RunStoppedError, match=r"gave no list of models \(AnswerTooLongError\)"):
                asyncio.run(fetch_models(spec.partition("@")[2]))
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert peak < 200_000_000


async def open_mcp_session(url: str) -> None:
    session = McpSession(McpServer(url=url))
    try:
        with pytest.raises(ToolException):
            await session.open()
    finally:
        await session.close()


@pytest.mark.long
def test_an_answer_of_an_mcp_server_is_read_up_to_64_megabytes() -> None:
    with serving("gzip", bomb(zlib.MAX_WBITS | 16)) as spec:
        tracemalloc.start()
        try:
            asyncio.run(open_mcp_session(spec.partition("@")[2]))
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert peak < 200_000_000


@pytest.mark.parametrize("packing", ["zstd", "br", "gzip, gzip"])
def test_an_answer_packed_in_a_way_that_was_not_asked_for_is_not_read(packing: str) -> None:
    with serving(packing, b"\x00" * 100) as spec:
        lost = Asker(spec).ask()
    assert isinstance(lost, NoAnswerError)
    assert lost.incidents[0].what == f"the answer has a compression that Moot does not read: {packing}"


class Endless(BaseChatModel):
    """Another provider's model, whose own library reads its answer; it goes on as long as somebody reads it."""

    read: list[int] = Field(default_factory=list)
    blocks: bool = False
    stream_usage: bool | None = None

    @property
    def _llm_type(self) -> str:
        return "elsewhere"

    def _generate(self, *_: Any, **__: Any) -> ChatResult:
        raise AssertionError("its answer was to be read whole")

    async def _astream(self, *_: Any, **__: Any) -> AsyncIterator[ChatGenerationChunk]:
        assert self.stream_usage, "what the answer costs was not asked for"
        for _ in range(1_000):
            self.read.append(10_000)
            text = "w" * 10_000
            content: Any = [{"type": "text", "text": text, "index": 0}] if self.blocks else text
            yield ChatGenerationChunk(message=AIMessageChunk(content=content))


@pytest.mark.parametrize("blocks", [False, True], ids=["text", "blocks"])
@pytest.mark.parametrize("asking", [{}, {"timeouts": [60.0]}], ids=["as they come", "within a time"])
def test_the_answer_of_another_provider_is_read_no_further_either(
    asking: Any, blocks: bool, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    model = Endless(blocks=blocks)
    for name in ("langchain", "langchain.chat_models"):
        module = ModuleType(name)
        module.__spec__ = ModuleSpec(name, None)
        module.__dict__["init_chat_model"] = lambda *_, **__: model
        monkeypatch.setitem(sys.modules, name, module)
    lost = Asker("elsewhere:any").ask(max_attempts=1, **asking)
    assert isinstance(lost, NoAnswerError)
    assert [incident.what for incident in lost.incidents] == [
        "the answer was longer than 1000000 bytes and was cut off there"
    ]
    assert sum(model.read) <= 1_020_000
    assert capfd.readouterr().err == ""
