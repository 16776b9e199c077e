"""The answer of a deliberation in a form: a pydantic model, a TypedDict or a JSON schema."""

from typing import Any

import moot
import pytest
from chats.scripted import ScriptedChat
from pydantic import BaseModel, Field
from typing_extensions import TypedDict


class Verdict(BaseModel):
    for_it: bool = Field(description="Whether the motion is supported.")
    reason: str


class Choice(TypedDict):
    reason: str


SCHEMA = {
    "type": "object",
    "properties": {"reason": {"type": "string", "minLength": 5}, "for_it": {"type": "boolean"}},
    "required": ["reason"],
    "additionalProperties": False,
}
SAID = "What I say here is long enough."


def filling(*forms: str) -> ScriptedChat:
    """A model that speaks, and fills the form with these in turn."""
    asked: list[str] = []

    def answer(messages: Any, kwargs: Any) -> str:
        text = "\n".join(message.text for message in messages)
        if "requested form" not in text:
            return SAID
        asked.append(text)
        return forms[min(len(asked), len(forms)) - 1]

    return ScriptedChat(script=answer)


def run_agent(model: Any, response_format: Any, **settings: Any) -> moot.Result[Any]:
    options: Any = {"max_turns": 2, "retry_delays": [0], **settings}
    return moot.agent("debate", model=model, response_format=response_format, **options).run("Tea or coffee?")


def test_a_pydantic_model_comes_back_filled() -> None:
    model = filling('{"for_it": true, "reason": "It is warm."}')
    deliberation = moot.agent("debate", model=model, max_turns=2, response_format=Verdict)
    out = deliberation.invoke("Tea or coffee?")
    assert out["structured_response"] == Verdict(for_it=True, reason="It is warm.")
    assert out["deliberation"].answer == out["structured_response"]
    assert [call.purpose for call in out["deliberation"].calls][-2:] == ["synthesis", "form"]
    last = model.prompts[-1]
    assert last.who == "synthesizer"
    text = last.messages[1].text
    assert text.index(f"{SAID}") < text.index("<synthesis>") < text.index("for_it")
    assert "Whether the motion is supported." in text


@pytest.mark.parametrize("form", [Choice, SCHEMA], ids=["TypedDict", "JSON schema"])
def test_a_typed_dict_and_a_json_schema_come_back_as_a_dictionary(form: Any) -> None:
    result = run_agent(filling('{"reason": "It is warm."}'), form)
    assert result.answer == {"reason": "It is warm."}
    assert not result.degraded


def test_a_form_that_breaks_its_schema_is_asked_for_again() -> None:
    model = filling('{"reason": "no"}', '{"reason": "It is warm."}')
    assert run_agent(model, SCHEMA).answer == {"reason": "It is warm."}


def test_an_unfilled_form_leaves_no_answer_and_is_degraded() -> None:
    result = run_agent(filling("I would rather not."), Verdict)
    assert result.answer is None
    assert result.degraded
    assert result.status == "completed"
    assert result.text == SAID


def test_one_call_is_reserved_for_the_form() -> None:
    model = filling('{"for_it": true, "reason": "It is warm."}')
    result = run_agent(model, Verdict, max_turns=9, budget={"calls": 5})
    assert len(result.calls) <= 5
    assert result.answer is not None
    with pytest.raises(moot.InputError, match=r"budget\.calls"):
        run_agent(model, Verdict, budget={"calls": 2})


@pytest.mark.parametrize("form", ["text", int, {"type": "string"}, {"type": "object", "properties": 7}])
def test_what_is_no_form_is_refused(form: Any) -> None:
    with pytest.raises(moot.InputError, match="response_format = "):
        run_agent("rehearsal", form)


@pytest.mark.parametrize("protocol", ["consensus", "council", "panel", "jury", "delphi", "discussion"])
def test_every_protocol_fills_a_form(protocol: str) -> None:
    settings: dict[str, Any] = {"participants": ["Ada", "Ben", "Cleo"], "model": "rehearsal", "seed": 3}
    if protocol in ("consensus", "jury", "delphi", "discussion"):
        settings |= {"max_rounds": 1}
    if protocol == "panel":
        del settings["participants"]
    result = moot.agent(protocol, response_format=Choice, **settings).run("How many days should a trial last?")
    assert set(result.answer or {}) == {"reason"}
