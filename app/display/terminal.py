"""Display and interruption of a command that runs a deliberation."""

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from langchain_core.callbacks import BaseCallbackHandler

from ...models.failures import RunStoppedError
from ...models.recording import ReplayMissError
from ..run.command_options import ViewOptions
from ..run.failure import RunInterruptedError, WaitingForPeople
from .live import LiveDisplay
from .pacing import TextPacer
from .screen import Screen
from .watcher import LineDisplay, Watcher
from .wording import translate_display_phrase


def get_program_name() -> str:
    """Return the name or path by which this program was called."""
    program = sys.argv[0]
    if program.endswith((".py", "-c", "-m")):
        return "moot"
    return shlex.quote(program)


def format_command(*words: str, db: str = "") -> str:
    """Format a command line for copying. `db`: the database as given, without its password, or empty."""
    database_option = ["--db", db] if db else []
    return " ".join([get_program_name(), *(shlex.quote(word) for word in [*words, *database_option])])


class Terminal:
    """Display of one run for a command: on a terminal, in a pipe, or silent.

    `run`: the open run, or empty. `database`: the database if an option named it, without its password, or
    empty. `estimate`: the expected cost in words, or empty. `language`: the run's language, English before it is known.
    `shown_turns`: turns of the statements already shown.
    """

    def __init__(self, view: ViewOptions) -> None:
        self.view = view
        self.screen = Screen(no_color=view.no_color, to_stderr=view.json)
        self.pacer = TextPacer()
        self.is_interrupted = False
        self.language = "en"
        self.shown_turns: set[int] = set()
        self.run = ""
        self.database = ""
        self.estimate = ""
        self.callbacks: list[BaseCallbackHandler] = []
        self.watcher = self._make_watcher()

    @property
    def shows_run(self) -> bool:
        """Return whether the run is shown, not only its ending."""
        return not (self.view.json or self.view.quiet)

    def _make_watcher(self) -> Watcher:
        if not self.shows_run:
            return Watcher()
        return LiveDisplay(self.screen, self.pacer) if self.screen.is_terminal else LineDisplay(self.screen)

    def pace_rehearsal(self) -> None:
        """Show the following text at reading speed if a live terminal shows it."""
        if self.shows_run and self.screen.is_terminal and not self.view.fast:
            self.pacer.start_pacing()

    def show_interrupt(self) -> None:
        """Note the first Ctrl-C: end the pacing and say that the run stops after this step."""
        self.is_interrupted = True
        self.pacer.stop_pacing()
        self.show_note(f"\n{translate_display_phrase(self.language, 'run.stopping')}")

    def show_note(self, text: str, style: str = "") -> None:
        """Show a remark on standard error, apart from the deliberation."""
        Screen(no_color=self.view.no_color, to_stderr=True).show_line(text, style)

    @contextmanager
    def add_resume_hint(self) -> Iterator[None]:
        """Add the command that resumes or joins the run to an error that stops it within the block."""
        try:
            yield
        except WaitingForPeople as waiting_error:
            command_words = (
                ("join", self.run, "--as", waiting_error.who[0]) if waiting_error.who else ("resume", self.run)
            )
            raise WaitingForPeople(
                waiting_error.who, f"{waiting_error}; saved, go on with: {self.format_command(*command_words)}"
            ) from waiting_error
        except (RunStoppedError, RunInterruptedError) as error:
            if not self.run:
                raise
            hint = f"go on with: {self.format_command('resume', self.run)}"
            if isinstance(error, ReplayMissError):
                fork_command, history_command = (
                    self.format_command("fork", self.run, "--at", "N"),
                    self.format_command("history", self.run),
                )
                hint = f"then {hint}; or ask a model from turn N on with: {fork_command} (the turns: {history_command})"
            raise type(error)(f"{error}; saved, {hint}") from error

    def format_command(self, *words: str) -> str:
        """Format a command line on the same database, ready to run as printed."""
        return format_command(*words, db=self.database)
