"""`moot resume`: resume a run where it stopped."""

import asyncio
from typing import Annotated

from typer import Option

from ...models import ServerOutageError
from ..display import Terminal, show_ending
from ..experiment import resume_experiment_run
from ..run import MAX_PAUSE, READY_POLL, RunName, ViewOptions, flatten_options, resume_run, wait_until_ready
from ..saved import is_incomplete, load_saved_run, open_database
from ..session.participation import is_open_session, join_session


@flatten_options
def resume(
    run: RunName,
    *,
    when_ready: Annotated[
        bool, Option("--when-ready", help="If the run waits for a server, wait until the server answers.")
    ] = False,
    view: ViewOptions,
) -> None:
    """Continue a run where it stopped.

    If a tool needs your approval, Moot asks you at the terminal. If another person must answer, the run stops again;
    `moot join` takes that person's seat. If an outage ended the run, Moot repeats the last missed turns.
    """
    pause = 0.0
    while when_ready:
        asyncio.run(_wait_for_server(run, pause, view))
        try:
            return _resume_now(run, view)
        except ServerOutageError:
            pause = min(MAX_PAUSE, 2 * pause or READY_POLL)
    _resume_now(run, view)


async def _wait_for_server(run: str, pause: float, view: ViewOptions) -> None:
    async with open_database(view.db, create=False) as store:
        saved_run = await load_saved_run(store, run)
    await wait_until_ready(saved_run.run, pause, Terminal(view).show_note)


def _resume_now(run: str, view: ViewOptions) -> None:
    if is_open_session(run, view.db):
        return join_session(run, "", view)

    async def resume_by_name() -> None:
        terminal = Terminal(view)
        with terminal.add_resume_hint():
            async with open_database(view.db, create=False) as store:
                terminal.database = view.db and store.address
                saved_run = await load_saved_run(store, run)
                had_ended = saved_run.has_ended and not is_incomplete(saved_run)
                if not had_ended:
                    async with store.lock(run):
                        resume_function = resume_experiment_run if saved_run.run.experiment else resume_run
                        saved_run = await resume_function(store, await load_saved_run(store, run), terminal)
        show_ending(terminal, saved_run, ended_before=had_ended)

    return asyncio.run(resume_by_name())
