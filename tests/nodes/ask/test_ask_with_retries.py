"""What goes wrong between Moot and a model, over real HTTP: tried again within one budget of tries, on the record."""

import asyncio
import socket
import traceback
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from chats.asker import KEY, Asker, make_prompt
from fakeserver import FakeServer, Fault, script
from langchain_core.messages import AIMessage
from moot.models.answer_size_limit import MAX_ANSWER_BYTES, make_length_failure
from moot.models.callbacks import TokenListener
from moot.models.failures import NoAnswerError, RunStoppedError
from moot.nodes.ask import ask_with_retries as asking
from moot.nodes.ask.request import find_reply_fault
from moot.state.setting_types import Timeouts
from moot.state.settings import Settings
from moot.storage.clock import use_clock

TROUBLES = {
    "429": (Fault.status(429), "rate_limit"),
    "500": (Fault.status(500), "server"),
    "502 with a proxy's page": (Fault.status(502), "server"),
    "503": (Fault.status(503), "server"),
    "504": (Fault.status(504), "server"),
    "529": (Fault.status(529), "server"),
    "408": (Fault.status(408), "server"),
    "dropped connection": (Fault.drop(), "connection"),
    "cut body": (Fault.cut_body(), "connection"),
    "cut stream": (Fault.cut_stream(after=3), "connection"),
    "broken JSON": (Fault.not_json(), "malformed"),
    "HTML": (Fault.raw("<html>Sign in</html>"), "malformed"),
}
PLAIN = {
    "an error with status 200": (Fault.raw({"error": {"message": "busy"}}), "connection"),
    "a text as error": (Fault.raw({"error": "busy"}), "connection"),
    "an error of its provider": (Fault.raw({"error": {"message": "busy", "code": 502}}), "server"),
    "too many requests, with status 200": (Fault.raw({"error": {"message": "busy", "code": 429}}), "rate_limit"),
    "choices: []": (Fault.raw({"id": "1", "choices": []}), "malformed"),
    "choices: null": (Fault.raw({"id": "1", "choices": None}), "malformed"),
    "no choices": (Fault.raw({}), "malformed"),
    "a list": (Fault.raw([1]), "malformed"),
}
STREAMED = {
    "an error in the stream": (Fault.stream_error(after=2), "connection"),
    "a provider's error in the stream": (
        Fault.stream_error(2, '{"error": {"message": "busy", "code": 502}}'),
        "server",
    ),
    "a stream without finish_reason": (Fault.end_early(after=3), "connection"),
    "an empty stream": (Fault.end_early(after=0), "connection"),
}
CASES = [
    *((name, *case, streaming) for name, case in TROUBLES.items() for streaming in (False, True)),
    *((name, *case, False) for name, case in PLAIN.items()),
    *((name, *case, True) for name, case in STREAMED.items()),
]


@pytest.mark.parametrize(
    ("fault", "kind", "streaming"), [case[1:] for case in CASES], ids=[str(case[0]) for case in CASES]
)
def test_a_passing_trouble_is_tried_again_on_the_record(fault: Fault, kind: str, streaming: bool) -> None:
    with FakeServer(faults={1: fault}) as server:
        asker = Asker(server, streaming=streaming)
        answer = asker.ask()
        assert len(server.chats) == 2
        assert {request.stream for request in server.chats} == {streaming}
    assert not isinstance(answer, NoAnswerError)
    assert [call.outcome for call in answer.calls] == [kind, "ok"]
    assert [(incident.kind, incident.consequence, incident.attempts) for incident in answer.incidents] == [
        (kind, "asked again", 1)
    ]
    assert [event["kind"] for event in asker.events] == [kind]


QUICK = {"first_token": 2, "between_tokens": 2, "whole_reply": 2}


@pytest.mark.long
@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize(
    "way", [Fault.hang(), Fault.stall(after=1), Fault.trickle(pause=9)], ids=["hang", "stall", "trickle"]
)
def test_an_answer_that_does_not_come_to_its_end_in_time_is_a_timeout(way: Fault, streaming: bool) -> None:
    with FakeServer(faults={1: way}) as server:
        answer = Asker(server, streaming=streaming, timeouts=QUICK).ask()
        server.release()
    assert not isinstance(answer, NoAnswerError)
    assert [call.outcome for call in answer.calls] == ["timeout", "ok"]


def test_one_budget_of_tries_holds_for_transport_and_content_together() -> None:
    with FakeServer(reply=script([Fault.status(500), "", Fault.drop(), "never asked"])) as server:
        lost = Asker(server).ask(check=lambda answer: "it was empty." if not answer.text else None)
        assert len(server.chats) == 3
    assert isinstance(lost, NoAnswerError)
    assert [incident.kind for incident in lost.incidents] == ["server", "rejected", "connection"]
    assert [incident.consequence for incident in lost.incidents] == ["asked again", "asked again", "missed"]
    assert (lost.incidents[-1].attempts, lost.incidents[-1].severity) == (3, "degraded")
    assert [call.outcome for call in lost.calls] == ["server", "ok", "connection"]


@pytest.mark.parametrize("attempts", [1, 2, 5])
def test_the_number_of_tries_is_the_run_s(attempts: int) -> None:
    with FakeServer(reply=lambda _: Fault.status(500)) as server:
        assert isinstance(Asker(server).ask(max_attempts=attempts), NoAnswerError)
        assert len(server.chats) == attempts


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits between tries, which are not waited."""
    waits: list[float] = []
    sleep = asyncio.sleep

    async def note(seconds: float) -> None:
        waits.append(seconds)
        await sleep(0)

    monkeypatch.setattr(asking, "asyncio", SimpleNamespace(sleep=note))  # the module's own, not everybody's
    return waits


def waited(slept: list[float], fault: Fault, **rules: object) -> list[float]:
    with FakeServer(reply=lambda _: fault) as server:
        Asker(server, **{"retry_delays": [1.0, 1.5], **rules}).ask(check=lambda answer: "no")
    return slept


def test_waits_after_unusable_content_are_exact(slept: list[float]) -> None:
    assert waited(slept, Fault.content("empty")) == [1.0, 1.5]


def test_waits_after_transport_faults_are_jittered_upwards(slept: list[float]) -> None:
    first, second = waited(slept, Fault.status(500))
    assert 1.0 <= first <= 1.25
    assert 1.5 <= second <= 1.875


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        ("7.5", 7.5),
        ("3600", 60.0),
        ("Sun, 01 Mar 2026 12:00:20 GMT", 20.0),
        ("soon", 0.0),
        ("-5", 0.0),
        (f"Sun, 01 Mar {'9' * 20} 12:00:20 GMT", 0.0),
        (f"Sun, 01 Mar 2026 12:00:20 +{'9' * 20}", 0.0),
    ],
)
def test_retry_after_is_honoured_up_to_a_minute(slept: list[float], header: str, seconds: float) -> None:
    with use_clock(lambda: datetime(2026, 3, 1, 12, tzinfo=UTC)):
        assert waited(slept, Fault.status(429, retry_after=header), retry_delays=[0]) == [seconds, seconds]


REFUSED = {
    "400": (Fault.status(400), "could not be understood"),
    "401": (Fault.status(401), "Incorrect API key"),
    "402": (Fault.status(402), "402"),
    "403": (Fault.status(403), "not supported"),
    "404": (Fault.status(404), "does not exist"),
    "insufficient_quota": (Fault.quota(), "current quota"),
    "unknown parameter": (Fault.unsupported("logit_bias"), "logit_bias"),
}


@pytest.mark.parametrize("proven", [False, True])
@pytest.mark.parametrize("name", REFUSED)
def test_what_no_retry_can_cure_stops_the_run_after_one_call(name: str, proven: bool) -> None:
    fault, words = REFUSED[name]
    with FakeServer(reply=lambda _: fault) as server:
        with pytest.raises(RunStoppedError, match=words) as error:
            Asker(server).ask(has_answered=proven)
        assert len(server.chats) == 1
    assert "Ada" in str(error.value)
    assert "openai:any@" in str(error.value)
    assert "\n" not in str(error.value)


def gone() -> str:
    """The spec of a server that has been there."""
    with FakeServer() as server:
        return f"openai:any@{server.url}"


def test_a_server_that_was_never_reached_stops_the_run() -> None:
    with pytest.raises(RunStoppedError, match="cannot be reached"):
        Asker(gone()).ask()


def test_an_unknown_host_stops_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(RunStoppedError, match="cannot be reached"):
        Asker("openai:any@http://nowhere.invalid/v1").ask()


def test_a_server_that_answered_before_is_tried_again_when_it_is_gone() -> None:
    lost = Asker(gone()).ask(has_answered=True)
    assert isinstance(lost, NoAnswerError)
    assert [call.outcome for call in lost.calls] == ["unreachable"] * 3


@pytest.mark.parametrize("key", [KEY, "an-unusual-key-4711"])
@pytest.mark.parametrize("status", [400, 401, 403])
def test_no_key_is_in_the_exception_that_stops_the_run(key: str, status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    fault = Fault.status(status, message="Bad key {key} in Authorization: Bearer {key}")
    with FakeServer(reply=lambda _: fault) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        with pytest.raises(RunStoppedError, match="Bad key … in Authorization") as error:
            Asker(server).ask()
        assert key in server.chats[0].headers["authorization"], "the server did get it"
    assert key not in "".join(traceback.format_exception(error.value))
    assert error.value.__context__ is None


def test_no_key_is_in_an_incident(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "an-unusual-key-4711")
    with FakeServer(reply=lambda _: Fault.status(500, message="Was that key {key}?")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        lost = Asker(server).ask()
    assert isinstance(lost, NoAnswerError)
    assert [incident.what for incident in lost.incidents] == ["500 Was that key …?"] * 3
    assert "4711" not in repr(lost.calls)


def test_a_defect_of_ours_is_not_taken_for_a_fault_of_the_server() -> None:
    def broken(_: object) -> str:
        raise ValueError("a defect in a check")

    with FakeServer() as server, pytest.raises(ValueError, match="a defect in a check"):
        Asker(server).ask(make_prompt(), broken)


def test_each_token_gives_an_answer_more_time_within_a_bound_on_the_whole() -> None:
    async def limits() -> list[float]:
        async with asyncio.timeout(120) as limit:
            listener, began = TokenListener(limit, Timeouts()), asyncio.get_running_loop().time()
            await listener.on_llm_new_token("")
            after_one = limit.when() or 0
            bounded = TokenListener(limit, Timeouts(total=30))
            await bounded.on_llm_new_token("word")
            after_other = limit.when() or 0
            limit.reschedule(began)
            await bounded.on_stream_event({"event": "content-block-delta", "delta": {"type": "text-delta", "text": ""}})
            return [one - began for one in (after_one, after_other, limit.when() or 0)]

    after_one, *bounded = asyncio.run(limits())
    assert 60 <= after_one < 120
    assert all(30 <= seconds < 60 for seconds in bounded)


def test_an_answer_that_goes_on_for_too_long_is_broken_off_whoever_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("moot.models.callbacks.MAX_ANSWER_BYTES", 20)
    with FakeServer(reply=lambda _: "a word " * 100) as server:
        lost = Asker(server, streaming=True).ask()
    assert not isinstance(lost, asking.Answer)
    assert {call.outcome for call in lost.calls} == {"malformed"}
    assert "1000000 bytes" in lost.incidents[0].what


def test_an_answer_that_another_library_read_whole_is_refused_if_it_is_too_long() -> None:
    call_options = asking.CallOptions("Ada", "ballot", "object:Own", Settings(), is_hidden=True)
    assert find_reply_fault(AIMessage("w" * MAX_ANSWER_BYTES), call_options) is None
    assert find_reply_fault(AIMessage("w" * (MAX_ANSWER_BYTES + 1)), call_options) == make_length_failure()


def test_the_tokens_of_an_answer_are_heard_as_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str] = []

    async def token(self: TokenListener, token: str, **_: object) -> None:
        heard.append(token)

    monkeypatch.setattr(TokenListener, "on_llm_new_token", token)
    with FakeServer(reply=lambda _: "one two three four five six seven") as server:
        answer = Asker(server, streaming=True).ask()
    assert isinstance(answer, asking.Answer)
    assert "".join(heard) == answer.text
    assert len(heard) > 3


@pytest.mark.parametrize(("proven", "waits"), [(True, [10.0, 15.0]), (False, [])])
def test_a_server_that_was_there_before_is_waited_for_longer(
    proven: bool, waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(asking, "asyncio", SimpleNamespace(sleep=sleep))
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        gone = f"openai:any@http://127.0.0.1:{held.getsockname()[1]}/v1"
        ask = Asker(gone, retry_delays=[1.0, 1.5]).ask
        if proven:
            assert isinstance(ask(has_answered=True), NoAnswerError)
        else:
            with pytest.raises(RunStoppedError):
                ask(has_answered=False)
    assert [round(seconds // least) for seconds, least in zip(waited, waits, strict=True)] == [1] * len(waits)
