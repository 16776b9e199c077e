"""Answers that arrive but cannot be used reach the clients as they are."""

import json
from typing import Any, Literal

import openai
import pytest
from fakeserver import FakeServer, Fault
from fakeserver.client import chat
from langchain_core.exceptions import ModelError, OutputParserException
from langchain_openai.chat_models import base as failures
from pydantic import BaseModel, ValidationError


class Vote(BaseModel, extra="forbid"):
    choice: Literal["apples", "pears"]


@pytest.mark.parametrize(
    ("fault", "kind"),
    [(Fault.not_json(), json.JSONDecodeError), (Fault.raw({"id": "x", "choices": None}), TypeError)],
)
def test_a_body_that_is_no_completion_is_no_model_error(fault: Fault, kind: type[Exception]) -> None:
    with FakeServer(faults={1: fault}) as server, pytest.raises(kind) as failed:
        chat(server).invoke("Well?")
    assert not isinstance(failed.value, ModelError)


@pytest.mark.parametrize(
    ("shape", "text", "finish"),
    [
        ("empty", "", "stop"),
        ("blank", " \n\t\u00a0\n ", "stop"),
        ("truncated", "one two", "stop"),
        ("prose", "Gladly! Here it is:\n\none two three f\n\nI hope this helps.", "stop"),
        ("fenced", "```json\none two three f\n```", "stop"),
        ("content_filter", "", "content_filter"),
        ("length", "one two", "length"),
    ],
)
@pytest.mark.parametrize("streaming", [False, True])
def test_content_arrives_spoilt(shape: str, text: str, finish: str, streaming: bool) -> None:
    with FakeServer(faults={1: Fault.content(shape, of="one two three f")}) as server:
        state = chat(server, streaming=streaming).invoke("Count.")
    assert (state.text, state.response_metadata["finish_reason"]) == (text, finish)


def test_a_refusal_comes_in_its_own_field_and_streamed_only_to_the_bare_client() -> None:
    ask: Any = {"model": "any", "messages": [{"role": "user", "content": "Well?"}], "stream": True}
    with FakeServer(reply=lambda r: Fault.content("refusal")) as server:
        assert chat(server).invoke("Well?").additional_kwargs["refusal"] == "I'm sorry, I can't help with that."
        assert not any(part.text or part.additional_kwargs for part in chat(server).stream("Well?"))
        with openai.OpenAI(base_url=server.url, api_key="none") as client:
            deltas = [part.choices[0].delta.refusal or "" for part in client.chat.completions.create(**ask)]
    assert "".join(deltas) == "I'm sorry, I can't help with that."


@pytest.mark.parametrize(
    ("shape", "method", "kind"),
    [
        ("prose", "json_schema", ValidationError),
        ("fenced", "json_schema", ValidationError),
        ("truncated", "json_schema", ValidationError),
        ("wrong_enum", "json_schema", ValidationError),
        ("extra_keys", "json_schema", ValidationError),
        ("refusal", "json_schema", failures.OpenAIRefusalError),
        ("length", "json_schema", openai.LengthFinishReasonError),
        ("content_filter", "json_schema", openai.ContentFilterFinishReasonError),
        ("wrong_enum", "function_calling", ValidationError),
        ("extra_keys", "function_calling", ValidationError),
        ("truncated", "json_mode", OutputParserException),
        ("length", "json_mode", openai.LengthFinishReasonError),
    ],
)
def test_spoilt_structure_fails_as_the_client_has_it(shape: str, method: Any, kind: type[Exception]) -> None:
    with FakeServer(faults={1: Fault.content(shape)}) as server, pytest.raises(kind):
        chat(server).with_structured_output(Vote, method=method).invoke("Vote, in JSON.")
