"""Odd answers of a server are malformed: recorded with their cost, tried again, an incident, never a traceback."""

from typing import Any

import pytest
from chats.asker import Asker
from command import document
from fakeserver import FakeServer, Reply, Request
from fakeserver.echo import echo_by_hash
from fakeserver.spoilt import make_reply
from moot.models.failures import NoAnswerError
from moot.nodes.ask.call_options import Answer

CALL = {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}
ODD: dict[str, dict[str, Any]] = {
    "the role user": {"role": "user"},
    "the role system": {"role": "system"},
    "the role tool": {"role": "tool"},
    "a role of its own": {"role": "oracle"},
    "a role that is a number": {"role": 7},
    "content that is a number": {"content": 42},
    "content that is true": {"content": True},
    "content that is an object": {"content": {"text": "Cars."}},
    "content that is a list with nulls": {"content": [None, {"type": "text", "text": "Cars."}]},
    "content whose text is a number": {"content": [{"type": "text", "text": 5}]},
    "a tool call nobody offered": {"tool_calls": [{"index": 0, **CALL}]},
    "tool calls that are a number": {"tool_calls": 3},
    "tool calls that are null": {"tool_calls": [None]},
    "a function call of old": {"function_call": {"name": "look_up", "arguments": "{}"}},
}


def oddly(odd: dict[str, Any]) -> Any:
    """A server whose first answer is odd and whose later ones are whole."""
    answers = iter([odd])

    def reply(request: Request) -> Reply:
        return Reply(make_reply(echo_by_hash, request).text, odd=next(answers, {}))

    return reply


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_an_odd_answer_is_recorded_with_its_cost_and_tried_again_with_an_incident(
    odd: dict[str, Any], streaming: bool
) -> None:
    with FakeServer(reply=oddly(odd)) as server:
        answer = Asker(server, streaming=streaming).ask()
        assert len(server.chats) == 2
    assert isinstance(answer, Answer)
    assert len(answer.text) > 20
    assert [call.outcome for call in answer.calls] == ["malformed", "ok"]
    assert answer.calls[0].input_tokens > 0, "it was paid for"
    assert [(incident.kind, incident.consequence) for incident in answer.incidents] == [("malformed", "asked again")]


def test_a_server_that_is_odd_every_time_costs_three_calls_on_record() -> None:
    with FakeServer(reply=lambda request: Reply("Cars.", odd={"content": 42})) as server:
        lost = Asker(server).ask()
    assert isinstance(lost, NoAnswerError)
    assert [call.outcome for call in lost.calls] == ["malformed"] * 3
    assert all(call.input_tokens for call in lost.calls)


def test_a_debate_with_odd_answers_ends_as_others_do(monkeypatch: pytest.MonkeyPatch) -> None:
    odd_answers = iter(list(ODD.values()))

    def reply(request: Request) -> Reply:
        odd = next(odd_answers, {}) if request.n % 2 else {}
        return Reply(make_reply(echo_by_hash, request).text, odd=odd)

    with FakeServer(reply=reply) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        report = document("debate", "Tea?", "--max-turns", "4", "--set", "retry_delays=[0]")
        assert len(report["calls"]) == len(server.chats)
    assert (report["status"], len(report["turns"])) == ("completed", 4)
    assert "malformed" in {incident["kind"] for incident in report["incidents"]}
