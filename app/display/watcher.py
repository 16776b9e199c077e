"""Receivers of a run's events: without output, with notes about waits, and for pipes.

The receiver for terminals is `LiveDisplay`.
"""

import asyncio
from collections.abc import Callable, Sequence

from ...state import Call, Participant, Settings
from ..protocols.hooks import get_hooks
from .events import FileUnreadable, RunEvent, StatementAdded, StepEnded, StepReported, StepStarted, TurnMissed
from .screen import Screen
from .transcript import format_statement, get_display_name
from .wording import describe_missed_turn, describe_step

INSTANT_STEPS = ("convene", "order", "receive_message", "invite", "begin", "close_session")
"""Steps that no display shows, because they end at once."""
FIRST_NOTE, NOTE_INTERVAL = 1.5, 10.0
"""Seconds of waiting until the first note, and between later ones."""


class Watcher:
    """Receiver of a run's events, without output.

    `shown_purposes`: purposes of the answers to show word by word.
    """

    shows_words = False
    """Flag for a watcher that shows answers word by word. Without such a watcher, models send whole replies."""

    def __init__(self) -> None:
        self.shown_purposes: set[str] = set()

    async def show_event(self, event: RunEvent) -> None:
        """Show an event of the run. This class shows nothing."""

    def set_run(self, participants: Sequence[Participant], settings: Settings, calls: Sequence[Call] = ()) -> None:
        """Store the participants, the settings and the calls made so far."""

    def end_display(self) -> None:
        """End the display after the last event. This class does nothing."""


class WaitDisplay(Watcher):
    """Receiver that prints on standard error which steps a run waits for, and for how many seconds.

    `call_later`: timer, of seconds, a function and its argument; default: that of the event loop.
    """

    def __init__(
        self, call_later: Callable[[float, Callable[[float], None], float], asyncio.TimerHandle] | None = None
    ):
        super().__init__()
        self.language, self._call_later = "en", call_later
        self._activities: dict[str, str] = {}
        self._timer: asyncio.TimerHandle | None = None

    def set_run(self, participants: Sequence[Participant], settings: Settings, calls: Sequence[Call] = ()) -> None:
        self.language = settings.language

    async def show_event(self, event: RunEvent) -> None:
        match event:
            case StepStarted(step, name, _, id) if step not in INSTANT_STEPS:
                self._activities[id] = describe_step(step, name, self.language)
                if self._timer is None:
                    self._set_timer(FIRST_NOTE, FIRST_NOTE)
            case StepEnded(_, id):
                self._activities.pop(id, None)
                if not self._activities:
                    self.end_display()

    def end_display(self) -> None:
        self._activities.clear()
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _set_timer(self, delay: float, seconds: float) -> None:
        call_later = self._call_later or asyncio.get_running_loop().call_later
        self._timer = call_later(delay, self._show_note, seconds)

    def _show_note(self, seconds: float) -> None:
        Screen(to_stderr=True).show_line(" · ".join([*dict.fromkeys(self._activities.values()), f"{seconds:.0f} s"]))
        self._set_timer(NOTE_INTERVAL, seconds + NOTE_INTERVAL)


class LineDisplay(WaitDisplay):
    """Receiver that prints each statement without colors. For a panel, it prints only the answer."""

    def __init__(self, screen: Screen) -> None:
        super().__init__()
        self.screen, self.shows_answer_only = screen, False

    def set_run(self, participants: Sequence[Participant], settings: Settings, calls: Sequence[Call] = ()) -> None:
        super().set_run(participants, settings, calls)
        self.shows_answer_only = get_hooks(settings.protocol).answer is not None

    async def show_event(self, event: RunEvent) -> None:
        await super().show_event(event)
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
                self.screen.show_line(f"{describe_missed_turn(incident, self.language, 'turn.line_missed')}\n")
