"""What an exception stands for, whichever client library raised it; and what may be said of it."""

import asyncio
import base64
import json
import socket
import time
from contextlib import ExitStack
from typing import Any

import httpx
import httpx2
import openai
import pytest
from fakeserver import FakeServer, Fault
from fakeserver.client import chat
from langchain_core.exceptions import ContextOverflowError
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph.state import CompiledStateGraph
from moot.graphs import debate
from moot.models.error_classification import find_call_failure, mask_keys
from moot.models.failures import RunStoppedError
from moot.prompts import LANGUAGES, get_term

TOPIC = {"topic": "Should cities ban cars?"}
REQUEST = httpx2.Request("POST", "http://host/v1")


def caused(error: BaseException, cause: BaseException) -> BaseException:
    error.__cause__ = cause
    return error


KINDS: dict[str, tuple[BaseException, str]] = {
    "our own timeout": (TimeoutError(), "timeout"),
    "httpx read timeout": (httpx.ReadTimeout("late"), "timeout"),
    "httpx2 read timeout": (httpx2.ReadTimeout("late"), "timeout"),
    "openai timeout": (openai.APITimeoutError(REQUEST), "timeout"),
    "httpx refused": (httpx.ConnectError("refused"), "unreachable"),
    "httpx2 refused": (httpx2.ConnectError("refused"), "unreachable"),
    "refused inside openai": (
        caused(openai.APIConnectionError(request=REQUEST), httpx2.ConnectError("no")),
        "unreachable",
    ),
    "connect timeout inside openai": (
        caused(openai.APITimeoutError(REQUEST), httpx2.ConnectTimeout("no")),
        "unreachable",
    ),
    "a socket's own": (ConnectionRefusedError(111, "Connection refused"), "unreachable"),
    "reset": (ConnectionResetError(104, "reset"), "connection"),
    "half a message": (httpx.RemoteProtocolError("incomplete"), "connection"),
    "an error in a stream": (openai.APIError("busy", REQUEST, body=None), "connection"),
    "overflow in a stream": (openai.APIError("long", REQUEST, body={"code": "context_length_exceeded"}), "overflow"),
    "quota in a stream": (openai.APIError("pay", REQUEST, body={"code": "insufficient_quota"}), "refused"),
    "langchain's overflow": (ContextOverflowError("too long"), "overflow"),
}


@pytest.mark.parametrize("name", KINDS)
def test_an_exception_is_told_apart_by_type_and_code(name: str) -> None:
    error, kind = KINDS[name]
    fault = find_call_failure(error, has_succeeded=True)
    assert fault is not None
    assert fault.kind == kind
    assert fault.is_fatal == (kind == "refused")


@pytest.mark.parametrize(
    "error", [ValueError("ours"), KeyError("ours"), TypeError("ours"), RuntimeError("ours"), AssertionError()]
)
def test_a_defect_of_ours_stands_for_no_fault(error: BaseException) -> None:
    assert find_call_failure(error, has_succeeded=True) is None


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Incorrect API key provided: sk-proj-abc123def.", "Incorrect API key provided: …"),
        ("Authorization: Bearer eyJhbGciOi.x.y", "Authorization: Bearer …"),
        ("no key, no token", "no key, no token"),
        ("the key provided is wrong", "the key provided is wrong"),
        ("see key-0123456789", "see …"),
    ],
)
def test_what_looks_like_a_key_is_masked(text: str, shown: str) -> None:
    assert mask_keys(text) == shown


def test_the_keys_of_this_process_are_masked_whatever_they_look_like(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "pineapple 42")
    monkeypatch.setenv("HF_TOKEN", "hf_zzzzzz")
    assert mask_keys("pineapple 42 or hf_zzzzzz") == "… or …"


def test_masking_the_fingerprint_of_every_reply_takes_a_tenth_of_a_millisecond_or_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("FIRST_API_KEY", "SECOND_API_KEY"):
        monkeypatch.setenv(name, f"{name}-abcdefghijklmnopqrstuvwxyz-zyxwvutsrqponm")
    start = time.thread_time()
    assert {mask_keys("fp_0123456789") for _ in range(200)} == {"fp_0123456789"}
    assert time.thread_time() - start < 0.4


@pytest.mark.parametrize(
    "said",
    [
        "Was it QX7-PINEAPPLE-42-ZEBRA?",
        "Was it qx7 pineapple 42 zebra?",
        "Was it qx7-pine\napple-42-zebra?",
        "Was it q x 7 - p i n e a p p l e - 4 2 - z e b r a?",
        "Was it qx7-pineapple, and then 42-zebra?",
    ],
)
def test_a_key_in_another_case_or_in_parts_is_masked(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "qx7-pineapple-42-zebra")
    text = mask_keys(said).lower().replace(" ", "")
    assert text.startswith("wasit…")
    assert "pineapple" not in text
    assert "qx7" not in text


KEY = b"qx7-pineapple-42-zebra"


@pytest.mark.parametrize(
    "said",
    [
        *(base64.b64encode(b"-" * offset + KEY).decode() for offset in range(3)),
        base64.urlsafe_b64encode(b"Bearer " + KEY + b".").decode(),
        KEY.hex(),
        *("".join(escape % byte for byte in KEY) for escape in ("%%%02X", "\\x%02x", "\\u%04x", "&#%d;")),
    ],
)
def test_a_key_in_base64_or_in_escapes_is_masked(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", KEY.decode())
    assert len(mask_keys(f"Was it {said}?")) < len("Was it Bearer …==?") + 6, "what stands beside the key may stay"


OBJECTS = {
    "drop": (Fault.drop(), "connection"),
    "500": (Fault.status(500), "server"),
    "hang": (Fault.hang(), "timeout"),
    "not JSON": (Fault.not_json(), "malformed"),
}


@pytest.mark.long
@pytest.mark.parametrize("name", OBJECTS)
def test_a_chat_model_the_caller_made_is_tried_again_alike(name: str) -> None:
    fault, kind = OBJECTS[name]
    with FakeServer(faults={1: fault}) as server:
        context: Any = {"model": chat(server), "max_turns": 2, "retry_delays": [0], "timeouts": {"whole_reply": 1}}
        state = asyncio.run(debate.graph.ainvoke(TOPIC, context=context))
        server.release()
    assert [call.outcome for call in state["calls"]] == [kind, "ok", "ok", "ok"]


@pytest.mark.parametrize("way", ["refused", "gone"])
def test_a_chat_model_the_caller_made_stops_the_run_alike(way: str) -> None:
    with FakeServer(reply=lambda _: Fault.status(401)) as server:
        model = chat(server)
        if way == "refused":
            with pytest.raises(RunStoppedError, match=r"PRO \(object:ChatOpenAI\): 401 Incorrect API key provided: …"):
                asyncio.run(debate.graph.ainvoke(TOPIC, context={"model": model}))
    if way == "gone":
        with pytest.raises(RunStoppedError, match="cannot be reached"):
            asyncio.run(debate.graph.ainvoke(TOPIC, context={"model": model}))


def test_a_planted_key_is_nowhere_in_state_checkpoints_or_errors(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "planted-key-7f3a"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    quoting = {"message": "Was it {key}, in Bearer {key}?"}
    faults = {2: Fault.status(500, **quoting), 4: Fault.status(400, **quoting)}
    with FakeServer(faults=faults) as server, SqliteSaver.from_conn_string(str(tmp_path / "db")) as saver:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        graph: CompiledStateGraph[Any, Any, Any, Any] = debate.build().compile(checkpointer=saver)
        run: Any = {"configurable": {"thread_id": "t"}}
        settings: Any = {"model": f"any@{server.url}", "max_turns": 4, "retry_delays": [0]}
        with pytest.raises(RunStoppedError) as error:
            graph.invoke(TOPIC, run, context=settings)
        state = graph.invoke(None, run, context=settings)
        assert key in server.chats[0].headers["authorization"]
    text = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"Was it" in text, "what the server said is on record"
    assert key.encode() not in text
    assert key not in repr(state) + repr(error.value)


def test_a_server_that_takes_no_connection_in_time_is_told_as_one() -> None:
    async def connect(address: str) -> None:
        async with httpx.AsyncClient(timeout=0.05, trust_env=False) as client:
            await client.get(address)

    with socket.create_server(("127.0.0.1", 0), backlog=0) as busy, ExitStack() as stack:
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(busy.getsockname())
        with pytest.raises(httpx.ConnectTimeout) as late:
            asyncio.run(connect(f"http://127.0.0.1:{busy.getsockname()[1]}"))
    fault = find_call_failure(late.value, has_succeeded=True)
    assert fault is not None
    assert (fault.kind, fault.translate_message("en")) == (
        "unreachable",
        "the server cannot be reached: Connection timed out",
    )


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("error", "own", "said"),
    [
        (TimeoutError(), "late", ""),
        (httpx.ConnectError("refused by host"), "unreachable", "refused by host"),
        (httpx.ReadError("gone"), "broken_off", "gone"),
        (json.JSONDecodeError("Expecting value", "", 0), "senseless", "Expecting value"),
    ],
)
def test_a_fault_is_told_in_the_language_of_the_run_and_a_server_s_words_as_they_came(
    language: str, error: Exception, own: str, said: str
) -> None:
    fault = find_call_failure(error, has_succeeded=True)
    assert fault is not None
    translate_message = fault.translate_message(language)
    assert said in translate_message
    assert translate_message == get_term(language, "noted", own, said=fault.message)
    assert (translate_message == fault.translate_message("en")) == (language == "en")
