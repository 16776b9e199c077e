"""`moot resume`: go on where a run stopped."""

import asyncio

from ..display.ending import show_ending
from ..display.terminal import Terminal
from ..experiment.resume import resume_one
from ..options import RunName, View, spread
from ..run import resume_run
from ..saved import checked, ended_alone, load, opened
from ..session.join import is_open_session, take_part


@spread
def resume(run: RunName, *, view: View) -> None:
    """Go on exactly where a run stopped; of a finished one, its ending.

    It stops again where a person is needed, whose seat `moot join` takes. One that ended because nobody could be
    reached goes on from the turn that was missed last.
    """
    if is_open_session(run, view.db):
        return take_part(run, "", view)
    return asyncio.run(_resumed(run, view))


async def _resumed(name: str, view: View) -> None:
    terminal = Terminal(view)
    checked(name)
    with terminal.resumable():
        async with opened(view.db, create=False) as store:
            terminal.place = view.db and store.where
            saved = await load(store, name)
            before = saved.finished and not ended_alone(saved)
            if not before:
                async with store.lock(name):
                    going_on = resume_one if saved.run.experiment else resume_run
                    saved = await going_on(store, await load(store, name), terminal)
    show_ending(terminal, saved, before=before)
