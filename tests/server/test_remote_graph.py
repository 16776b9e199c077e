"""An agent on a LangGraph server, in a seat: a graph that another process serves."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import moot
import pytest
from langgraph.pregel.remote import RemoteGraph
from langgraph_sdk import get_client
from moot.nodes.node_runnables import run_blocking
from servers.langgraph import Server

pytestmark = pytest.mark.long

SPEAKER = """
from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph


def speak(state):
    told = [message for message in state["messages"] if message.type == "human"]
    return {"messages": [AIMessage(f"I was asked {len(told)} times on this thread, and so I am for it.")]}


graph = StateGraph(MessagesState).add_node("speak", speak).add_edge(START, "speak").compile()
"""


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """The address of a server with one agent."""
    (tmp_path / "speaker.py").write_text(SPEAKER)
    running = Server(tmp_path, {"dependencies": ["."], "graphs": {"speaker": "./speaker.py:graph"}})
    try:
        running.wait_until_ready()
        yield running.url
    finally:
        running.process.terminate()
        running.process.wait(20)


def test_every_turn_of_every_unsaved_run_is_a_new_thread_of_the_server(url: str) -> None:
    client = get_client(url=url)
    models: Any = {"PRO": RemoteGraph("speaker", client=client)}
    debate = moot.agent("debate", model="rehearsal", models=models, max_turns=3, dynamic_termination=False)
    for topic in ("Ban cars?", "Ban dogs?"):
        result = debate.run(topic)
        contents = [statement.content for statement in result.history if statement.speaker == "PRO"]
        assert contents == ["I was asked 1 times on this thread, and so I am for it."] * 2
    run_blocking(client.aclose())  # in the loop that opened its connections
