"""Receivers of a run's events: one without output, and one for pipes. The receiver for terminals is `LiveDisplay`."""

from collections.abc import Sequence

from ...state.call_record import Call
from ...state.settings import Settings
from ...state.statement import Participant
from ..protocols.hooks import get_hooks
from .events import FileUnreadable, RunEvent, StatementAdded, StepReported, TurnMissed
from .screen import Screen
from .transcript import format_statement, get_display_name
from .wording import describe_missed_turn


class Watcher:
    """Receiver without output. `shown_purposes`: purposes of the answers to show word by word."""

    shows_words = False
    """Flag for a watcher that shows answers word by word. Without such a watcher, models send whole replies."""

    def __init__(self) -> None:
        self.shown_purposes: set[str] = set()

    async def show_event(self, event: RunEvent) -> None:
        """Show an event of the run."""

    def set_cast(self, participants: Sequence[Participant], settings: Settings, calls: Sequence[Call] = ()) -> None:
        """Store the participants, the settings and the calls made so far."""

    def end_display(self) -> None:
        """End the display after the last event."""


class LineDisplay(Watcher):
    """Watcher that shows each recorded statement without colors. For a panel, it shows only the answer."""

    def __init__(self, screen: Screen) -> None:
        super().__init__()
        self.screen, self.shows_answer_only, self.language = screen, False, "en"

    def set_cast(self, participants: Sequence[Participant], settings: Settings, calls: Sequence[Call] = ()) -> None:
        self.shows_answer_only, self.language = get_hooks(settings.protocol).answer is not None, settings.language

    async def show_event(self, event: RunEvent) -> None:
        match event:
            case FileUnreadable(line):
                Screen(to_stderr=True).show_line(line)
            case _ if self.shows_answer_only:
                return
            case StatementAdded(statement):
                speaker = get_display_name(statement.speaker, self.language)
                self.screen.show_line(format_statement(statement.turn, speaker, statement.content))
            case StepReported(line):
                self.screen.show_line(f"{line}\n")
            case TurnMissed(incident):
                missed_line = describe_missed_turn(incident, self.language, "turn.line_passed_over")
                self.screen.show_line(f"{missed_line}\n")
