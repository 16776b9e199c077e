"""What a display shows of events, live on a terminal or line by line in a pipe."""

import asyncio
import re
from io import StringIO

from moot.app.display.events import RunEvent
from moot.app.display.live_display import LiveDisplay, TextPacer
from moot.app.display.screen import Screen
from moot.app.display.watcher import LineDisplay, Watcher
from moot.app.protocols.justice.log import VerbosityFilter
from moot.state.debate import DebateSettings
from moot.state.statement import Participant
from rich.console import Console

CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\r")


def show_events(*events: RunEvent, language: str = "en", live: bool = True, level: str = "standard") -> str:
    """What a display without colours shows of these events of a debate between Ann and Ben, of four turns at most."""
    screen, file = Screen(), StringIO()
    plain = {"TERM": "xterm"}  # whatever the tests run in
    screen.console = Console(
        file=file, force_terminal=live, no_color=True, width=80, legacy_windows=False, _environ=plain
    )
    watcher: Watcher = VerbosityFilter(LiveDisplay(screen, TextPacer()) if live else LineDisplay(screen), level)
    watcher.set_run([Participant(name="Ann"), Participant(name="Ben")], DebateSettings(max_turns=4, language=language))

    async def tell() -> None:
        for event in events:
            await watcher.show_event(event)
        watcher.end_display()

    asyncio.run(tell())
    return CONTROL.sub("", file.getvalue())
