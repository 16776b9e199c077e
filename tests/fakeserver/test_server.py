"""The model server keeps a record, holds answers back, fails loudly and leaves nothing behind."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from urllib.request import urlopen

import openai
import pytest
from fakeserver import FakeServer, Fault, Request, apart, echoing, script
from fakeserver.client import chat


def test_the_same_prompt_has_the_same_reply_and_another_prompt_another() -> None:
    with FakeServer() as server:
        first, again, content = (chat(server).invoke(text).text for text in ("Cars?", "Cars?", "Trees?"))
    assert first == again != content
    assert len(first.split()) == 60


def test_what_was_told_is_on_record() -> None:
    with FakeServer(reply=echoing) as server:
        state = chat(server, temperature=0.5).invoke([("system", "You are Ada."), ("user", "Bob says no.")])
    (asked,) = server.chats
    assert (asked.n, asked.at, asked.system, asked.human) == (1, 1, "You are Ada.", "Bob says no.")
    assert (asked.body["temperature"], asked.headers["authorization"]) == (0.5, "Bearer sk-planted")
    assert server.seen("Bob says") == [asked]
    assert server.seen("Eve") == []
    assert asked.text in state.text


def test_a_script_is_said_in_order_and_is_loud_when_it_runs_out() -> None:
    with FakeServer(reply=script(["Once.", {"twice": True}])) as server:
        assert [chat(server).invoke("Well?").text for _ in range(2)] == ["Once.", '{"twice": true}']
        with pytest.raises(openai.InternalServerError) as failed:
            chat(server).invoke("And then?")
        assert failed.value.code == "script_exhausted"
        assert server.errors == ["FakeFailure: script_exhausted: 2 answers written, one more asked: …And then?"]
        server.errors.clear()


def test_leaving_a_server_that_met_errors_fails_the_test() -> None:
    def reply(request: Request) -> str:
        raise KeyError(request.human)

    def visit() -> None:
        with FakeServer(reply=reply) as server, pytest.raises(openai.InternalServerError, match="reply"):
            chat(server).invoke("a reply nobody wrote")

    with pytest.raises(AssertionError, match="KeyError: 'a reply nobody wrote'"):
        visit()


def test_a_gate_opens_only_to_requests_that_are_parallel() -> None:
    with FakeServer(gate=8, gated=lambda r: "vote" in r.human) as server, ThreadPoolExecutor(8) as pool:
        model = chat(server)
        model.invoke("not gated")
        assert len(list(pool.map(lambda i: model.invoke(f"vote {i}"), range(8)))) == 8
        model.invoke("vote again, alone")
    assert server.peak == 8


def test_a_gate_that_waits_in_vain_is_loud() -> None:
    with FakeServer(gate=2, deadline=0.05) as server:
        with pytest.raises(openai.InternalServerError) as failed:
            chat(server).invoke("Alone.")
        assert failed.value.code == "gate_timeout"
        assert server.errors == ["FakeFailure: gate_timeout: 1 of 2 requests stood at the gate after 0.05 s"]
        server.errors.clear()


def test_held_answers_come_at_release() -> None:
    with FakeServer() as server, ThreadPoolExecutor(2) as pool:
        server.hold()
        waiting = [pool.submit(chat(server).invoke, text) for text in ("One.", "Two.")]
        server.wait_for(2)
        assert not any(one.done() for one in waiting)
        server.release()
        assert all(one.result().text for one in waiting)


@pytest.mark.parametrize("fault", [Fault.hang(), Fault.stall()])
@pytest.mark.parametrize("streaming", [False, True])
def test_a_hanging_answer_comes_whole_at_release(fault: Fault, streaming: bool) -> None:
    with FakeServer(faults={1: fault}) as server, ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(chat(server, streaming=streaming).invoke, "Well?")
        server.wait_for(1)
        server.release()
        assert waiting.result().text == chat(server).invoke("Well?").text


def test_leaving_drops_who_still_waits_and_closes_the_port() -> None:
    with ThreadPoolExecutor(1) as pool:
        with FakeServer(reply=lambda r: Fault.hang()) as server:
            waiting = pool.submit(chat(server).invoke, "Well?")
            server.wait_for(1)
        with pytest.raises(openai.APIConnectionError):
            waiting.result()
    with pytest.raises(openai.APIConnectionError):
        chat(server).invoke("Still there?")
    assert not [one for one in threading.enumerate() if one.name == "fake server"]


def test_waiting_for_a_request_that_never_comes_says_what_came() -> None:
    with FakeServer() as server:
        chat(server).invoke("One.")
        with pytest.raises(TimeoutError, match=r"2 requests to /v1/chat/completions; came: .*completions': 1"):
            server.wait_for(2, within=0.01)


def test_a_process_of_its_own_counts_and_forgets() -> None:
    with apart("--words", "10") as url, openai.OpenAI(base_url=url, api_key="none") as client:
        said = client.chat.completions.create(model="any", messages=[{"role": "user", "content": "Well?"}])
        assert len((said.choices[0].message.content or "").split()) == 10
        root = url.removesuffix("/v1")
        for chats in (1, 0):
            with urlopen(f"{root}/stats") as stats:
                assert json.load(stats)["chats"] == chats
            urlopen(f"{root}/reset", data=b"").close()
