"""What an operator opens to clients of a server is open, and capped; the rest is left out or refused."""

from collections.abc import Iterator
from typing import Any

import pytest
from fakeserver import FakeServer
from langgraph_sdk import get_sync_client
from servers.langgraph import Client, Server

KEY = "sk-planted-0123456789"
TOPIC = {"topic": "Should cities ban cars?"}
LONG: dict[str, Any] = {"max_turns": 20, "dynamic_termination": False, "seed": 1, "retry_delays": [0]}


@pytest.fixture(scope="module")
def models() -> Iterator[FakeServer]:
    with FakeServer() as server:
        yield server


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory, models: FakeServer) -> Iterator[Client]:
    """A client of a server whose operator lets clients spend a key, up to caps."""
    caps = {"MOOT_ALLOW_KEYS": "OPENAI_API_KEY", "MOOT_MAX_CALLS": "6", "MOOT_MAX_TOKENS": "9000"}
    own = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": models.url, "MOOT_ALLOW_ORIGINS": ""}
    running = Server(tmp_path_factory.mktemp("server"), **own, **caps)
    try:
        running.wait_until_ready()
        with get_sync_client(url=running.url) as client:
            yield client
    finally:
        running.process.terminate()
        running.process.wait(20)


def run(client: Client, material: str = "", **context: Any) -> Any:
    return client.runs.wait(None, "debate", input=TOPIC | {"material": material}, context=LONG | context)


@pytest.mark.long
def test_a_key_the_operator_lets_clients_spend_is_spent_on_the_model_they_name(
    client: Client, models: FakeServer
) -> None:
    models.reset()
    run(client, model="openai:dear", max_turns=2)
    assert {(chat.body["model"], chat.headers["authorization"]) for chat in models.chats} == {("dear", f"Bearer {KEY}")}


@pytest.mark.long
def test_the_operator_s_caps_on_calls_and_tokens_end_a_run(client: Client, models: FakeServer) -> None:
    models.reset()
    ended = run(client, model="openai:dear")
    assert (ended["outcome"]["reason"], len(models.chats)) == ("budget_spent", 6)
    ended = run(client, model="openai:dear", material="Cars are loud. " * 700)
    spent = sum(call["input_tokens"] + call["output_tokens"] for call in ended["calls"])
    assert ended["outcome"]["reason"] == "budget_spent"
    assert 0 < spent <= 9000
    assert len(ended["calls"]) < 6
    with pytest.raises(Exception, match="give at most 9000"):
        run(client, budget={"tokens": 9001})


@pytest.mark.long
def test_what_the_form_does_not_name_is_left_out_in_silence_and_what_cannot_be_used_is_one_line(client: Client) -> None:
    ended = run(client, model="openai:dear", max_turns=2, max_turnz=9)
    assert len(ended["history"]) == 2
    with pytest.raises(Exception, match=r"max_turns = 1: must be at least 2") as error:
        run(client, max_turns=1)
    assert len(str(error.value).splitlines()) == 1
