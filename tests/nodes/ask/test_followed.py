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


def invoked(graph: Any, knobs: dict[str, Any]) -> Any:
    """Nobody follows the words."""
    return graph.invoke(TOPIC, context=knobs)


def updated(graph: Any, knobs: dict[str, Any]) -> Any:
    """Each step is followed, the words are not."""
    return list(graph.stream(TOPIC, context=knobs, stream_mode=["updates", "values"]))[-1][1]


def told(graph: Any, knobs: dict[str, Any]) -> Any:
    """The words are followed."""
    modes = ["messages", "values"]
    return [part for part in graph.stream(TOPIC, context=knobs, stream_mode=modes) if part[0] == "values"][-1][1]


def told_of_events(graph: Any, knobs: dict[str, Any]) -> Any:
    """The words are followed as LangChain's events."""

    async def last() -> Any:
        events = [one async for one in graph.astream_events(TOPIC, context=knobs, version="v2")]
        return events[-1]["data"]["output"]

    return asyncio.run(last())


def told_of_parts(graph: Any, knobs: dict[str, Any]) -> Any:
    """The words are followed as LangGraph's newer events, in parts of messages."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LangChainBetaWarning)
        return graph.stream_events(TOPIC, context=knobs, version="v3").output


WAYS = {invoked: False, updated: False, told: True, told_of_events: True, told_of_parts: True}


def said(found: Any) -> list[dict[str, Any]]:
    """The record of a run, with what each call cost, without its time and what a server had from the run before."""
    history = [one.model_dump(exclude={"at"}) for one in found["history"]]
    return history + [one.model_dump(exclude={"ms", "replayed", "cached_tokens"}) for one in found["calls"]]


@pytest.mark.parametrize("way", WAYS)
def test_an_answer_is_streamed_where_somebody_follows_the_words_and_the_record_is_the_same(way: Way) -> None:
    knobs = {"max_turns": 2, "seed": 1}
    with FakeServer() as server:
        knobs["model"] = f"openai:any@{server.url}"
        found = way(build().compile(), knobs)
        assert {request.stream for request in server.chats} == {WAYS[way]}
        assert said(found) == said(invoked(build().compile(), knobs))


@pytest.mark.parametrize(("recording", "replaying"), [(invoked, told), (told, invoked)])
def test_a_recording_replays_whether_or_not_its_words_are_followed(
    recording: Way, replaying: Way, tmp_path: Path
) -> None:
    knobs: dict[str, Any] = {"max_turns": 2, "seed": 1}
    file = str(tmp_path / "run.jsonl")
    with FakeServer() as server:
        knobs["model"] = f"openai:any@{server.url}"
        found = recording(build().compile(), {**knobs, "record": file})
        asked = len(server.chats)
        again = replaying(build().compile(), {**knobs, "replay": file})
        assert len(server.chats) == asked
    assert said(again) == said(found)
