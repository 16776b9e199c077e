"""A plain saver of LangGraph, without its strict mode, loads Moot's types without a warning, and no others."""

import os
import subprocess
import sys

import pytest
from sampling import sample_cases

RUN = """
import logging, sys
import moot
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from moot.app.protocols.registry import get_protocol

logging.basicConfig()
saver, thread = InMemorySaver(), {"configurable": {"thread_id": "t"}}
name = sys.argv[1]
if name == "agent":
    graph = StateGraph(MessagesState)
    graph.add_node("debate", moot.agent("debate", model="rehearsal", max_turns=2))
    graph.add_edge(START, "debate")
    compiled = graph.compile(checkpointer=saver)
    compiled.invoke({"messages": [("user", "Tea?")]}, thread, interrupt_before=["debate"])
    compiled.invoke(None, thread)
else:
    protocol = get_protocol(name)
    graph = protocol.module.build().compile(checkpointer=saver)
    topic = {protocol.topic_key: "Tea?"} if protocol.topic_key else {}
    names = ["Ada", "Ben"] if name == "debate" else ["Ada", "Ben", "Cleo"]
    people = {} if name in ("justice", "panel") else {"participants": names}
    context = {"model": "rehearsal", **({"max_turns": 3} if name == "discussion" else {})}
    graph.invoke({**topic, **people}, thread, context=context, interrupt_after="*")
    for _ in range(200):
        if not graph.get_state(thread, subgraphs=True).next:
            break
        graph.invoke(None, thread, interrupt_after="*")
    state = [*graph.get_state_history(thread)][0]
    assert state.values["outcome"].status == "completed", state.values
    assert type(state.values["settings"]).__module__.startswith("moot.state")
"""


PROTOCOLS = ["debate", "consensus", "council", "discussion", "jury", "delphi", "justice", "agent"]


@pytest.mark.long
@pytest.mark.parametrize("name", sample_cases(PROTOCOLS, kinds=0, share=3))
def test_a_plain_saver_loads_the_types_of_a_run_without_a_warning(name: str) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "LANGGRAPH_STRICT_MSGPACK"}
    called = [sys.executable, "-W", "ignore", "-c", RUN, name]
    run = subprocess.run(called, env=environment, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
