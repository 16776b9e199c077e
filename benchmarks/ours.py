"""Moot's own protocols, saved as the command line saves them."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from moot.app.saved.database import open_database
from moot.app.saved.store import Store
from moot.graphs import consensus, discussion, justice
from moot.models.chat import close_models
from moot.state.consensus.settings import ConsensusSettings
from moot.state.discussion import DiscussionSettings
from moot.state.justice.settings import JusticeSettings
from moot.state.records import Call
from moot.state.setting_types import ViewSettings
from moot.state.settings import Settings
from scene import LANGUAGE, LENGTH, MODEL, TEMPERATURE, TOPIC, Course, cast

ALL = 100_000_000
DRAWINGS = {"discussion": discussion.build, "consensus": consensus.build, "justice": justice.build}
AT_ONCE = {"confirmation", "ballot", "amount", "memory"}
"""What everyone is asked at the same time."""


@asynccontextmanager
async def store(path: str) -> AsyncIterator[Store]:
    """A database, as the command line opens it."""
    async with open_database(path) as database:
        try:
            yield database
        finally:
            await close_models()


def rules(protocol: str, url: str, seats: int, turns: int, **settings: Any) -> Settings:
    """The knobs of a run in which one call is one turn and nothing but the cap ends it; or of an experiment."""
    shared: dict[str, Any] = {"model": f"openai:{MODEL}@{url}", "language": LANGUAGE, "seed": 1}
    if protocol == "justice":
        names = [seat.name for seat in cast(seats)]
        return JusticeSettings(participants=names, max_rounds=turns // seats, **shared | settings)
    shared |= {
        "temperature": TEMPERATURE,
        "max_tokens_per_turn": LENGTH,
        "max_turns": turns,
        "public_history_max_length": ALL,
        "view": ViewSettings(policy="full"),
    }
    if protocol == "discussion":
        return DiscussionSettings(**shared | settings)
    steady = {"blind_first_round": False, "convergence": "lexical", "dynamic_termination": False, "vote": "off"}
    return ConsensusSettings(**shared | steady | settings)


async def run(
    found: Store, seats: int, settings: Settings, name: str = "ours", turned: Callable[[], None] = lambda: None
) -> Course:
    """One deliberation; each statement is a turn of its course, and `turned` is called after it."""
    graph = found.get_graph(settings.protocol)
    course = Course()
    config: Any = {"configurable": {"thread_id": name}, "recursion_limit": 20_000}
    calls = list[Call]()
    given = {} if settings.protocol == "justice" else {"topic": TOPIC, "participants": cast(seats)}
    stream = graph.astream(given, config, context=settings, stream_mode="updates", durability="sync")
    async for update in stream:
        for news in update.values():
            for _ in (news or {}).get("history", []):
                course.turn()
                turned()
            calls += (news or {}).get("calls", [])
    course.critical = critical(calls, settings)
    return course.ended()


def critical(calls: list[Call], settings: Settings) -> dict[int, int]:
    """How many calls had to wait for one another, by how many were asked side by side.

    Side by side are those of a blind round, of a vote, of an experiment's first phase, in which each participant's own
    wait for one another, and of its end.
    """
    blind = isinstance(settings, ConsensusSettings) and settings.blind_first_round
    last = max(model_call.round for model_call in calls)
    found, fans = Counter[int](), defaultdict[tuple[str, int], list[str]](list)
    for call in calls:
        if settings.protocol == "justice" and call.round == 0:
            fans["first phase", 0].append(call.who)
        elif call.purpose in AT_ONCE or (call.purpose, call.round) in {("ranking", last), ("statement", blind)}:
            fans[call.purpose, call.round].append(call.who)
        else:
            found[1] += 1
    for who in fans.values():
        found[len(set(who))] += max(Counter(who).values())
    return found


async def many(found: Store, runs: int, settings: Settings) -> Course:
    """Several deliberations of eight at once."""
    course = Course()
    await asyncio.gather(*(run(found, 8, settings, f"ours-{number}") for number in range(runs)))
    return course.ended()
