"""Run a deliberation to its end, or until it is stopped; every step is saved before the next one begins."""

import asyncio
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphDrained
from langgraph.runtime import RunControl
from pydantic import ValidationError

from ..nodes.models import close_models
from ..prompts import TemplateFault
from ..state.refusal import Refused
from ..state.rules import revived
from .events import MODES, Seated, news
from .failure import Interrupted
from .interrupt import CtrlC
from .opening import announce
from .saved import Saved, load, thread
from .session import Session
from .store import Store


async def play(store: Store, name: str, input: Any, session: Session) -> Saved:
    """Run or, with no input, go on; gives the run as it is saved at its end.

    Raises `Stopped` or `Interrupted`; or `Refused` if it could not begin, and then nothing of it is kept.
    """
    try:
        await driven(store, name, input, session)
    except (Refused, ValidationError, TemplateFault):
        await _forget_unbegun(store, name)
        raise
    saved = await load(store, name)
    await store.runs.save(saved.row())
    session.run = ""
    return saved


async def driven(store: Store, name: str, input: Any, session: Session) -> None:
    """Run a graph on an input, a resume command, or none, and show it as it goes; `session` knows what is under way."""
    session.run = name
    try:
        await _stream(store, name, input, session)
    finally:
        session.pace.end()
        session.watcher.stop()
        await close_models()


async def _stream(store: Store, name: str, input: Any, session: Session) -> None:
    run = await store.runs.get(name)
    graph, control, rules = store.graph(run.protocol), RunControl(), revived(run.rules)

    def drain() -> None:
        control.request_drain("interrupted")
        session.draining()

    ctrl_c = CtrlC(drain)
    config: RunnableConfig = {**thread(name), "callbacks": list(session.callbacks)}
    modes: dict[str, Any] = {"version": "v2", "stream_mode": MODES, "durability": "sync", "control": control}
    try:
        with ctrl_c.caught():
            async for part in graph.astream(input, config, context=rules, subgraphs=True, **modes):
                for event in news(part, rules.language):
                    if isinstance(event, Seated):
                        announce(session, event)
                    await session.watcher.tell(event)
    except GraphDrained:
        raise Interrupted("stopped after the current step") from None
    except asyncio.CancelledError:
        if not ctrl_c.times:
            raise
        raise Interrupted("stopped at once") from None


async def _forget_unbegun(store: Store, name: str) -> None:
    """Drop a run that was refused before any call."""
    saved = await load(store, name)
    if not saved.begun or not saved.state["calls"]:
        await store.saver.adelete_thread(name)
        await store.runs.drop(name)
