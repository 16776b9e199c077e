"""Display of a run for a command, and its reactions to Ctrl-C."""

from collections.abc import Iterator
from contextlib import contextmanager

from langchain_core.callbacks import BaseCallbackHandler

from ...models import ReplayMissError, RunStoppedError
from ..run import RunInterruptedError, ViewOptions, WaitingForPeopleError, with_continuation
from .live_display import LiveDisplay, TextPacer
from .plain_text import format_command
from .screen import Screen
from .watcher import LineDisplay, WaitDisplay, Watcher
from .wording import translate_display_phrase


class Terminal:
    """Display of one run for a command: on a terminal, in a pipe, or silent.

    `suggests_model`: whether the ending of a rehearsal says how to use a model. `run`: name of the open run, or empty.
    `database`: the database option without a password, or empty. `estimate`: the expected cost in words, or empty.
    `language`: the run's language; English until the run starts. `shown_turns`: turns already shown.
    """

    def __init__(self, view: ViewOptions) -> None:
        self.view = view
        self.screen = Screen(no_color=view.no_color, to_stderr=view.json)
        self.pacer = TextPacer()
        self.is_interrupted = False
        self.suggests_model = False
        self.language = "en"
        self.shown_turns: set[int] = set()
        self.run = self.database = self.estimate = ""
        self.callbacks: list[BaseCallbackHandler] = []
        self.watcher = Watcher() if view.quiet else WaitDisplay()
        if self.shows_run:
            self.watcher = LiveDisplay(self.screen, self.pacer) if self.screen.is_terminal else LineDisplay(self.screen)

    @property
    def shows_run(self) -> bool:
        """Return whether the display shows the course of the run, not only its ending."""
        return not (self.view.json or self.view.quiet)

    def pace_rehearsal(self) -> None:
        """Print the following text at reading speed, if this is a live terminal."""
        if self.shows_run and self.screen.is_terminal and not self.view.fast:
            self.pacer.is_pacing = True

    def show_interrupt(self) -> None:
        """React to the first Ctrl-C: turn pacing off, and announce that the run stops after this step."""
        self.is_interrupted = True
        self.pacer.is_pacing = False
        self.show_note(f"\n{translate_display_phrase(self.language, 'run.stopping')}")

    def show_note(self, text: str, style: str = "") -> None:
        """Print a note on standard error, separate from the deliberation."""
        Screen(no_color=self.view.no_color, to_stderr=True).show_line(text, style)

    @contextmanager
    def add_resume_hint(self) -> Iterator[None]:
        """Add to each error within the `with` block the command that resumes or joins the run."""
        try:
            yield
        except WaitingForPeopleError as error:
            words = ("join", self.run, "--as", error.who[0]) if error.who else ("resume", self.run)
            raise WaitingForPeopleError(
                error.who, f"{error}. Saved. Continue: {self.format_command(*words)}"
            ) from error
        except (RunStoppedError, RunInterruptedError) as error:
            if not self.run:
                raise
            hint = self.format_command("resume", self.run)
            if isinstance(error, ReplayMissError):
                fork_command = self.format_command("fork", self.run, "--turn", "N")
                history_command = self.format_command("checkpoints", self.run)
                hint += f". Or ask a model from turn N on: {fork_command} (list the turns: {history_command})"
            raise with_continuation(error, hint) from error

    def format_command(self, *words: str) -> str:
        """Return a command line with this run's database, to copy."""
        return format_command(*words, db=self.database)
