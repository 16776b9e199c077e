"""A run whose participants look things up, as a process that is killed before one of its writes."""

import asyncio
import os
from pathlib import Path
from typing import Any

from chats.scripted import ScriptedChat, SentPrompt
from langchain_core.messages import AIMessage
from langchain_core.tools import StructuredTool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command
from moot.app.protocols.registry import PROTOCOLS, get_protocol
from moot.app.saved import make_thread_config, open_database
from pydantic import Field

from runs.killing import CONTEXT, note_writes

ROUNDS = 2
"""Times that a participant asks its tools in a turn."""


class Researcher(ScriptedChat):
    """Looks two things up, then two more, and then says how many results it was told."""

    script: Any = Field(default_factory=list)

    def answer(self, prompt: SentPrompt) -> Any:
        results = [message for message in prompt.messages if message.type == "tool"]
        if prompt.purpose == "statement" and len(results) < 2 * ROUNDS and prompt.kwargs.get("tools"):
            kinds = sorted(tool["function"]["name"] for tool in prompt.kwargs["tools"])
            numbers = (len(results), len(results) + 1)
            calls = [
                {"name": kinds[at % len(kinds)], "args": {"what": f"{prompt.who} {at}"}, "id": f"c{at}"}
                for at in numbers
            ]
            return AIMessage("", tool_calls=calls)
        if prompt.purpose == "statement":
            return f"{prompt.who} was told {len(results)} results and says so in a sentence that is long enough."
        if prompt.schema:
            return "Ranking: A, B, C" if "ranking" in prompt.text.lower() else "No."
        return "So it ends [1], after everybody had looked things up, as one reads above."


def make_tools(folder: Path) -> list[StructuredTool]:
    """A tool that acts and one that reads; each notes before and after what it was asked."""

    def note(kind: str, what: str) -> str:
        with (folder / f"{kind}.txt").open("a") as file:
            file.write(f"{what}\n")
            file.flush()
            os.fsync(file.fileno())
        return f"{kind}: {what}"

    async def act(what: str) -> str:
        """Do it."""
        return note("act", what)

    async def read(what: str) -> str:
        """Read it."""
        return note("read", what)

    return [
        StructuredTool.from_function(coroutine=act),
        StructuredTool.from_function(coroutine=read, metadata={"reads_only": True}),
    ]


async def deliberate(protocol: str, database: str, folder: Path, **settings: Any) -> dict[str, Any]:
    """Begin the run, or go on with it; its owner approves whatever waits for approval."""
    names = ["Ada", "Ben", "Cleo"] if protocol == "council" else ["Ada", "Ben"]
    chosen: dict[str, Any] = {"model": Researcher(), "tools": make_tools(folder), "seed": 1, "retry_delays": [0]}
    chosen |= {"lookups": {"approve": "never"}} | settings
    if protocol in ("debate", "discussion"):
        chosen |= {"max_turns": 2, "dynamic_termination": False}
    async with open_database(database) as store:
        graph, config = store.get_graph(protocol), make_thread_config("t")
        is_begun = bool((await graph.aget_state(config)).values)
        seats = [{"name": name, "role": "passenger"} for name in names] if protocol == "panel" else names
        begun: dict[str, Any] = {get_protocol(protocol).topic_key: "Is it so?", "participants": seats}
        if protocol == "panel":
            begun["papers"] = [{"id": "li2019-buses", "title": "Buses", "abstract": "Is it so? Ridership doubled."}]
        given: Any = None if is_begun else begun
        state: dict[str, Any] = await graph.ainvoke(given, config, context=chosen, durability="sync")
        while questions := state.get("__interrupt__"):
            answers = Command(resume={question.id: {"approve": True} for question in questions})
            state = await graph.ainvoke(answers, config, context=chosen, durability="sync")
        return state


async def list_namespaces(database: str, folder: Path) -> set[str]:
    """The graphs of which checkpoints are left after a run with look-ups in one seat and an agent in the other."""

    async def look(state: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage("What I found out speaks for it, and so do I.")]}

    graph = StateGraph(MessagesState)
    graph.add_sequence([("look", look), ("look_again", look)])
    graph.add_edge(START, "look")
    await deliberate("debate", database, folder, models={"Ben": graph.compile()})
    async with open_database(database) as store:
        return {one.config["configurable"]["checkpoint_ns"] async for one in store.saver.alist(make_thread_config("t"))}


def be_killed(protocol: str, database: str, folder: str, fatal: int, approve: str) -> None:
    """Deliberate until the `fatal`-th write."""
    note_writes(Path(folder) / "journal", fatal)
    asyncio.run(deliberate(protocol, database, Path(folder), lookups={"approve": approve}))


def run_killed(protocol: str, database: str, folder: Path, fatal: int, approve: str = "never") -> None:
    """Deliberate in a process of its own, which dies before the `fatal`-th write; 0: never."""
    process = CONTEXT.Process(target=be_killed, args=(protocol, database, str(folder), fatal, approve))
    process.start()
    process.join()


__all__ = ["PROTOCOLS", "Command", "deliberate", "list_namespaces", "make_tools", "run_killed"]
