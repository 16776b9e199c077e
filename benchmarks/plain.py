"""A plain LangGraph loop: one node, one text, a delta channel, SQLite. What saving every turn costs at least."""

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
from scene import LENGTH, MODEL, SEATS, TEMPERATURE, Course, prompts, shown
from typing_extensions import TypedDict


def append(current: list[str], writes: Sequence[list[str]]) -> list[str]:
    """The statements with the news."""
    return [*current, *(one for write in writes for one in write)]


class State(TypedDict):
    """All there is: the statements as they are shown."""

    history: Annotated[list[str], DeltaChannel(append, snapshot_frequency=1000)]


class ListState(TypedDict):
    """The same, kept as a list that every checkpoint holds whole, as LangGraph's tutorials do."""

    history: Annotated[list[str], add]


STATES: dict[str, Any] = {"plain": State, "whole lists": ListState}
"""The state of each plain loop."""


def graph(url: str, seats: int, turns: int, saver: AsyncSqliteSaver, loop: str) -> Any:
    """One node, asked until all turns are taken."""
    model, told = ChatOpenAI(model=MODEL, base_url=url, api_key=SecretStr("none"), max_retries=0), prompts(seats)

    async def speak(state: Any) -> dict[str, list[str]]:
        turn = len(state["history"]) + 1
        head, text = told(turn, state["history"])
        messages = [SystemMessage(head), HumanMessage(text)]
        answer = await model.ainvoke(messages, temperature=TEMPERATURE, max_tokens=LENGTH)
        return {"history": [shown(turn, SEATS[(turn - 1) % seats], answer.text)]}

    def goes_on(state: Any) -> str:
        return "speak" if len(state["history"]) < turns else END

    drawing = StateGraph(STATES[loop])
    drawing.add_node("speak", speak)
    drawing.add_edge(START, "speak")
    drawing.add_conditional_edges("speak", goes_on, ["speak", END])
    return drawing.compile(checkpointer=saver)


async def run(
    url: str, seats: int, turns: int, saver: AsyncSqliteSaver, loop: str = "plain", name: str = "plain"
) -> Course:
    """One deliberation."""
    compiled = graph(url, seats, turns, saver, loop)
    course = Course()
    config: Any = {"configurable": {"thread_id": name}, "recursion_limit": turns + 10}
    async for _ in compiled.astream({"history": []}, config, stream_mode="updates", durability="sync"):
        course.turn()
    return course.ended()


async def many(url: str, runs: int, turns: int, saver: AsyncSqliteSaver, loop: str) -> Course:
    """Several deliberations of eight at once."""
    course = Course()
    await asyncio.gather(*(run(url, 8, turns, saver, loop, f"plain-{number}") for number in range(runs)))
    return course.ended()
