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
    """Run a request to its end and return the saved run.

    A run that cannot start is deleted and raises `InputError`. Raises `RunStoppedError` if the run stops before its
    end.
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
            except RunStoppedError as error:
                resume_command = shlex.join(["moot", "resume", name, *(["--db", store.address] if db else [])])
                raise RunStoppedError(f"{error}; saved, go on with: {resume_command}") from error
            saved_run = await load_saved_run(store, name)
            await store.runs.save_run(saved_run.build_row())
    return saved_run


def summarize_run(saved_run: SavedRun) -> RunSummary:
    """Summarize a saved run for a reply."""
    outcome: Outcome | None = saved_run.state.get("outcome")
    return RunSummary(
        status=outcome.status if outcome else "unfinished",
        headline=outcome.headline if outcome else "",
        run=saved_run.run.run,
        models=get_seat_models(saved_run.state),
        rehearsal=bool(outcome and outcome.rehearsal),
    )


def get_seat_models(state: Mapping[str, Any]) -> dict[str, str]:
    """Return the model spec of each seat that a model holds, and of the synthesizer, by name."""
    settings: Settings = state["settings"]
    specs = {
        participant.name: choose_spec(settings, participant.name, participant.model)
        for participant in state["participants"]
        if participant.kind == "model"
    }
    return {**specs, "synthesizer": choose_spec(settings, "synthesizer")}
