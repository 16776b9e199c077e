"""Justice over a LangGraph server: started, streamed, stopped, changed from outside, gone on with."""

from typing import Any

import pytest
from fakeserver import FakeServer, Fault
from runs.five import alone_and_together
from sampling import sample_cases
from servers.langgraph import Client, Thread

pytestmark = pytest.mark.long

ABC = {"participants": ["A", "B", "C"], "seed": 5, "discussion": {"max_rounds": 1}}
CALLS = 48


def justice(client: Client, model: FakeServer) -> Thread:
    return Thread(client, "justice", model=f"any@{model.url}", **ABC)


@pytest.fixture(scope="module")
def whole(client: Client) -> Any:
    """The experiment that nothing happened to."""
    with FakeServer(alone_and_together) as model:
        return justice(client, model).go({"experiment_id": "one"})


def read_outcome(ended: Any) -> Any:
    """What came of an experiment, without times."""
    said = [(statement["speaker"], statement["content"]) for statement in ended["history"]]
    return said, ended["settlement"]["payoffs"], ended["last_rankings"], ended["draws"], ended["outcome"]


def test_an_experiment_streams_what_is_said_and_what_happens(client: Client, whole: Any) -> None:
    with FakeServer(alone_and_together) as model:
        thread = justice(client, model)
        parts = thread.streamed({"experiment_id": "one"}, "updates", "messages-tuple")
        assert len(model.chats) == CALLS
    assert read_outcome(thread.state["values"]) == read_outcome(whole)
    steps = [step for event, data in parts if event == "updates" for step in data]
    assert steps[0] == "convene"
    assert steps[-1] == "conclude"
    speakers = {data[1]["speaker"] for event, data in parts if event == "messages"}
    assert speakers == {"A", "B", "C"}


@pytest.mark.parametrize("call", sample_cases([5, 27, 35, 41, 46], kinds=0))
def test_an_experiment_that_stopped_goes_on_where_it_stopped(call: int, client: Client, whole: Any) -> None:
    with FakeServer(alone_and_together, faults={call: Fault.status(401)}) as model:
        thread = justice(client, model)
        thread.stops({"experiment_id": "one"})
        assert thread.state["next"]
        assert read_outcome(thread.go()) == read_outcome(whole)
        assert len(model.chats) == CALLS + 1


def test_a_statement_and_a_memory_are_put_into_an_experiment_as_plain_values(client: Client) -> None:
    with FakeServer(alone_and_together, faults={28: Fault.status(401)}) as model:
        thread = justice(client, model)
        thread.stops({"experiment_id": "one"})
        values = thread.state["values"]
        who = values["floor"][0]
        told = {"turn": 2, "round": 1, "speaker": who, "content": "Words from outside."}
        note = {who: {"replace": ["A note from outside."]}}
        thread.put({"history": [told], "turn": 2, "floor": values["floor"][1:], "memory": note}, as_node="speak")
        ended = thread.go()
        assert model.seen("Words from outside.")
        assert model.seen("A note from outside.")
    assert [statement["content"] for statement in ended["history"]][1] == "Words from outside."
    assert ended["settlement"]["payoffs"]
