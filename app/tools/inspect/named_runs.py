"""Runs under a name known beforehand. They start new, or resume where they stopped."""

from pydantic import ValidationError

from ....prompts import TemplateError
from ....state.errors import InputError
from ...run.request import RunRequest
from ...run.run_and_save import run_and_save
from ...run.start import make_run_record
from ...saved import (
    SavedRun,
    Store,
    delete_uncalled_run,
    is_incomplete,
    load_saved_run,
    make_thread_config,
    open_database,
    restore_before_failure,
)


async def run_named(name: str, request: RunRequest, db: str) -> SavedRun:
    """Run a request, or its remaining part, to its end; without a name as a new run.

    Answers inside an evaluation cannot stream. Raises `InputError` if it cannot start, and `RunStoppedError` if it
    cannot
    continue for now.
    """
    if not name:
        return await run_and_save(request, db)
    async with open_database(db) as store:
        is_new = await store.runs.add_run(make_run_record(request, name))
        async with store.lock(name):
            saved = await load_saved_run(store, name)
            if not is_new and is_incomplete(saved):
                saved = await restore_before_failure(store, saved)
            if not saved.finished:
                await _run_remaining(store, request, saved)
            saved = await load_saved_run(store, name)
            await store.runs.save_run(saved.build_row())
    return saved


async def _run_remaining(store: Store, request: RunRequest, saved: SavedRun) -> None:
    input, name = None if saved.begun else request.input, saved.run.run
    graph = store.get_graph(request.protocol.name)
    try:
        await graph.ainvoke(input, make_thread_config(name), context=request.settings, durability="sync")
    except (InputError, ValidationError, TemplateError):
        await delete_uncalled_run(store, name)
        raise
