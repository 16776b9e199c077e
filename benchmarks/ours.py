"""Moot's own protocols, saved as the command line saves them."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

from moot.app.store import Store, opened, stored_types
from moot.graphs import consensus, discussion
from moot.nodes.models import close_models
from moot.state.consensus import ConsensusRules
from moot.state.discussion import DiscussionRules
from moot.state.incident import Call
from moot.state.rules import Rules
from moot.state.settings import ViewSettings
from scene import LANGUAGE, LENGTH, MODEL, TEMPERATURE, TOPIC, Course, cast

ALL = 100_000_000
DRAWINGS = {"discussion": discussion.build, "consensus": consensus.build}


@asynccontextmanager
async def store(path: str) -> AsyncIterator[Store]:
    """A database, as the command line opens it."""
    async with opened(path) as found:
        try:
            yield found
        finally:
            await close_models()


def rules(protocol: str, url: str, turns: int, **knobs: Any) -> Rules:
    """The knobs of a run in which one call is one turn and nothing but the cap ends it."""
    shared: dict[str, Any] = {
        "model": f"openai:{MODEL}@{url}",
        "language": LANGUAGE,
        "temperature": TEMPERATURE,
        "max_tokens_per_turn": LENGTH,
        "max_turns": turns,
        "public_history_max_length": ALL,
        "view": ViewSettings(policy="full"),
        "seed": 1,
    }
    if protocol == "discussion":
        return DiscussionRules(**shared | knobs)
    steady = {"blind_first_round": False, "convergence": "lexical", "dynamic_termination": False, "vote": "off"}
    return ConsensusRules(**shared | steady | knobs)


@cache
def compiled(found: Store, protocol: str) -> Any:
    """The protocol's graph, saving in this database."""
    return DRAWINGS[protocol]().compile(checkpointer=found.saver.with_allowlist(stored_types()))


async def run(found: Store, seats: int, knobs: Rules, name: str = "ours") -> Course:
    """One deliberation; each statement is a turn of its course."""
    graph = compiled(found, knobs.protocol)
    course = Course()
    config: Any = {"configurable": {"thread_id": name}, "recursion_limit": 20_000}
    calls = list[Call]()
    given = {"topic": TOPIC, "participants": cast(seats)}
    stream = graph.astream(given, config, context=knobs, stream_mode="updates", durability="sync")
    async for update in stream:
        for news in update.values():
            for _ in (news or {}).get("history", []):
                course.turn()
            calls += (news or {}).get("calls", [])
    course.critical = critical(calls, knobs)
    return course


def critical(calls: list[Call], knobs: Rules) -> int:
    """How many calls had to wait for one another: those of a blind round, and ballots, are made side by side."""
    blind = isinstance(knobs, ConsensusRules) and knobs.blind_first_round
    fans = {
        "statement": [one.who for one in calls if blind and one.purpose == "statement" and one.round == 1],
        "ballot": [one.who for one in calls if one.purpose == "ballot"],
    }
    alone = len(calls) - sum(map(len, fans.values()))
    return alone + sum(max(Counter(who).values()) for who in fans.values() if who)


async def many(found: Store, runs: int, knobs: Rules) -> Course:
    """Several deliberations of eight at once."""
    course = Course()
    await asyncio.gather(*(run(found, 8, knobs, f"ours-{one}") for one in range(runs)))
    course.turn()
    return course
