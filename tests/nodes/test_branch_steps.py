"""Fan-outs of a run, one after the other and one within the other: each has its own siblings, and none is kept."""

import asyncio
import json
import time
import weakref
from concurrent.futures import Future
from operator import add
from typing import Annotated, Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START
from langgraph.pregel._runner import FuturesDict
from langgraph.types import Send
from moot.graphs import consensus
from moot.graphs.protocol_graph import ProtocolGraph, add_node
from moot.models.failures import RunStoppedError
from moot.nodes.ask import step_spending
from moot.state.channel_requirements import BranchInput
from pydantic import BaseModel
from typing_extensions import TypedDict

NAMES = ["Ada", "Ben", "Cleo"]


class Said(TypedDict):
    """What branches hand in."""

    said: Annotated[list[str], add]


class Called(Said):
    """A branch for one participant."""

    who: BranchInput[str]


class Knobs(BaseModel):
    """Nothing to choose."""


def drawing(*steps: Any, names: list[str] = NAMES) -> ProtocolGraph:
    """A graph that sends everyone through each step in turn, side by side within it."""
    graph, before = ProtocolGraph(Said, Knobs), START
    for number, step in enumerate(steps):
        add_node(graph, f"step{number}", step)
        add_node(graph, f"done{number}", joined)
        road = [Send(f"step{number}", {"who": name}) for name in names]
        graph.add_conditional_edges(before, to(road), [f"step{number}"])
        graph.add_edge(f"step{number}", f"done{number}")
        before = f"done{number}"
    graph.add_edge(before, END)
    return graph


def to(road: list[Send]) -> Any:
    def everyone(state: Said) -> list[Send]:
        return road

    return everyone


async def joined(state: Said) -> Said:
    return {"said": []}


@pytest.mark.parametrize("at_once", [1, 3])
@pytest.mark.parametrize("way", ["invoke", "ainvoke"])
def test_branches_of_one_step_have_one_fan_out_whether_they_overlap_or_not_and_it_ends_with_the_step(
    way: str, at_once: int
) -> None:
    fans: list[weakref.ref[step_spending.StepSpending]] = []

    async def step(state: Called) -> Said:
        here = fans[-(len(fans) % 3) :] if len(fans) % 3 else []
        ones = [fan() for fan in fans]
        assert ones == [None] * (len(fans) - len(here)) + [step_spending.get_step_spending()] * len(here), (
            "none of earlier steps"
        )
        fans.append(weakref.ref(step_spending.get_step_spending()))
        return {"said": [state["who"]]}

    graph, config = drawing(step, step, step).compile(), {"max_concurrency": at_once}
    final_state = (
        asyncio.run(graph.ainvoke({"said": []}, config)) if way == "ainvoke" else graph.invoke({"said": []}, config)
    )
    assert final_state["said"] == NAMES * 3


@pytest.mark.parametrize("way", ["invoke", "ainvoke"])
def test_a_branch_waits_for_siblings_that_go_through_fan_outs_of_their_own(way: str) -> None:
    entered = dict.fromkeys(NAMES, 0)

    async def inner(state: Called) -> Said:
        await asyncio.sleep(0)
        return {"said": [state["who"]]}

    child = drawing(inner, inner, names=["x", "y"]).compile()

    async def outer(state: Called) -> Said:
        entered[state["who"]] += 1
        if state["who"] == "Ben" and entered["Ben"] == 1:
            raise RunStoppedError("Ben")
        deeper = await child.ainvoke({"said": []})
        return {"said": [f"{state['who']} {' '.join(deeper['said'])}"]}

    graph, run = drawing(outer).compile(checkpointer=InMemorySaver()), {"configurable": {"thread_id": "t"}}

    def go(given: Any) -> Any:
        return asyncio.run(graph.ainvoke(given, run)) if way == "ainvoke" else graph.invoke(given, run)

    with pytest.raises(RunStoppedError, match="Ben"):
        go({"said": []})
    assert go(None)["said"] == [f"{name} x y x y" for name in NAMES]
    assert entered == {"Ada": 1, "Ben": 2, "Cleo": 1}, "the others were not cancelled"


def test_an_answer_that_a_thread_hands_in_late_is_waited_for_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine with much to do: the answer is there, and its thread gets its turn a while after that."""
    asked: list[str] = []
    hand_in = FuturesDict.on_done

    def late(futures: Any, task: Any, done: Future[Any]) -> None:
        time.sleep(0.0 if done.exception() else 0.1)
        hand_in(futures, task, done)

    async def step(state: Called) -> Said:
        asked.append(state["who"])
        while len(asked) < len(NAMES):
            await asyncio.sleep(0)
        if state["who"] == "Ben" and asked.count("Ben") == 1:
            raise RunStoppedError("Ben")
        return {"said": [state["who"]]}

    monkeypatch.setattr(FuturesDict, "on_done", late)
    graph, run = drawing(step).compile(checkpointer=InMemorySaver()), {"configurable": {"thread_id": "t"}}
    with pytest.raises(RunStoppedError):
        graph.invoke({"said": []}, {**run, "max_concurrency": 3})
    assert graph.invoke(None, run)["said"] == NAMES
    assert sorted(asked) == sorted([*NAMES, "Ben"])


def test_what_a_run_keeps_of_its_fan_outs_is_no_part_of_what_it_streams() -> None:
    context = {"model": "rehearsal", "seed": 7, "max_rounds": 1, "budget": {"calls": 9}}
    given, run = {"topic": "Where shall we meet?", "participants": NAMES}, {"configurable": {"thread_id": "t"}}
    graph = consensus.build().compile(checkpointer=InMemorySaver())
    parts = list(graph.stream(given, run, context=context, stream_mode="checkpoints"))
    assert len(parts) > 3
    for part in parts:
        assert set(json.loads(json.dumps(part["config"]))["configurable"]) <= {
            "thread_id",
            "checkpoint_ns",
            "checkpoint_id",
        }
