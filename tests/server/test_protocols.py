"""Panel and discussion over a LangGraph server: started, streamed, stopped, changed from outside, gone on with."""

from typing import Any

import pytest
from fakeserver import FakeServer, Fault
from servers.langgraph import Client, Thread

pytestmark = pytest.mark.long

PAPERS = [
    {"title": "Shops without cars", "authors": ["Ada Smith"], "year": 2024, "abstract": "Turnover did not fall."},
    {"title": "Buses", "year": 2019, "abstract": "Ridership doubled within eighteen months."},
]


# panel


def panel(client: Client, model: FakeServer) -> Thread:
    return Thread(client, "panel", model=f"any@{model.url}", seed=1, retry_delays=[0])


def test_a_panel_streams_stops_and_goes_on_where_it_stopped(client: Client) -> None:
    given: Any = {"query": "Should cities ban cars?", "papers": PAPERS}
    with FakeServer(faults={3: Fault.status(401)}) as model:
        thread = panel(client, model)
        speakers = {
            data[1]["speaker"] for event, data in thread.streamed(given, "messages-tuple") if event == "messages"
        }
        said = [statement["speaker"] for statement in thread.state["values"]["history"]]
        assert set(said) <= speakers
        assert len(said) == 2
        ended = thread.go()
        assert len(model.chats) == 6
    assert [statement["speaker"] for statement in ended["history"]][:2] == said
    assert len(ended["history"]) == 4
    assert ended["synthesis"]
    assert [paper["id"] for paper in ended["papers"]] == ["smith2024-shops", "2019-buses"]


def test_an_outage_on_a_server_names_who_is_owed_a_turn_and_the_thread_goes_on_with_it(client: Client) -> None:
    given: Any = {"query": "Should cities ban cars?", "papers": PAPERS, "participants": ["Paper Analyst"]}
    with FakeServer(faults=dict.fromkeys(range(1, 4), Fault.status(500))) as model:
        thread = panel(client, model)
        with pytest.raises(Exception, match=r"waiting for 127.*Not yet answered: Paper Analyst \(turn 1\)"):
            thread.go(given)
        assert thread.state["values"]["history"] == []
        again = thread.go()
    assert (again["outcome"]["status"], again["outcome"]["reason"]) == ("completed", "all_have_spoken")


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
        chat_count = len(model.chats)
        ended = thread.go()
        assert len(model.chats) == 2 * chat_count
        assert len([chat for chat in model.chats[chat_count:] if "Trams are quiet." in chat.text]) == 5
        assert model.seen("A changed mind.")
    assert len(ended["history"]) == 4


# discussion


def test_a_text_is_put_into_a_session_as_plain_values_and_the_next_one_speaks(client: Client) -> None:
    with FakeServer() as model:
        thread = Thread(client, "discussion", model=f"any@{model.url}", retry_delays=[0])
        thread.go({"topic": "Tea", "participants": [{"name": "Zoe", "kind": "person"}, "Ada", "Ben"]})
        state = thread.state
        assert state["interrupts"][0]["value"]["expected"] == "Zoe"
        at = state["values"]["since"]
        told = {"turn": 1, "round": 1, "speaker": "Zoe", "content": "Words from outside.", "at": at}
        event = {"kind": "text", "who": "Zoe", "turn": 1, "to": ["Ada", "Ben"], "recorded_at": at}
        thread.put(
            {"history": [told], "events": [event], "floor": ["Ada", "Ben", "Zoe"], "turn": 1}, as_node="receive_message"
        )
        thread.go()
        assert len(model.seen("Words from outside.")) == 2
    values = thread.state["values"]
    assert [statement["speaker"] for statement in values["history"]] == ["Zoe", "Ada", "Ben"]
    assert [event["seq"] for event in values["events"]] == list(range(1, len(values["events"]) + 1))
    assert thread.state["interrupts"][0]["value"]["turn"] == 4


def test_a_session_whose_model_was_refused_goes_on_where_it_stopped(client: Client) -> None:
    with FakeServer(faults={2: Fault.status(401)}) as model:
        thread = Thread(client, "discussion", model=f"any@{model.url}", retry_delays=[0], max_turns=4)
        thread.stops({"topic": "Tea", "participants": ["Ada", "Ben", "Cleo"]})
        assert [statement["speaker"] for statement in thread.state["values"]["history"]] == ["Ada"]
        ended = thread.go()
        assert len(model.chats) == 5
    assert [statement["speaker"] for statement in ended["history"]] == ["Ada", "Ben", "Cleo", "Ada"]


# council, jury, Delphi

KNOBS: dict[str, dict[str, Any]] = {
    "council": {"chairman": "Ben"},
    "jury": {"max_rounds": 1, "verdict_rule": "2-1"},
    "delphi": {"max_rounds": 2, "options": {"A": "a ban", "B": "a toll"}},
}


@pytest.mark.parametrize("name", KNOBS)
def test_what_is_asked_of_all_at_once_stops_on_a_server_and_goes_on_with_what_is_missing_alone(
    client: Client, name: str
) -> None:
    people = [{"name": one, "persona": f"You are {one}."} for one in ("Ada", "Ben", "Cleo")]
    with FakeServer(faults={3: Fault.status(401)}) as model:
        thread = Thread(client, name, model=f"any@{model.url}", seed=1, retry_delays=[0], **KNOBS[name])
        list(thread.streamed({"topic": "Should cities ban cars?", "participants": people}, "updates"))
        assert thread.state["next"]
        chat_count = len(model.chats)
        ended = thread.go()
        first = {chat.text for chat in model.chats[:chat_count]}
        assert len([chat for chat in model.chats[chat_count:] if chat.text in first]) == 1, (
            "who was refused is asked again"
        )
    assert ended["outcome"]["status"] == "completed"
    assert {participant["name"] for participant in ended["participants"]} == {"Ada", "Ben", "Cleo"}
