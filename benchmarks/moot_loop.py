"""Loop of Moot's own protocols, which are saved as the command line saves them."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from moot.app.saved.database import open_database
from moot.app.saved.store import Store
from moot.models.chat_model import close_models
from moot.state.consensus.settings import ConsensusSettings
from moot.state.discussion import DiscussionSettings
from moot.state.justice.settings import JusticeSettings
from moot.state.records import Call
from moot.state.setting_types import ViewSettings
from moot.state.settings import Settings
from workload import LANGUAGE, LENGTH, MODEL, TEMPERATURE, TOPIC, RunMeter, build_participants

UNLIMITED = 100_000_000
PARALLEL_PURPOSES = {"confirmation", "ballot", "amount", "memory"}
"""Purposes of calls that all participants get at the same time."""


@asynccontextmanager
async def open_store(path: str) -> AsyncIterator[Store]:
    """Open the database at `path` as the command line does."""
    async with open_database(path) as database:
        try:
            yield database
        finally:
            await close_models()


def build_settings(protocol: str, url: str, seats: int, turns: int, **settings: Any) -> Settings:
    """Build the settings of a run with one call per turn, up to its cap, or of a justice experiment."""
    shared_settings: dict[str, Any] = {"model": f"openai:{MODEL}@{url}", "language": LANGUAGE, "seed": 1}
    if protocol == "justice":
        names = [seat.name for seat in build_participants(seats)]
        return JusticeSettings(participants=names, max_rounds=turns // seats, **shared_settings | settings)
    shared_settings |= {
        "temperature": TEMPERATURE,
        "max_tokens_per_turn": LENGTH,
        "max_turns": turns,
        "public_history_max_length": UNLIMITED,
        "view": ViewSettings(policy="full"),
    }
    if protocol == "discussion":
        return DiscussionSettings(**shared_settings | settings)
    fixed_settings = {"blind_first_round": False, "convergence": "lexical", "dynamic_termination": False, "vote": "off"}
    return ConsensusSettings(**shared_settings | fixed_settings | settings)


async def run_deliberation(
    store: Store, seats: int, settings: Settings, name: str = "ours", on_turn: Callable[[], None] = lambda: None
) -> RunMeter:
    """Run a deliberation and return its measured times.

    `name`: name of the run. `on_turn`: called after each statement.
    """
    graph = store.get_graph(settings.protocol)
    meter = RunMeter()
    config: Any = {"configurable": {"thread_id": name}, "recursion_limit": 20_000}
    calls = list[Call]()
    graph_input = {} if settings.protocol == "justice" else {"topic": TOPIC, "participants": build_participants(seats)}
    stream = graph.astream(graph_input, config, context=settings, stream_mode="updates", durability="sync")
    async for update in stream:
        for node_update in update.values():
            for _ in (node_update or {}).get("history", []):
                meter.record_turn()
                on_turn()
            calls += (node_update or {}).get("calls", [])
    meter.critical_calls = count_critical_calls(calls, settings)
    return meter.finish()


def count_critical_calls(calls: list[Call], settings: Settings) -> dict[int, int]:
    """Return how many calls of a run had to wait for one another, by the number of parallel calls.

    Parallel are the calls of a blind round, of a vote, and of the first phase and the end of a justice experiment. In
    the first phase, the calls of one participant wait for one another.
    """
    blind_round = int(isinstance(settings, ConsensusSettings) and settings.blind_first_round)  # 0 is no turn's round
    last_round = max(model_call.round for model_call in calls)
    parallel_steps = {("ranking", last_round), ("statement", blind_round)}
    counts, parallel_callers = Counter[int](), defaultdict[tuple[str, int], list[str]](list)
    for call in calls:
        if settings.protocol == "justice" and call.round == 0:
            parallel_callers["first phase", 0].append(call.who)
        elif call.purpose in PARALLEL_PURPOSES or (call.purpose, call.round) in parallel_steps:
            parallel_callers[call.purpose, call.round].append(call.who)
        else:
            counts[1] += 1
    for callers in parallel_callers.values():
        counts[len(set(callers))] += max(Counter(callers).values())
    return counts


async def run_many(store: Store, runs: int, settings: Settings) -> RunMeter:
    """Run deliberations of eight participants at the same time. Return the time of all."""
    meter = RunMeter()
    await asyncio.gather(*(run_deliberation(store, 8, settings, f"ours-{number}") for number in range(runs)))
    return meter.finish()
