"""`moot resume`: go on where a run stopped."""

import asyncio
import sys
from typing import Annotated

from typer import Argument

from ...nodes.clock import stamp
from ...state.refused import Refused
from ..display.announcement import take_up
from ..display.farewell import ended
from ..display.screen import QUIET
from ..display.wording import say
from ..play import play
from ..saved import Run, Saved, Store, checked, ended_alone, gap, load, opened, reopened
from ..saved.series import to_finish
from .options import View, spread
from .running import Running

RunName = Annotated[str, Argument(metavar="RUN", help="Name of a saved run; `moot runs` lists them.")]


@spread
def resume(run: RunName, *, view: View) -> None:
    """Go on exactly where a run stopped; of a finished one, its ending.

    One that ended because nobody could be reached goes on from the turn that was missed last.
    """
    from ..session.join import is_open_session, take_part

    if is_open_session(run, view.db):
        take_part(run, "You" if sys.stdin.isatty() else "", view)
    else:
        asyncio.run(_resumed(run, view))


async def _resumed(name: str, view: View) -> None:
    session = Running(view)
    checked(name)
    with session.resumable():
        async with opened(view.db, create=False) as store:
            session.place = view.db and store.where
            saved = await load(store, name)
            before = saved.finished and not ended_alone(saved)
            if not before:
                async with store.lock(name):
                    saved = await taken_up(store, await load(store, name), session)
            left, runs = await to_finish(store, saved.run) if saved.run.series else (0, 0)
    ended(session, saved, before=before)
    if left:
        series = saved.run.series
        told = say(session.language, "run.series_left", left=left, runs=runs, series=series)
        session.note(f"{told}\n  {session.command('justice', '--series', series)}", QUIET)


async def taken_up(store: Store, saved: Saved, session: Running) -> Saved:
    """Go on with a run whose lock is held, unless it has ended meanwhile."""
    if ended_alone(saved):
        saved = await reopened(store, saved)
    if saved.finished:
        return saved
    if not saved.next:
        raise Refused("run", saved.run.run, "it was stopped before its first step was saved; begin it anew")
    await store.runs.save(paused(saved))
    take_up(session, saved)
    return await play(store, saved.run.run, None, session)


def paused(saved: Saved) -> Run:
    """The row with the time added in which nobody ran it."""
    idle = max(0, gap(saved.at, stamp()))
    return saved.run.model_copy(update={"paused_ms": saved.run.paused_ms + idle})
