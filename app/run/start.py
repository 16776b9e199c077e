"""Start of a run from the command line: check the request, save it, run it and show its ending."""

import asyncio
from pathlib import Path
from typing import Any

from ...models.chat import fetch_default_spec
from ...storage.clock import get_timestamp
from ..display.ending import show_ending
from ..display.terminal import Terminal
from ..protocols.protocol import get_protocol
from ..saved import Run, Store, make_run_name, open_database
from .command_options import RunOptions, ViewOptions
from .config import read_text
from .drive_run import run_to_end
from .estimate import describe_highest_cost
from .request import RunRequest, build_request


def build_topic_input(topic: str | None, material: Path | None) -> dict[str, Any]:
    """Build the input that most protocols share: topic and material."""
    return {"topic": topic, "material": read_text(material, "material") if material else None}


def start_run(name: str, input: dict[str, Any], options: RunOptions, view: ViewOptions) -> None:
    """Check the request, run it and show its ending. Entries of `input` that are `None` count as absent."""
    filled_input = {key: value for key, value in input.items() if value is not None}
    execute_request(build_request(get_protocol(name), filled_input, options), view)


def execute_request(request: RunRequest, view: ViewOptions) -> None:
    """Run a checked request and show its ending."""
    asyncio.run(_run_and_show_ending(request, view))


async def _run_and_show_ending(request: RunRequest, view: ViewOptions) -> None:
    if not request.settings.replay:
        request = request.with_model(str(request.settings.model) or await fetch_default_spec())
    terminal = Terminal(view)
    terminal.estimate = await describe_highest_cost(request)
    with terminal.add_resume_hint():
        async with open_database(view.db) as store:
            terminal.database = view.db and store.address
            run = await create_run(store, request)
            async with store.lock(run.run):
                saved_run = await run_to_end(store, run.run, request.input, terminal)
    show_ending(terminal, saved_run)


async def create_run(store: Store, request: RunRequest) -> Run:
    """Save a new run for this request, under a name that is still free."""
    topic = "" if store.is_encrypted else request.topic
    while True:
        run = make_run_record(request, make_run_name(request.protocol.name, topic))
        if await store.runs.add_run(run):
            return run


def make_run_record(request: RunRequest, name: str) -> Run:
    """Make the record of a run of this request that starts now."""
    return Run(
        run=name,
        protocol=request.protocol.name,
        topic=request.topic,
        started=get_timestamp(),
        settings=request.settings.model_dump(mode="json"),
    )
