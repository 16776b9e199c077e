"""What the model server answers to real clients: text, structure, usage, vectors."""

import asyncio
from typing import Any, Literal

import openai
import pytest
from fakeserver import FakeServer, Reply, echoing, tokens
from fakeserver.client import chat
from langchain_openai import ChatOpenAI
from pydantic import BaseModel, Field


class Vote(BaseModel):
    choice: Literal["apples", "pears"]
    weight: int = Field(ge=1, le=5)
    because: str


def test_sync_async_and_streamed_answers_are_one() -> None:
    async def ways(model: ChatOpenAI) -> list[str]:
        return [(await model.ainvoke("Cars?")).text, "".join([part.text async for part in model.astream("Cars?")])]

    with FakeServer() as server:
        model = chat(server)
        answers = [
            model.invoke("Cars?").text,
            "".join(part.text for part in model.stream("Cars?")),
            *asyncio.run(ways(model)),
        ]
    assert len(set(answers)) == 1


@pytest.mark.parametrize(
    ("method", "streaming"),  # json_schema streamed: pydantic warns inside the openai package
    [
        ("json_schema", False),
        ("function_calling", False),
        ("function_calling", True),
        ("json_mode", False),
        ("json_mode", True),
    ],
)
def test_structured_output_is_valid_by_every_method(method: Any, streaming: bool) -> None:
    with FakeServer(reply=lambda r: '{"choice": "pears", "weight": 2, "because": "ripe"}') as server:
        with_structured_output = chat(server, streaming=streaming).with_structured_output(Vote, method=method)
        assert with_structured_output.invoke("Vote, in JSON.") == Vote(choice="pears", weight=2, because="ripe")
    assert server.chats[0].schema_name == (None if method == "json_mode" else "Vote")


@pytest.mark.parametrize("method", ["json_schema", "function_calling"])
def test_the_default_reply_fits_the_schema_asked_for(method: Any) -> None:
    with FakeServer() as server:
        with_structured_output = chat(server).with_structured_output(Vote, method=method)
        votes = [with_structured_output.invoke(f"Vote number {i}") for i in range(12)]
    assert {vote.choice for vote in votes if isinstance(vote, Vote)} == {"apples", "pears"}


def test_json_mode_without_the_word_in_the_prompt_is_refused() -> None:
    with FakeServer() as server, pytest.raises(openai.BadRequestError, match="must contain the word 'json'"):
        chat(server).with_structured_output(Vote, method="json_mode").invoke("Vote.")


@pytest.mark.parametrize("said", ["I would rather not.", '{"choice": "pe'])
def test_prose_or_a_torn_call_of_a_function_comes_to_nothing(said: str) -> None:
    with FakeServer(reply=lambda r: said) as server:
        assert chat(server).with_structured_output(Vote, method="function_calling").invoke("Vote.") is None


@pytest.mark.parametrize("streaming", [False, True])
def test_usage_counts_prompt_cached_answer_and_reasoning(streaming: bool) -> None:
    with FakeServer(reply=lambda r: Reply("Yes indeed.", reasoning=7)) as server:
        model = chat(server, streaming=streaming, stream_usage=True)
        model.invoke([("system", "Be brief."), ("user", "Are trees tall?")])
        used = model.invoke([("system", "Be brief."), ("user", "Are trees green?")]).usage_metadata
    same, whole = "<system>Be brief.<user>Are trees ", "<system>Be brief.<user>Are trees green?"
    assert used == {
        "input_tokens": tokens(whole),
        "output_tokens": 3 + 7,
        "total_tokens": tokens(whole) + 10,
        "input_token_details": {"cache_read": len(same) // 4},
        "output_token_details": {"reasoning": 7},
    }
    assert server.stats()["cached_tokens"] == len(same) // 4


@pytest.mark.parametrize(("reasoning", "text"), [(0, "one two three four f"), (3, "one two "), (9, "")])
def test_an_obeyed_cap_cuts_the_answer_and_says_so(reasoning: int, text: str) -> None:
    with FakeServer(reply=lambda r: Reply("one two three four five", reasoning=reasoning), obey_caps=True) as server:
        state = chat(server, max_tokens=5).invoke("Count.")
    assert (state.text, state.response_metadata["finish_reason"]) == (text, "length")


def test_an_old_server_gives_no_usage() -> None:
    with FakeServer(reply=lambda r: Reply("Yes.", usage=False)) as server:
        assert chat(server).invoke("Well?").usage_metadata is None


def test_embeddings_put_like_beside_like_in_both_encodings() -> None:
    with FakeServer(models=["small", "large"]) as server, openai.OpenAI(base_url=server.url, api_key="none") as client:
        texts = ["taxing carbon", "a carbon tax on carbon", "singing whales"]
        coded = client.embeddings.create(model="any", input=texts).data
        floats = client.embeddings.create(model="any", input=texts, encoding_format="float").data
        assert [one.id for one in client.models.list()] == ["small", "large"]
    near, far = (sum(a * b for a, b in zip(coded[0].embedding, coded[i].embedding, strict=True)) for i in (1, 2))
    assert near > 0.3 > far
    assert coded[2].embedding == pytest.approx(floats[2].embedding)
    assert [one.text for one in server.embeds] == ["\n".join(texts)] * 2


def test_an_echo_reaches_every_free_string_of_a_schema() -> None:
    with FakeServer(reply=echoing) as server:
        vote = chat(server).with_structured_output(Vote).invoke("The word is Mandalay.")
    assert isinstance(vote, Vote)
    assert "Mandalay" in vote.because
