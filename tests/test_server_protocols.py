"""Justice, panel and discussion over a LangGraph server's threads: started, streamed, stopped, changed, gone on with."""

from collections.abc import Iterator
from typing import Any

import pytest
from fakeserver import FakeServer, Fault
from five import alone_and_together
from langgraph_sdk import get_sync_client
from test_server import Client, Server

pytestmark = pytest.mark.long

PAPERS = [
    {"title": "Shops without cars", "authors": ["Ada Smith"], "year": 2024, "abstract": "Turnover did not fall."},
    {"title": "Buses", "year": 2019, "abstract": "Ridership doubled within eighteen months."},
]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    running = Server(tmp_path_factory.mktemp("server"))
    try:
        running.wait_until_ready()
        with get_sync_client(url=running.url) as client:
            yield client
    finally:
        running.process.terminate()
        running.process.wait(20)
    log = running.log.read_text()
    for complaint in ("Blocking call", "BlockingError", "Deserializing unregistered type"):
        assert complaint not in log


class Thread:
    """A run of a protocol on a thread of its own, with settings that go with every request."""

    def __init__(self, client: Client, protocol: str, **context: Any) -> None:
        self.client, self.protocol, self.context = client, protocol, context
        self.id = client.threads.create()["thread_id"]

    def go(self, given: Any = None, **how: Any) -> Any:
        """Run on an input, or go on with none, until it ends or stops."""
        return self.client.runs.wait(self.id, self.protocol, input=given, context=self.context, **how)

    def stops(self, given: Any) -> None:
        with pytest.raises(Exception, match="Incorrect API key"):
            self.go(given)

    def streamed(self, given: Any, *modes: str) -> list[tuple[str, Any]]:
        asked: Any = list(modes)
        parts = self.client.runs.stream(self.id, self.protocol, input=given, context=self.context, stream_mode=asked)
        return [(part.event, part.data) for part in parts]

    def put(self, values: dict[str, Any], **where: Any) -> None:
        self.client.threads.update_state(self.id, values, **where)

    @property
    def state(self) -> Any:
        return self.client.threads.get_state(self.id)

    def before(self, step: str) -> Any:
        """The newest checkpoint after which this step comes."""
        return next(one for one in self.client.threads.get_history(self.id, limit=100) if step in one["next"])


# justice

ABC = {"participants": ["A", "B", "C"], "seed": 5, "discussion": {"max_rounds": 1}}
CALLS = 48


def justice(client: Client, model: FakeServer) -> Thread:
    return Thread(client, "justice", model=f"any@{model.url}", **ABC)


@pytest.fixture(scope="module")
def whole(client: Client) -> Any:
    """The experiment that nothing happened to."""
    with FakeServer(alone_and_together) as model:
        return justice(client, model).go({"experiment_id": "one"})


def found(ended: Any) -> Any:
    """What came of an experiment, without times."""
    said = [(one["speaker"], one["content"]) for one in ended["history"]]
    return said, ended["settlement"]["payoffs"], ended["last_rankings"], ended["draws"], ended["outcome"]


def test_an_experiment_streams_what_is_said_and_what_happens(client: Client, whole: Any) -> None:
    with FakeServer(alone_and_together) as model:
        thread = justice(client, model)
        parts = thread.streamed({"experiment_id": "one"}, "updates", "messages-tuple")
        assert len(model.chats) == CALLS
    assert found(thread.state["values"]) == found(whole)
    steps = [step for event, data in parts if event == "updates" for step in data]
    assert steps[0] == "convene"
    assert steps[-1] == "conclude"
    speakers = {data[1]["speaker"] for event, data in parts if event == "messages"}
    assert speakers == {"A", "B", "C"}


@pytest.mark.parametrize("call", [5, 27, 35, 41, 46])
def test_an_experiment_that_stopped_goes_on_where_it_stopped(call: int, client: Client, whole: Any) -> None:
    with FakeServer(alone_and_together, faults={call: Fault.status(401)}) as model:
        thread = justice(client, model)
        thread.stops({"experiment_id": "one"})
        assert thread.state["next"]
        assert found(thread.go()) == found(whole)
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
    assert [one["content"] for one in ended["history"]][1] == "Words from outside."
    assert ended["settlement"]["payoffs"]


# panel


def panel(client: Client, model: FakeServer) -> Thread:
    return Thread(client, "panel", model=f"any@{model.url}", seed=1, waits=[0])


def test_a_panel_streams_stops_and_goes_on_where_it_stopped(client: Client) -> None:
    given: Any = {"query": "Should cities ban cars?", "papers": PAPERS}
    with FakeServer(faults={3: Fault.status(401)}) as model:
        thread = panel(client, model)
        heard = {data[1]["speaker"] for event, data in thread.streamed(given, "messages-tuple") if event == "messages"}
        said = [one["speaker"] for one in thread.state["values"]["history"]]
        assert set(said) <= heard
        assert len(said) == 2
        ended = thread.go()
        assert len(model.chats) == 6
    assert [one["speaker"] for one in ended["history"]][:2] == said
    assert len(ended["history"]) == 4
    assert ended["synthesis"]
    assert [one["id"] for one in ended["papers"]] == ["smith2024-shops", "2019-buses"]


def test_a_paper_and_a_persona_are_put_into_a_panel_as_plain_values(client: Client) -> None:
    given: Any = {"query": "Should cities ban cars?", "papers": PAPERS}
    with FakeServer() as model:
        thread = panel(client, model)
        thread.go(given)
        point = thread.before("order")
        cast = point["values"]["participants"]
        cast[0]["persona"] = "A changed mind."
        shown = [*point["values"]["exhibits"], {"id": "doe2020-trams", "title": "Trams", "text": "Trams are quiet."}]
        thread.put({"participants": cast, "exhibits": shown}, checkpoint=point["checkpoint"])
        asked = len(model.chats)
        ended = thread.go()
        assert len(model.chats) == 2 * asked
        assert len([one for one in model.chats[asked:] if "Trams are quiet." in one.text]) == 5
        assert model.seen("A changed mind.")
    assert len(ended["history"]) == 4


# discussion


def test_a_text_is_put_into_a_session_as_plain_values_and_the_next_one_speaks(client: Client) -> None:
    with FakeServer() as model:
        thread = Thread(client, "discussion", model=f"any@{model.url}", waits=[0])
        thread.go({"topic": "Tea", "participants": [{"name": "Zoe", "kind": "person"}, "Ada", "Ben"]})
        state = thread.state
        assert state["interrupts"][0]["value"]["expected"] == "Zoe"
        at = state["values"]["since"]
        told = {"turn": 1, "round": 1, "speaker": "Zoe", "content": "Words from outside.", "at": at}
        event = {"kind": "text", "who": "Zoe", "turn": 1, "to": ["Ada", "Ben"], "recorded_at": at}
        thread.put({"history": [told], "events": [event], "floor": ["Ada", "Ben", "Zoe"], "turn": 1}, as_node="hear")
        thread.go()
        assert len(model.seen("Words from outside.")) == 2
    values = thread.state["values"]
    assert [one["speaker"] for one in values["history"]] == ["Zoe", "Ada", "Ben"]
    assert [one["seq"] for one in values["events"]] == list(range(1, len(values["events"]) + 1))
    assert thread.state["interrupts"][0]["value"]["turn"] == 4


def test_a_session_whose_model_was_refused_goes_on_where_it_stopped(client: Client) -> None:
    with FakeServer(faults={2: Fault.status(401)}) as model:
        thread = Thread(client, "discussion", model=f"any@{model.url}", waits=[0], max_turns=4)
        thread.stops({"topic": "Tea", "participants": ["Ada", "Ben", "Cleo"]})
        assert [one["speaker"] for one in thread.state["values"]["history"]] == ["Ada"]
        ended = thread.go()
        assert len(model.chats) == 5
    assert [one["speaker"] for one in ended["history"]] == ["Ada", "Ben", "Cleo", "Ada"]
