"""How a command that runs a deliberation shows it, and how it is interrupted."""

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from langchain_core.callbacks import BaseCallbackHandler

from ...nodes.models.failures import Stopped
from ...nodes.models.recording import NotRecorded
from ..failure import Interrupted, Waits
from ..options import View
from .live import Live
from .pace import Pace
from .screen import Screen
from .watcher import Lines, Watcher
from .wording import say


def program() -> str:
    """The name or path by which this program was called."""
    called = sys.argv[0]
    if called.endswith((".py", "-c", "-m")):
        return "moot"
    return shlex.quote(called)


def command(*words: str, db: str = "") -> str:
    """A command line to be copied; `db`: the database as it was given, without a password."""
    place = ["--db", db] if db else []
    return " ".join([program(), *(shlex.quote(word) for word in [*words, *place])])


class Terminal:
    """What a command shows of one run, and where: a terminal, a pipe or nowhere.

    `run`: the run that is under way; empty before it and after. `place`: the database, if it was given by option,
    without a password. `expected`: what it may cost, in words, if it was found out before. `language`: the run's, once
    it is known. `told`: the turns whose statements were shown.
    """

    def __init__(self, view: View) -> None:
        self.view = view
        self.screen = Screen(no_color=view.no_color, to_stderr=view.json)
        self.pace = Pace()
        self.interrupted = False
        self.language = "en"
        self.told: set[int] = set()
        self.run = ""
        self.place = ""
        self.expected = ""
        self.callbacks: list[BaseCallbackHandler] = []
        self.watcher = self._watcher()

    @property
    def shows(self) -> bool:
        """Whether anything but the ending is shown."""
        return not (self.view.json or self.view.quiet)

    def _watcher(self) -> Watcher:
        if not self.shows:
            return Watcher()
        return Live(self.screen, self.pace) if self.screen.live else Lines(self.screen)

    def rehearse(self) -> None:
        """Show what follows at reading speed, if it is shown live on a terminal."""
        if self.shows and self.screen.live and not self.view.fast:
            self.pace.begin()

    def draining(self) -> None:
        """Ctrl-C was pressed once."""
        self.interrupted = True
        self.pace.hurry()
        self.note(f"\n{say(self.language, 'run.stopping')}")

    def note(self, text: str, style: str = "") -> None:
        """Show a remark on standard error, apart from the deliberation."""
        Screen(no_color=self.view.no_color, to_stderr=True).line(text, style)

    @contextmanager
    def resumable(self) -> Iterator[None]:
        """Within the block, add to the error that stops a run the command that resumes it, or joins it."""
        try:
            yield
        except Waits as waits:
            words = ("join", self.run, "--as", waits.who[0]) if waits.who else ("resume", self.run)
            raise Waits(waits.who, f"{waits}; saved, go on with: {self.command(*words)}") from waits
        except (Stopped, Interrupted) as stop:
            if not self.run:
                raise
            again = f"go on with: {self.command('resume', self.run)}"
            if isinstance(stop, NotRecorded):
                fork, turns = self.command("fork", self.run, "--at", "N"), self.command("history", self.run)
                again = f"then {again}; or ask a model from turn N on with: {fork} (the turns: {turns})"
            raise type(stop)(f"{stop}; saved, {again}") from stop

    def command(self, *words: str) -> str:
        """A command line on the same database, spelled so that it runs as printed."""
        return command(*words, db=self.place)
