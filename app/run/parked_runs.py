"""Parked runs, which wait until a model's server answers again, or until a time that the server set."""

import asyncio
from collections.abc import Callable
from datetime import datetime

from ...models import get_server_name, is_server_ready
from ...state import parse_settings
from ...storage import format_local_time, get_time
from ..display.wording import translate_display_phrase
from ..saved import Run

READY_POLL = 5.0  # seconds between two checks
MAX_PAUSE = 300.0
"""Maximum seconds before a repeatedly parked run is resumed."""


async def is_ready_to_resume(run: Run) -> bool:
    """Return whether a parked run can be resumed now."""
    if run.retry_at:
        return get_time() >= datetime.fromisoformat(run.retry_at)
    return await is_server_ready(run.waiting_for)


async def wait_until_ready(run: Run, pause: float, show_line: Callable[[str], None]) -> None:
    """Wait until a parked run can be resumed.

    `pause`: minimum seconds between two checks. `show_line`: function that shows once what the run waits for.
    """
    if not run.waiting_for or (not pause and await is_ready_to_resume(run)):
        return
    show_line(describe_wait(run))
    await asyncio.sleep(pause)
    while not await is_ready_to_resume(run):
        await asyncio.sleep(READY_POLL)


def describe_wait(run: Run) -> str:
    """Return a sentence about what a parked run waits for, in the run's language."""
    language, server = parse_settings(run.settings).language, get_server_name(run.waiting_for)
    if run.retry_at:
        time = format_local_time(datetime.fromisoformat(run.retry_at))
        return translate_display_phrase(language, "run.parked_until", server=server, time=time)
    return translate_display_phrase(language, "run.parked", server=server)
