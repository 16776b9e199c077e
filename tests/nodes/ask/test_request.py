"""What one request carries and how its answer is read: settings, streaming under a name, structured replies."""

import json
from typing import Any

import pytest
from chats.asker import Asker, Verdict, make_prompt
from fakeserver import FakeServer, Fault, Reply
from langchain_core.messages import AIMessage
from moot.graphs import debate
from moot.models.failures import NoAnswerError, RunStoppedError
from moot.nodes.ask.attempt import SHARED_TEMPLATES
from moot.nodes.ask.call_options import Answer
from moot.nodes.ask.reply_schema import ReplySchema, UnusableReplyError, build_json_schema, parse_reply
from pydantic import BaseModel, ConfigDict

VALID = {"choice": "yes", "weight": 0.5}
STRUCTURE = ReplySchema(Verdict, SHARED_TEMPLATES)


class Open(BaseModel):
    """A form with free text."""

    model_config = ConfigDict(extra="forbid")

    text: str


def test_temperature_and_length_are_sent() -> None:
    with FakeServer() as server:
        Asker(server).ask(temperature=0.3, max_tokens=123)
        body = server.chats[0].body
    assert (body["temperature"], server.chats[0].cap) == (0.3, 123)


def test_a_model_known_to_reason_is_given_room_from_the_first_call_on() -> None:
    with FakeServer() as server:
        Asker(f"openai:gpt-5-mini@{server.url}").ask()
        assert server.chats[0].cap == 400 + 4000


def test_statements_have_the_run_s_temperature_and_the_synthesis_its_own() -> None:
    with FakeServer() as server:
        context: Any = {"model": f"any@{server.url}", "max_turns": 2, "temperature": 1.1}
        cast = ["Ada", {"name": "Ben", "temperature": 0.2}]
        debate.graph.invoke({"topic": "Cars?", "participants": cast}, context=context)
        sent = [(request.body["temperature"], request.cap) for request in server.chats]
    assert sent == [(1.1, 400), (0.2, 400), (0.3, 800)]


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("name", ["temperature", "max_completion_tokens", "stream_options"])
def test_a_setting_that_is_refused_is_left_out_once_and_for_all_on_record(name: str, streaming: bool) -> None:
    def reply(request: object) -> Fault | str:
        return Fault.unsupported(name) if name in request.body else "ScriptedReply without it."  # type: ignore[attr-defined]

    with FakeServer(reply=reply) as server:
        asker = Asker(server, streaming=streaming)
        first, second = asker.ask(), asker.ask()
        sent = [name in request.body for request in server.chats]
    assert isinstance(first, Answer)
    assert isinstance(second, Answer)
    if name == "stream_options" and not streaming:
        assert sent == [False, False]
    else:
        assert sent == [True, False, False]
        unknown = [("usage", "kept")] if name == "stream_options" else []
        assert [(incident.kind, incident.consequence) for incident in first.incidents] == [
            ("parameter", f"left out {name}"),
            *unknown,
        ]
        assert first.calls[0].outcome == "parameter"
        assert [(incident.kind, incident.consequence) for incident in second.incidents] == unknown


@pytest.mark.parametrize(
    "message",
    [
        "Unrecognized request argument supplied: max_completion_tokens",
        "[{'type': 'extra_forbidden', 'loc': ('body', 'max_completion_tokens'), 'msg': 'Extra inputs'}]",
        "`max_completion_tokens` is not supported",
    ],
)
def test_a_setting_is_recognised_in_the_words_of_other_servers(message: str) -> None:
    with FakeServer(faults={1: Fault.status(400, message=message)}) as server:
        answer = Asker(server).ask()
        assert [request.cap for request in server.chats] == [400, None]
    assert isinstance(answer, Answer)


def test_a_setting_that_is_refused_again_although_left_out_stops_the_run() -> None:
    with FakeServer(reply=lambda _: Fault.unsupported("temperature")) as server:
        with pytest.raises(RunStoppedError, match="temperature"):
            Asker(server).ask()
        assert len(server.chats) == 2


def test_a_400_of_two_settings_leaves_out_both() -> None:
    def reply(request: object) -> Fault | str:
        named = [one for one in ("temperature", "max_completion_tokens") if one in request.body]  # type: ignore[attr-defined]
        return Fault.unsupported(named[0]) if named else "ScriptedReply."

    with FakeServer(reply=reply) as server:
        answer = Asker(server).ask()
    assert isinstance(answer, Answer)
    assert len(answer.calls) == 3


def test_tokens_stream_under_the_speaker_s_name() -> None:
    with FakeServer(reply=lambda _: "one two three four five six seven") as server:
        asker = Asker(server, streaming=True)
        answer = asker.ask()
    assert isinstance(answer, Answer)
    assert "".join(text for text, _ in asker.heard) == answer.text
    assert len(asker.heard) > 3
    assert {(known["speaker"], known["purpose"], known["language"]) for _, known in asker.heard} == {
        ("Ada", "statement", "en")
    }


@pytest.mark.parametrize("quiet", [{"is_hidden": True}, {"schema": Verdict}])
def test_hidden_and_schema_bound_answers_do_not_stream(quiet: dict[str, object]) -> None:
    with FakeServer(reply=lambda _: json.dumps(VALID)) as server:
        asker = Asker(server, streaming=True)
        asker.ask(**quiet)
        assert not server.chats[0].stream
    assert asker.heard == []


def test_a_schema_goes_with_the_request_and_comes_back_as_its_model() -> None:
    with FakeServer(reply=lambda _: json.dumps(VALID)) as server:
        answer = Asker(server).ask(schema=Verdict)
        assert server.chats[0].schema == build_json_schema(Verdict, "en")
        assert server.chats[0].schema_name == "Verdict"
    assert isinstance(answer, Answer)
    assert answer.value == Verdict(choice="yes", weight=0.5)


def test_a_server_that_takes_no_schema_is_told_it_in_words() -> None:
    def reply(request: object) -> Fault | str:
        return Fault.unsupported("response_format") if request.form else json.dumps(VALID)  # type: ignore[attr-defined]

    with FakeServer(reply=reply) as server:
        answer = Asker(server).ask(schema=Verdict)
        assert json.dumps(build_json_schema(Verdict, "en")) in server.chats[1].human
    assert isinstance(answer, Answer)
    assert answer.value == Verdict(choice="yes", weight=0.5)


UNUSABLE = {
    "prose": Fault.content("prose", of=VALID),
    "truncated": Fault.content("truncated", of=VALID),
    "extra keys": Fault.content("extra_keys", of=VALID),
    "wrong choice": Reply(json.dumps({"choice": "maybe", "weight": 0.5})),
    "out of bounds": Reply(json.dumps({"choice": "yes", "weight": 1.5})),
    "not a number": Reply('{"choice": "yes", "weight": NaN}'),
    "a list": Reply(json.dumps([VALID])),
    "a key twice": Reply('{"choice": "yes", "choice": "no", "weight": 0.5}'),
    "two objects": Reply(json.dumps(VALID) + json.dumps({"choice": "no", "weight": 0.5})),
    "empty": Reply(""),
    "cut off": Reply('{"choice": "yes", "weight": 0.', finish="length"),
    "nested too deep": Reply("[" * 100_000),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_a_malformed_reply_is_asked_for_again_with_the_error_and_then_nothing_is_guessed(name: str) -> None:
    with FakeServer(reply=lambda _: UNUSABLE[name]) as server:
        lost = Asker(server).ask(schema=Verdict)
        again = [request.human.rpartition("<again>")[2] for request in server.chats]
    assert isinstance(lost, NoAnswerError)
    assert (lost.kind, len(lost.calls)) == ("cut_off" if name == "cut off" else "unparsable", 3)
    assert "it did not follow the required form" in again[1]
    assert lost.incidents[0].what in again[1]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(VALID),
        f"  {json.dumps(VALID)}\n",
        f"```json\n{json.dumps(VALID)}\n```",
        f"```\n{json.dumps(VALID, indent=2)}\n```",
        f"Gladly! Here it is:\n\n```json\n{json.dumps(VALID)}\n```\nI hope this helps.",
        '{"choice": "yes", "weight": "0.5"}',
    ],
)
def test_one_object_alone_or_as_the_only_code_block_is_read(text: str) -> None:
    assert parse_reply(AIMessage(text), STRUCTURE) == (Verdict(choice="yes", weight=0.5), "schema")


@pytest.mark.parametrize("text", [f"{json.dumps(VALID)}\nThat is my view.", f"My view: {json.dumps(VALID)}"])
def test_an_object_amid_prose_is_not_read(text: str) -> None:
    with pytest.raises(UnusableReplyError):
        parse_reply(AIMessage(text), STRUCTURE)


def test_what_is_read_from_a_form_can_always_be_stored() -> None:
    value, _ = parse_reply(AIMessage('{"text": "half a pair: \\ud800"}'), ReplySchema(Open, SHARED_TEMPLATES))
    assert value == Open(text="half a pair: \ufffd")


def test_a_prompt_is_one_system_and_one_human_message() -> None:
    with FakeServer() as server:
        Asker(server).ask(make_prompt(material="m", memory="n", retry_reason="o"))
        assert [message["role"] for message in server.chats[0].messages] == ["system", "user"]
