"""Runs started from Python that answer with a dictionary. They are saved like any other."""

import shlex
from collections.abc import Mapping
from typing import Any, TypedDict

from pydantic import ValidationError

from ...models.failures import RunStoppedError
from ...models.spec import choose_spec
from ...prompts import TemplateError
from ...state.ending import Outcome
from ...state.errors import InputError
from ...state.settings import Settings
from ..saved import SavedRun, delete_uncalled_run, load_saved_run, make_thread_config, open_database
from .request import RunRequest
from .start import create_run


class RunSummary(TypedDict):
    """Common part of every reply. `status`: completed, partial, failed or unfinished.

    `run`: its name, for `moot show` and `moot resume`. `models`: the model of each participant and of the synthesizer.
    """

    status: str
    headline: str
    run: str
    models: dict[str, str]
    rehearsal: bool


async def run_and_save(request: RunRequest, db: str) -> SavedRun:
    """Run a request and return it as a saved run.

    Raises `InputError` if it cannot start, and then deletes it. Raises `RunStoppedError` if it cannot continue for now.
    """
    async with open_database(db) as store:
        name = (await create_run(store, request)).run
        graph = store.get_graph(request.protocol.name)
        async with store.lock(name):
            try:
                await graph.ainvoke(
                    request.input, make_thread_config(name), context=request.settings, durability="sync"
                )
            except (InputError, ValidationError, TemplateError):
                await delete_uncalled_run(store, name)
                raise
            except RunStoppedError as stop:
                resume_command = shlex.join(["moot", "resume", name, *(["--db", store.address] if db else [])])
                raise RunStoppedError(f"{stop}; saved, go on with: {resume_command}") from stop
            saved = await load_saved_run(store, name)
            await store.runs.save_run(saved.build_row())
    return saved


def summarize_run(run: SavedRun) -> RunSummary:
    """Summarize a saved run for a reply."""
    outcome: Outcome | None = run.state.get("outcome")
    return RunSummary(
        status=outcome.status if outcome else "unfinished",
        headline=outcome.headline if outcome else "",
        run=run.run.run,
        models=list_seat_models(run.state),
        rehearsal=bool(outcome and outcome.rehearsal),
    )


def list_seat_models(state: Mapping[str, Any]) -> dict[str, str]:
    """Return the model of each participant that is one, and of the synthesizer."""
    settings: Settings = state["settings"]
    seats = {
        participant.name: choose_spec(settings, participant.name, participant.model)
        for participant in state["participants"]
        if participant.kind == "model"
    }
    return {**seats, "synthesizer": choose_spec(settings, "synthesizer")}
