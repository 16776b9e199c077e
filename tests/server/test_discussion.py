"""A session over a LangGraph server's threads: people answer interrupts, nothing is taken out of turn."""

import json
from typing import Any

import pytest
from fakeserver import FakeServer
from servers.langgraph import Client

pytestmark = pytest.mark.long

CAST: list[Any] = [{"name": "Zoe", "kind": "person"}, "Ada", "Ben"]


class Thread:
    """A session on a thread of its own; `told` is what observers heard of its log."""

    def __init__(self, client: Client, **settings: Any) -> None:
        self.client, self.id = client, client.threads.create()["thread_id"]
        self.prompts: list[str] = []
        client.runs.wait(self.id, "discussion", input={"topic": "Tea", "participants": CAST}, context=settings)

    def tell(self, **answer: Any) -> None:
        modes: Any = ["custom", "messages"]
        for part in self.client.runs.stream(self.id, "discussion", command={"resume": answer}, stream_mode=modes):
            self.prompts += [f"{part.data['event']} {part.data['who']}"] if part.event == "custom" else []

    @property
    def state(self) -> Any:
        return self.client.threads.get_state(self.id)

    @property
    def open(self) -> dict[str, Any]:
        """The question the thread waits with."""
        value: dict[str, Any] = self.state["interrupts"][0]["value"]
        return value


def test_a_session_over_a_servers_threads(client: Client) -> None:
    with FakeServer() as model:
        settings = {"model": f"any@{model.url}", "expectations": [{"turn_within": 0.001, "action": "warn"}]}
        thread = Thread(client, **settings)
        assert (thread.open["expected"], thread.open["turn"], len(model.chats)) == ("Zoe", 1, 0)

        thread.tell(speaker="Ada", text="Me first!")
        assert thread.open["refused"] == "Ada: it is not your turn (expected: Zoe)"
        thread.tell(speaker="Zoe", text=" ")
        assert thread.open["refused"].startswith("Zoe: the text is blank")
        assert (thread.prompts, len(model.chats)) == (["expectation_violated Zoe"], 0)

        thread.tell(speaker="Zoe", text="Tea, then.", id="m1", turn=1)
        assert [prompt for prompt in thread.prompts if prompt.startswith("text")] == [
            "text Zoe",
            "text Ada",
            "text Ben",
        ]
        assert (thread.open["expected"], thread.open["turn"], len(model.chats)) == ("Zoe", 4, 2)
        assert [statement["speaker"] for statement in thread.open["view"]] == ["Zoe", "Ada", "Ben"]
        thread.tell(speaker="Zoe", text="Tea, then.", id="m1", turn=1)
        assert "recorded already" in thread.open["refused"]

        thread.tell(close=True, by="Ben", reason="Done.")
        values = thread.state["values"]
        assert (values["status"], values["outcome"]["evidence"]["quote"]) == ("closed", "Ben")
        assert [event["seq"] for event in values["events"]] == list(range(1, len(values["events"]) + 1))
        assert len(model.chats) == 2


def test_a_server_refuses_models_without_an_end(client: Client) -> None:
    thread = client.threads.create()["thread_id"]
    found = client.runs.wait(thread, "discussion", input={"topic": "Tea"}, raise_error=False)
    assert "give max_turns, max_rounds or ttl" in json.dumps(found)
