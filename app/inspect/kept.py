"""A run under a name that is known beforehand: begun, or gone on with where it stood."""

from pydantic import ValidationError

from ...prompts import TemplateFault
from ...state.refused import Refused
from ..begin import row
from ..kept import kept
from ..request import Request
from ..saved import Saved, Store, ended_alone, forget_unbegun, load, opened, reopened, thread


async def kept_as(name: str, asked: Request, db: str) -> Saved:
    """Run what is asked, or what is left of it, to its end; without a name as a new run.

    Nothing streams: what answers inside an evaluation cannot. Raises `Refused` where it cannot begin, and `Stopped`
    where it cannot go on for now.
    """
    if not name:
        return await kept(asked, db)
    async with opened(db) as store:
        is_new = await store.runs.add(row(asked, name))
        async with store.lock(name):
            saved = await load(store, name)
            if not is_new and ended_alone(saved):
                saved = await reopened(store, saved)
            if not saved.finished:
                await _run(store, asked, saved)
            saved = await load(store, name)
            await store.runs.save(saved.row())
    return saved


async def _run(store: Store, asked: Request, saved: Saved) -> None:
    input, name = None if saved.begun else asked.input, saved.run.run
    graph = store.graph(asked.protocol.name)
    try:
        await graph.ainvoke(input, thread(name), context=asked.rules, durability="sync")
    except (Refused, ValidationError, TemplateFault):
        await forget_unbegun(store, name)
        raise
