"""Runs with a predefined name, which start anew or resume where they stopped."""

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


async def run_under_name(name: str, request: RunRequest, db: str) -> SavedRun:
    """Start or resume a run with this name, and return it at its end. Without a name, start a new run.

    Raises `InputError` if the run cannot start, and `RunStoppedError` if it stops before its end. Answers inside an
    evaluation cannot stream.
    """
    if not name:
        return await run_and_save(request, db)
    async with open_database(db) as store:
        is_new = await store.runs.add_run(make_run_record(request, name))
        async with store.lock(name):
            saved_run = await load_saved_run(store, name)
            if not is_new and is_incomplete(saved_run):
                saved_run = await restore_before_failure(store, saved_run)
            if not saved_run.has_ended:
                await _run_remaining_steps(store, request, saved_run)
            saved_run = await load_saved_run(store, name)
            await store.runs.save_run(saved_run.build_row())
    return saved_run


async def _run_remaining_steps(store: Store, request: RunRequest, saved_run: SavedRun) -> None:
    graph_input, name = None if saved_run.has_begun else request.input, saved_run.run.run
    graph = store.get_graph(request.protocol.name)
    try:
        await graph.ainvoke(graph_input, make_thread_config(name), context=request.settings, durability="sync")
    except (InputError, ValidationError, TemplateError):
        await delete_uncalled_run(store, name)
        raise
