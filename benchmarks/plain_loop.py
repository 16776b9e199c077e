"""Plain LangGraph loop: one node, one text, a delta channel, SQLite.

It shows the minimum cost of saving every turn.
"""

import asyncio
from collections.abc import Sequence
from operator import add
from typing import Annotated, Any

from langchain_core.messages import HumanMessage, SystemMessage
from langchain_openai import ChatOpenAI
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from pydantic import SecretStr
from typing_extensions import TypedDict
from workload import LENGTH, MODEL, SEATS, TEMPERATURE, RunMeter, format_statement, make_prompt_builder


def append_statements(current: list[str], writes: Sequence[list[str]]) -> list[str]:
    """Return the statements with the new ones appended."""
    return [*current, *(statement for write in writes for statement in write)]


class PlainState(TypedDict):
    """State of the loop: the statements as prompts show them."""

    history: Annotated[list[str], DeltaChannel(append_statements, snapshot_frequency=1000)]


class ListState(TypedDict):
    """State of the loop as a list, which every checkpoint stores in full, as in LangGraph's tutorials."""

    history: Annotated[list[str], add]


STATES: dict[str, Any] = {"plain": PlainState, "whole lists": ListState}
"""State of each plain loop."""


def compile_graph(url: str, seats: int, turns: int, saver: AsyncSqliteSaver, loop: str) -> Any:
    """Compile a graph with a single node that repeats until all turns are taken.

    `loop`: key of the state in `STATES`.
    """
    model = ChatOpenAI(model=MODEL, base_url=url, api_key=SecretStr("none"), max_retries=0)
    build_prompt = make_prompt_builder(seats)

    async def speak(state: Any) -> dict[str, list[str]]:
        turn = len(state["history"]) + 1
        instructions, text = build_prompt(turn, state["history"])
        messages = [SystemMessage(instructions), HumanMessage(text)]
        answer = await model.ainvoke(messages, temperature=TEMPERATURE, max_tokens=LENGTH)
        return {"history": [format_statement(turn, SEATS[(turn - 1) % seats], answer.text)]}

    def route_after_turn(state: Any) -> str:
        return "speak" if len(state["history"]) < turns else END

    graph = StateGraph(STATES[loop])
    graph.add_node("speak", speak)
    graph.add_edge(START, "speak")
    graph.add_conditional_edges("speak", route_after_turn, ["speak", END])
    return graph.compile(checkpointer=saver)


async def run_deliberation(
    url: str, seats: int, turns: int, saver: AsyncSqliteSaver, loop: str = "plain", name: str = "plain"
) -> RunMeter:
    """Run a deliberation with the model at `url`, and return its measured times.

    `loop`: key of the state in `STATES`. `name`: name of the thread.
    """
    graph = compile_graph(url, seats, turns, saver, loop)
    meter = RunMeter()
    config: Any = {"configurable": {"thread_id": name}, "recursion_limit": turns + 10}
    async for _ in graph.astream({"history": []}, config, stream_mode="updates", durability="sync"):
        meter.record_turn()
    return meter.finish()


async def run_many(url: str, runs: int, turns: int, saver: AsyncSqliteSaver, loop: str) -> RunMeter:
    """Run deliberations of eight participants at the same time. Return the time of all."""
    meter = RunMeter()
    await asyncio.gather(*(run_deliberation(url, 8, turns, saver, loop, f"plain-{number}") for number in range(runs)))
    return meter.finish()
