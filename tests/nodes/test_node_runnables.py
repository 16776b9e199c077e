"""A step is written once, async, and runs wherever a caller is: synchronously, in a loop, in threads, after a fork."""

import asyncio
import os
import signal
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any

import pytest
from langgraph.config import get_stream_writer
from langgraph.graph import StateGraph
from langgraph.types import Send
from moot.graphs.protocol_graph import add_node
from moot.nodes.node_runnables import RouteRunnable, get_background_loop, run_blocking
from moot.state.channel_requirements import BranchInput
from moot.state.reducers import keep_latest, make_append_reducer
from moot.state.statement import Participant, Statement
from pydantic import ValidationError
from typing_extensions import TypedDict


class Told(TypedDict):
    """What a step reads."""

    topic: Annotated[str, keep_latest]
    participants: list[Participant]
    history: list[Statement]


class Talk(TypedDict):
    """A small state."""

    topic: Annotated[str, lambda current, new: new]
    participants: list[Participant]
    history: Annotated[list[Statement], lambda current, new: make_append_reducer(Statement)(current, [new])]
    secret: str


async def speak(state: Told) -> dict[str, Any]:
    """Say who is there, one loop turn later."""
    await asyncio.sleep(0)
    get_stream_writer()({"thread": threading.current_thread().name})
    text = ", ".join(participant.name for participant in state["participants"])
    turn = len(state["history"]) + 1
    return {"history": [Statement(turn=turn, round=1, speaker="Ada", content=f"{state['topic']}: {text}")]}


def graph_of(node: Any) -> Any:
    graph = StateGraph(Talk)
    add_node(graph, "speak", node)
    graph.set_entry_point("speak")
    return graph.compile()


GIVEN = {"topic": "cars", "participants": [{"name": "Ada"}, {"name": "Ben"}], "history": [], "secret": "s"}
SAID = "cars: Ada, Ben"


def contents(state: dict[str, Any]) -> list[str]:
    return [statement.content for statement in state["history"]]


def test_it_runs_under_invoke() -> None:
    assert contents(graph_of(speak).invoke(GIVEN)) == [SAID]


def test_it_runs_under_ainvoke() -> None:
    assert contents(asyncio.run(graph_of(speak).ainvoke(GIVEN))) == [SAID]


def test_it_runs_under_invoke_inside_a_running_loop() -> None:
    async def notebook() -> Any:
        return graph_of(speak).invoke(GIVEN)

    assert contents(asyncio.run(notebook())) == [SAID]


@pytest.mark.long
def test_sixteen_threads_may_invoke_at_once_on_one_loop() -> None:
    graph = graph_of(speak)
    with ThreadPoolExecutor(16) as pool:
        parts = list(pool.map(lambda _: list(graph.stream(GIVEN, stream_mode="custom")), range(48)))
    assert parts == [[{"thread": "moot"}]] * 48


def test_under_ainvoke_it_stays_on_the_caller_s_loop() -> None:
    async def main() -> list[Any]:
        return [part async for part in graph_of(speak).astream(GIVEN, stream_mode="custom")]

    assert asyncio.run(main()) == [{"thread": threading.current_thread().name}]


def test_a_step_that_calls_invoke_is_refused_instead_of_waiting_for_itself() -> None:
    graph = graph_of(speak)

    async def nested(state: Told) -> dict[str, Any]:
        return dict(graph.invoke(state))

    with pytest.raises(RuntimeError, match=r"inside a step use `await graph.ainvoke\(...\)`"):
        graph_of(nested).invoke(GIVEN)


def test_a_step_may_await_another_graph() -> None:
    graph = graph_of(speak)

    async def nested(state: Told) -> dict[str, Any]:
        return {"history": (await graph.ainvoke(dict(state)))["history"]}

    assert contents(graph_of(nested).invoke(GIVEN)) == [SAID]


def test_an_interrupted_caller_cancels_its_step() -> None:
    cancelled = threading.Event()

    async def forever() -> None:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    with pytest.raises(KeyboardInterrupt):
        run_blocking(forever())
    assert cancelled.wait(10)


def test_the_loop_outlives_a_step_that_wants_to_end_the_program() -> None:
    async def leave() -> None:
        raise SystemExit(3)

    async def go_on() -> str:
        return "still here"

    with pytest.raises(SystemExit):
        run_blocking(leave())
    assert run_blocking(go_on()) == "still here"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_it_runs_in_a_child_after_a_fork() -> None:
    async def answer() -> int:
        return os.getpid()

    assert run_blocking(answer()) == os.getpid()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons warn of threads and forks, rightly
        child = os.fork()
    if child == 0:
        os._exit(0 if run_blocking(answer()) == os.getpid() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert get_background_loop().is_running()


def test_an_exception_of_a_step_is_the_caller_s() -> None:
    async def broken(state: Told) -> dict[str, Any]:
        raise LookupError("from inside")

    with pytest.raises(LookupError, match="from inside"):
        graph_of(broken).invoke(GIVEN)


def test_a_step_receives_its_group_alone_with_plain_dicts_made_into_its_types() -> None:
    seen: list[Any] = []

    async def look(state: Told) -> dict[str, Any]:
        seen.append(state)
        return {"topic": "seen"}

    graph_of(look).invoke({**GIVEN, "history": [{"turn": 1, "round": 1, "speaker": "Ada", "content": "Hello."}]})
    assert set(seen[0]) == {"topic", "participants", "history"}
    assert seen[0]["participants"] == [Participant(name="Ada"), Participant(name="Ben")]
    assert seen[0]["history"] == [Statement(turn=1, round=1, speaker="Ada", content="Hello.")]


def test_a_state_that_cannot_be_its_group_is_refused_by_the_step() -> None:
    with pytest.raises(ValidationError, match=r"participants.0.name"):
        graph_of(speak).invoke({**GIVEN, "participants": [{"name": ""}], "history": []})


def test_a_road_validates_what_it_reads() -> None:
    def way(state: Told) -> str:
        return state["participants"][0].name

    assert RouteRunnable(way).invoke(GIVEN) == "Ada"
    assert RouteRunnable(way).name == "way"


def test_a_road_is_chosen_without_leaving_the_loops_thread() -> None:
    def way(state: Told) -> bool:
        return threading.current_thread() is threading.main_thread()

    assert asyncio.run(RouteRunnable(way).ainvoke(GIVEN))


class Summoned(Told):
    """A branch for one participant."""

    who: BranchInput[str]


def test_a_branch_reads_the_rest_of_its_group_from_the_channels() -> None:
    seen: list[tuple[str, str, list[Participant]]] = []

    async def branch(state: Summoned) -> dict[str, Any]:
        seen.append((state["who"], state["topic"], state["participants"]))
        return {"history": [Statement(turn=1, round=1, speaker=state["who"], content="Said.")]}

    async def open(state: Told) -> dict[str, Any]:
        return {"topic": "cars, seen anew"}

    graph = StateGraph(Talk)
    add_node(graph, "open", open)
    add_node(graph, "branch", branch)
    graph.set_entry_point("open")
    graph.add_conditional_edges(
        "open", lambda state: [Send("branch", {"who": name}) for name in ("Ada", "Ben")], ["branch"]
    )
    final_state = graph.compile().invoke(GIVEN)
    cast = [Participant(name="Ada"), Participant(name="Ben")]
    assert sorted(seen) == [(name, "cars, seen anew", cast) for name in ("Ada", "Ben")]
    assert [statement.speaker for statement in final_state["history"]] == ["Ada", "Ben"], (
        "in the order they were sent, not in which they ended"
    )
