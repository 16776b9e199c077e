"""A fan-out that can be told apart: three who are asked at once, each on a model of its own name."""

import asyncio
from collections import Counter
from typing import Any

from fakeserver import FakeServer, Reply
from langgraph.checkpoint.memory import InMemorySaver
from moot.graphs import consensus

NAMES = ["Ada", "Ben", "Cleo"]
RUN: Any = {"configurable": {"thread_id": "t"}}


class Group:
    """Three participants whose blind opening statements stand at the server's gate at the same time."""

    def __init__(self, server: FakeServer, **rules: Any) -> None:
        self.server = server
        self.graph = consensus.build().compile(checkpointer=InMemorySaver())
        self.context = {"model": f"any@{server.url}", "max_rounds": 1, "retry_delays": [0], **rules}
        cast = [{"name": name, "model": f"{name.lower()}@{server.url}"} for name in NAMES]
        self.given = {"topic": "Where shall we meet?", "participants": cast}

    def invoke(self, given: Any) -> dict[str, Any]:
        state: dict[str, Any] = self.graph.invoke(given, RUN, context=self.context)
        return state

    def ainvoke(self, given: Any) -> dict[str, Any]:
        state: dict[str, Any] = asyncio.run(self.graph.ainvoke(given, RUN, context=self.context))
        return state

    def asked(self) -> Counter[str]:
        return Counter(request.body["model"] for request in self.server.chats)


def unhurried(request: Any) -> Reply:
    return Reply(f"The view of {request.body['model']}, in a sentence of its own.", latency=0.05)
