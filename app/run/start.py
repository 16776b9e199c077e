"""Start of a run from a checked request, for commands, Python, tools and web pages."""

import asyncio
import shlex
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

from typing_extensions import TypedDict

from ...models import (
    REHEARSAL,
    RunStoppedError,
    check_default_server,
    choose_spec,
    describe_recipients,
    fetch_default_spec,
    find_seat_model,
    get_environment_model,
)
from ...state import Outcome, Settings, format_model
from ...storage import get_timestamp, set_default_database
from ..display import QUIET_STYLE, Terminal, Watcher, show_ending
from ..protocols.hooks import get_hooks
from ..saved import Run, SavedRun, Store, load_saved_run, make_run_name, open_database
from .command_options import ViewOptions
from .estimate import describe_highest_cost
from .execution import InterruptHandler, SilentTerminal, resume_run, run_to_end
from .failure import WaitingForPeopleError, with_continuation
from .rehearsal import seat_participants
from .request import RunRequest, find_example_request

FIRST_CALL_DELAY = 1.0
"""Seconds that the first call waits for the maximum cost, which a rehearsal computes."""


def execute_request(request: RunRequest, view: ViewOptions) -> None:
    """Execute a checked request and show the ending of the run."""
    terminal = Terminal(view)
    show_ending(terminal, asyncio.run(run_at_terminal(request, terminal)))


async def run_at_terminal(request: RunRequest, terminal: Terminal) -> SavedRun:
    """Execute a request to its end on a terminal, which also shows the maximum cost.

    An exception that stops the run contains the command that resumes it.
    """
    if not request.settings.replay:
        terminal.suggests_model = not (await find_request_model(request) or get_environment_model())
        request = await with_model_or_example(request)
    await announce_cost(request, terminal)
    with terminal.add_resume_hint():
        async with open_database(terminal.view.db) as store:
            terminal.database = terminal.view.db and store.address
            return await run_request(store, request, await create_run(store, request), terminal)


async def announce_cost(request: RunRequest, terminal: Terminal) -> None:
    """Show the maximum cost of a run when the run starts, or as soon as it is known.

    The run waits for the cost for at most `FIRST_CALL_DELAY` seconds. Raises an `InputError` that occurs during this
    time.
    """
    set_default_database(terminal.view.db)  # a panel reads its library
    executor = ThreadPoolExecutor(max_workers=1)  # in a thread, so that the event loop can make the first calls
    future = asyncio.wrap_future(
        executor.submit(copy_context().run, lambda: asyncio.run(describe_highest_cost(request)))
    )
    executor.shutdown(wait=False)
    await asyncio.wait([future], timeout=FIRST_CALL_DELAY)
    if future.done():
        terminal.estimate = future.result()
        return

    def show_cost(future: asyncio.Future[str]) -> None:
        if not future.cancelled() and not future.exception():  # the run itself raises the error of its request
            terminal.show_note(future.result(), QUIET_STYLE)

    future.add_done_callback(show_cost)


async def find_request_model(request: RunRequest) -> str:
    """Return the model that the request names or, without one, that of its first seat.

    The first seat's model counts only if every seat has a model. The text is empty if no model counts.
    """
    settings, seats = request.settings, request.named_seats
    if not settings.model and settings.models and not seats:
        seats = await seat_participants(request)
    return format_model(settings.model) or find_seat_model(settings, seats)


async def with_default_model(request: RunRequest, spec: str = "") -> RunRequest:
    """Return the request with a model: its own, `spec`, or this machine's default model.

    Raises `InputError` if the setting `stay` forbids the server in `OPENAI_BASE_URL` as the default.
    """
    if model := await find_request_model(request) or spec:
        return request.with_model(model)
    check_default_server(request.settings)
    return request.with_model(await fetch_default_spec())


async def with_model_or_example(request: RunRequest) -> RunRequest:
    """Return the request with a model as in `with_default_model`, or the request for a recorded example.

    The example has the same topic. It is used only if no model is available.
    """
    prepared_request = await with_default_model(request)
    if prepared_request.settings.model != REHEARSAL or request.settings.model or get_environment_model():
        return prepared_request
    return find_example_request(request) or prepared_request


async def create_run(
    store: Store, request: RunRequest, client_models: Sequence[str] | None = None, **marks: str
) -> Run:
    """Save a new run for this request under an unused name, and return its row.

    `client_models`, `marks`: values of the fields of `Run`.
    """
    topic = "" if store.is_encrypted else request.topic
    while True:
        run = make_run_record(request, make_run_name(request.protocol.name, topic))
        run = run.model_copy(update={"client_models": None if client_models is None else list(client_models)} | marks)
        if await store.runs.add_run(run):
            return run


def make_run_record(request: RunRequest, name: str) -> Run:
    """Make the row of a run of this request that starts now."""
    return Run(
        run=name,
        protocol=request.protocol.name,
        topic=request.topic,
        started=get_timestamp(),
        settings=request.settings.model_dump(mode="json"),
    )


async def run_request(
    store: Store, request: RunRequest, run: Run, terminal: Terminal, interrupts: InterruptHandler | None = None
) -> SavedRun:
    """Execute a request as `run` to its end, under the run's lock, and return the saved run.

    `run`: row of the run, already saved. Raises the errors of `run_to_end`.
    """
    terminal.callbacks = [
        *terminal.callbacks,
        *get_hooks(run.protocol).callbacks(request.settings, run.run, store.address),
    ]
    async with store.lock(run.run):
        return await run_to_end(store, run.run, request.build_input(run.run), terminal, interrupts, request.settings)


class RunSummary(TypedDict):
    """Summary of a run that every reply of a tool or function contains.

    `status`: completed, partial, failed or unfinished. `run`: its name, for `moot show` and `moot resume`. `models`:
    the model of each participant and of the synthesizer. `recipients`: servers that get the run's texts, on one line.
    """

    status: str
    headline: str
    run: str
    models: dict[str, str]
    recipients: str
    rehearsal: bool


async def run_and_save(request: RunRequest, db: str, name: str = "", watcher: Watcher | None = None) -> SavedRun:
    """Execute a request to its end, and return the saved run.

    `name`: name of the run, which a repeated call resumes; empty for a new run. `watcher`: receiver of events. A run
    that waits for people is returned unfinished. A run that cannot start is deleted and raises `InputError`. Raises
    `RunStoppedError` if the run stops for another reason.
    """
    async with open_database(db) as store:
        run = make_run_record(request, name) if name else await create_run(store, request)
        terminal, interrupts = SilentTerminal(store.address, watcher), InterruptHandler(lambda: None)
        try:
            if name and not await store.runs.add_run(run):
                async with store.lock(name):
                    saved_run = await load_saved_run(store, name)
                    if saved_run.has_begun:
                        return await resume_run(store, saved_run, terminal, interrupts)
            return await run_request(store, request, run, terminal, interrupts)
        except WaitingForPeopleError:
            return await load_saved_run(store, run.run)
        except RunStoppedError as error:
            resume_command = shlex.join(["moot", "resume", run.run, *(["--db", store.address] if db else [])])
            raise with_continuation(error, resume_command) from error


def summarize_run(saved_run: SavedRun) -> RunSummary:
    """Return the summary of a saved run for a reply."""
    outcome: Outcome | None = saved_run.state.get("outcome")
    settings: Settings = saved_run.state["settings"]
    return RunSummary(
        status=outcome.status if outcome else "unfinished",
        headline=outcome.headline if outcome else "",
        run=saved_run.run.run,
        models={
            participant.name: choose_spec(settings, participant.name, participant.model)
            for participant in saved_run.state["participants"]
            if participant.kind == "model"
        }
        | {"synthesizer": choose_spec(settings, "synthesizer")},
        recipients=describe_recipients(settings),
        rehearsal=bool(outcome and outcome.rehearsal),
    )
