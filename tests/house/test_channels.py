"""The second line of a step's docstring names the channels it reads and writes: in no run does it touch any other."""

import asyncio
import copy
import re
from collections import defaultdict
from typing import Any, get_type_hints

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from moot.graphs import consensus, debate, discussion, justice, panel
from moot.nodes.node_runnables import NodeRunnable
from moot.state.deliberation import RecordState, TaskState
from moot.state.session.channels import SessionLogState

TOPIC = {"topic": "Where shall we meet?", "participants": ["Ada", "Ben", "Cleo"]}
PAPER = {"title": "Meeting in parks", "abstract": "People who meet in parks stay longer."}
NOTHING = {"ranking": "lexical", "threshold": 0.1, "searched": 0}
SLIDING = {"policy": "windowed_summary", "recent_n": 2}
GUEST = {"name": "Dora", "kind": "person"}
SAID: list[dict[str, Any]] = [
    {"who": "Dora"},
    {"speaker": "Dora", "text": "In the park."},
    {"close": True, "by": "Dora"},
]

RUNS: dict[str, tuple[Any, dict[str, Any], dict[str, Any]]] = {
    "debate": (debate, TOPIC | {"participants": ["Ada", "Ben"]}, {"stop_rule": "judge", "judge_interval": 1}),
    "consensus": (consensus, TOPIC, {"max_rounds": 3, "vote": "plurality", "view": SLIDING}),
    "a judged consensus": (consensus, TOPIC, {"max_rounds": 2, "convergence": "judge"}),
    "discussion": (discussion, TOPIC | {"participants": ["Ada", GUEST, "Ben", "Cleo"]}, {"view": SLIDING}),
    "panel": (panel, {"query": "Where do people stay?", "papers": [PAPER]}, {"language": "en"}),
    "an empty library": (panel, {"query": "Where do people stay?", "found": NOTHING}, {}),
    "justice": (justice, {}, {"max_rounds": 2}),
}
GROUPS: dict[str, list[str]] = {
    "the task": list(get_type_hints(TaskState)),
    "record": list(get_type_hints(RecordState)),
    "the session's channels": list(get_type_hints(SessionLogState)),
    "every channel of a session": list(get_type_hints(SessionLogState)),
    "the channels of the rules": [
        "positions",
        "answer",
        "polls",
        "agreements",
        "drafts",
        "confirmations",
        "participants",
        "stop",
        "events",
        "status",
        "papers",
        "found",
        "query",
        "memory",
        "summary",
        "ballots",
        "estimates",
        "feedback",
        "reviews",
        "consents",
    ],
    "the measured channels": ["answer", "agreements", "positions", "polls", "notices", "memory", "calls", "incidents"],
}
"""What a docstring may say in place of the names of several channels."""


class Watched(dict[str, Any]):
    """Channels that remember which of them were looked at."""

    def __init__(self, state: dict[str, Any], seen: set[str]) -> None:
        super().__init__(state)
        self.seen = seen

    def __getitem__(self, key: str) -> Any:
        self.seen.add(key)
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        self.seen.add(key)
        return super().get(key, default)


def named_in(text: str) -> set[str]:
    """The channels that a part of a docstring names."""
    return {*re.findall(r"\w+", text), *(name for key, names in GROUPS.items() if key in text for name in names)}


async def went_through(name: str) -> None:
    protocol, given, settings = RUNS[name]
    graph, run = protocol.build().compile(checkpointer=InMemorySaver()), {"configurable": {"thread_id": "t"}}
    await graph.ainvoke(given, run, context={"model": "rehearsal", "seed": 7, **settings})
    for said in SAID if name == "discussion" else []:
        await graph.ainvoke(Command(resume=said), run)


@pytest.mark.parametrize("name", RUNS)
def test_a_step_reads_and_writes_the_channels_its_docstring_names_and_no_other(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: dict[Any, set[str]] = defaultdict(set)
    written: dict[Any, set[str]] = defaultdict(set)
    go = NodeRunnable.ainvoke

    async def watching(self: NodeRunnable, *args: Any, **kwargs: Any) -> Any:
        spied = copy.copy(self)

        async def node(state: Any) -> Any:
            return await self.node(Watched(state, read[self.node]))

        spied.node = node
        update = await go(spied, *args, **kwargs)
        written[self.node] |= set(update)
        return update

    monkeypatch.setattr(NodeRunnable, "ainvoke", watching)
    asyncio.run(went_through(name))
    assert len(written) >= 3
    for node in written:
        text = " ".join((node.__doc__ or "").partition("\n\n")[2].split())
        reads, _, writes = text.partition("writes ")
        assert read[node] <= named_in(reads), f"{node.__module__}: {read[node] - named_in(reads)}"
        if writes != "every channel.":
            assert written[node] <= named_in(writes), f"{node.__module__}: {written[node] - named_in(writes)}"
