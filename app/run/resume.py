"""Resume of a saved run from its last state, or from the state before an outage."""

from ...state.errors import InputError
from ..display.announcement import show_run_resume
from ..display.terminal import Terminal
from ..saved import SavedRun, Store, is_incomplete, restore_before_failure, with_pause
from .drive_run import InterruptHandler, run_to_end


async def resume_run(
    store: Store, saved_run: SavedRun, terminal: Terminal, interrupts: InterruptHandler | None = None
) -> SavedRun:
    """Resume a saved run, unless it has ended. The caller holds the lock."""
    if is_incomplete(saved_run):
        saved_run = await restore_before_failure(store, saved_run)
    if saved_run.has_ended:
        return saved_run
    if not saved_run.next:
        raise InputError("run", saved_run.run.run, "it was stopped before its first step was saved; begin it anew")
    await store.runs.save_run(with_pause(saved_run))
    show_run_resume(terminal, saved_run)
    return await run_to_end(store, saved_run.run.run, None, terminal, interrupts)
