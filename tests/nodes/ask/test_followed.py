"""Whether an answer is asked for token by token: where somebody follows the words; what is recorded is the same."""

import asyncio
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fakeserver import FakeServer
from langchain_core._api import LangChainBetaWarning
from moot.graphs.debate import build

TOPIC = {"topic": "Should cities ban cars?"}
Way = Callable[[Any, dict[str, Any]], Any]


def invoked(graph: Any, settings: dict[str, Any]) -> Any:
    """Nobody follows the words."""
    return graph.invoke(TOPIC, context=settings)


def updated(graph: Any, settings: dict[str, Any]) -> Any:
    """Each step is followed, the words are not."""
    return list(graph.stream(TOPIC, context=settings, stream_mode=["updates", "values"]))[-1][1]


def stream_values(graph: Any, settings: dict[str, Any]) -> Any:
    """The words are followed."""
    modes = ["messages", "values"]
    return [part for part in graph.stream(TOPIC, context=settings, stream_mode=modes) if part[0] == "values"][-1][1]


def told_of_events(graph: Any, settings: dict[str, Any]) -> Any:
    """The words are followed as LangChain's events."""

    async def last() -> Any:
        events = [astream_event async for astream_event in graph.astream_events(TOPIC, context=settings, version="v2")]
        return events[-1]["data"]["output"]

    return asyncio.run(last())


def told_of_parts(graph: Any, settings: dict[str, Any]) -> Any:
    """The words are followed as LangGraph's newer events, in parts of messages."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LangChainBetaWarning)
        return graph.stream_events(TOPIC, context=settings, version="v3").output


WAYS = {invoked: False, updated: False, stream_values: True, told_of_events: True, told_of_parts: True}


def list_statements(found: Any) -> list[dict[str, Any]]:
    """The record of a run, with what each call cost, without its time and what a server had from the run before."""
    history = [statement.model_dump(exclude={"at"}) for statement in found["history"]]
    return history + [call.model_dump(exclude={"ms", "replayed", "cached_tokens"}) for call in found["calls"]]


@pytest.mark.parametrize("way", WAYS)
def test_an_answer_is_streamed_where_somebody_follows_the_words_and_the_record_is_the_same(way: Way) -> None:
    settings = {"max_turns": 2, "seed": 1}
    with FakeServer() as server:
        settings["model"] = f"openai:any@{server.url}"
        found = way(build().compile(), settings)
        assert {request.stream for request in server.chats} == {WAYS[way]}
        assert list_statements(found) == list_statements(invoked(build().compile(), settings))


@pytest.mark.parametrize(("recording", "replaying"), [(invoked, stream_values), (stream_values, invoked)])
def test_a_recording_replays_whether_or_not_its_words_are_followed(
    recording: Way, replaying: Way, tmp_path: Path
) -> None:
    settings: dict[str, Any] = {"max_turns": 2, "seed": 1}
    file = str(tmp_path / "run.jsonl")
    with FakeServer() as server:
        settings["model"] = f"openai:any@{server.url}"
        found = recording(build().compile(), {**settings, "record": file})
        chat_count = len(server.chats)
        again = replaying(build().compile(), {**settings, "replay": file})
        assert len(server.chats) == chat_count
    assert list_statements(again) == list_statements(found)
