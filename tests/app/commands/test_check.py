"""`moot check-model`: what a model can do, and what will be done where it cannot."""

from typing import Any

import pytest
from command import document, moot
from command.terminal import typed
from fakeserver import FakeServer, Fault

SAID = "I am ready."
RIGHT = '{"colour": "red", "sure": 1}'


def answers(request):  # type: ignore[no-untyped-def]
    """A model that follows any schema it is told, in words or by form."""
    return RIGHT if "colour" in request.text or request.form else SAID


def findings(server: FakeServer, *words: str) -> dict[str, tuple[bool, str]]:
    found = document("check-model", "--model", f"openai:fake@{server.url}", *words)["findings"]
    return {one["name"]: (one["works"], one["detail"]) for one in found}


def test_a_model_that_does_everything() -> None:
    with FakeServer() as server:
        found = findings(server)
        assert all(works for works, _ in found.values())
        assert list(found) == ["text", "streaming", "structured output", "tools", "usage"]
        assert "by schema" in found["structured output"][1]
        assert found["tools"] == (True, "the model calls a tool")
        assert [request.body.get("tool_choice") for request in server.chats] == [None, None, None, "required"]
        output = moot("check-model", "--model", f"openai:fake@{server.url}")
    assert output.stdout.count("  yes  ") == 5


def test_an_endpoint_without_schemas_is_asked_in_words() -> None:
    def no_form(request):  # type: ignore[no-untyped-def]
        return Fault.unsupported("response_format") if request.form else RIGHT if "schema" in request.text else SAID

    with FakeServer(reply=no_form) as server:
        assert findings(server)["structured output"] == (
            True,
            "by instructions in the prompt, since the server takes no schema",
        )


def test_a_model_that_cannot_follow_a_schema() -> None:
    with FakeServer(reply=lambda _: SAID) as server:
        works, said = findings(server)["structured output"]
    assert not works
    assert "record them as invalid" in said


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (SAID, "the model called no tool; use it without tools"),
        (Fault.status(400, message="fake does not support tools"), "fake does not support tools; leave out tools"),
    ],
    ids=["called none", "refused"],
)
def test_a_model_that_calls_no_tools(fault: Any, said: str) -> None:
    with FakeServer(reply=lambda request: fault if "tools" in request.body else answers(request)) as server:
        works, tool = findings(server)["tools"]
    assert not works
    assert tool.endswith(said)


def test_an_endpoint_that_takes_no_tool_choice_is_asked_without() -> None:
    def reply(request):  # type: ignore[no-untyped-def]
        return Fault.unsupported("tool_choice") if "tool_choice" in request.body else answers(request)

    with FakeServer(reply=reply) as server:
        assert findings(server)["tools"] == (True, "the model calls a tool")


def test_a_parameter_that_is_refused_is_left_out() -> None:
    def cold(request):  # type: ignore[no-untyped-def]
        return Fault.unsupported("temperature", 0.7) if "temperature" in request.body else answers(request)

    with FakeServer(reply=cold) as server:
        found = findings(server)
    assert found["temperature"] == (False, "refused by the server; Moot leaves it out")
    assert found["text"][0]


def test_it_asks_in_the_language_it_is_told() -> None:
    with FakeServer(reply=answers) as server:
        findings(server, "--language", "zh")
        assert server.seen("准备好")


@pytest.mark.parametrize("fault", [Fault.status(401), Fault.status(404)], ids=["key", "name"])
def test_a_model_that_cannot_be_called_is_one_line(fault: Fault) -> None:
    with FakeServer(reply=lambda _: fault) as server:
        result = moot("check-model", "--model", f"openai:fake@{server.url}", "--json")
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr.count("\n") == 1


def test_a_model_that_only_fails_fails_the_check() -> None:
    with FakeServer(reply=lambda _: Fault.status(500)) as server:
        result = moot("check-model", "--model", f"openai:fake@{server.url}", "--json")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "  no   text: " in result.stderr


def test_the_rehearsal_passes() -> None:
    assert document("check-model", "--model", "rehearsal")["findings"][0]["works"]


@pytest.mark.long
def test_it_says_on_a_terminal_what_it_is_doing() -> None:
    with FakeServer(reply=answers) as server:
        model = f"openai:fake@{server.url}"
        shown, piped = typed(["check-model", "--model", model]), moot("check-model", "--model", model)
    labels = ("a text", "a text in pieces", "an answer in a fixed form", "a call of a tool")
    for place, what in enumerate(labels, start=1):
        assert f"{place} of 4: asking {model} for {what} …" in shown.text
    assert piped.stderr == ""
