"""Live display on a terminal. Words appear as they arrive; in a rehearsal, at reading speed."""

import asyncio
import os
import re
import sys
from collections.abc import Callable, Sequence
from time import monotonic

from rich.status import Status
from rich.text import Text

from ...state import Call, Participant, Prices, Settings, sum_tokens
from ..protocols.hooks import get_hooks
from .events import (
    CallsMade,
    RetryStarted,
    RunEnded,
    RunEvent,
    StatementAdded,
    StepReported,
    StepStarted,
    TurnMissed,
    WordsStreamed,
)
from .plain_text import strip_controls
from .screen import ERROR_STYLE, QUIET_STYLE, TITLE_STYLE, Screen
from .transcript import get_display_name
from .watcher import INSTANT_STEPS, Watcher
from .wording import (
    describe_missed_turn,
    describe_retry,
    describe_step,
    format_money,
    format_turn_heading,
    get_label,
    translate_display_phrase,
    translate_report_phrase,
)

WORDS_PER_SECOND = 60


class TextPacer:
    """Pacing of text on a terminal: all at once or, if `is_pacing`, word by word at reading speed."""

    def __init__(self) -> None:
        self.is_pacing = self._is_listening = False

    async def show_text(self, text: str, show: Callable[[str], None]) -> None:
        """Pass the words of `text` to `show`, at reading speed or all at once.

        The Enter key turns the pacing off.
        """

        def handle_enter() -> None:
            sys.stdin.readline()
            self.is_pacing = False

        can_listen = self.is_pacing and not self._is_listening and sys.platform != "win32" and sys.stdin.isatty()
        if can_listen and os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp():  # in the foreground
            asyncio.get_running_loop().add_reader(sys.stdin.fileno(), handle_enter)
            self._is_listening = True
        for word in re.findall(r"\s*\S+\s*", text) if self.is_pacing else [text]:
            show(word)
            if self.is_pacing:
                await asyncio.sleep(1 / WORDS_PER_SECOND)

    def close_input(self) -> None:
        """Stop the pacing and stop watching standard input."""
        self.is_pacing = False
        if self._is_listening:
            asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
            self._is_listening = False


STATEMENT_PURPOSE = "statement"


class LiveDisplay(Watcher):
    """Receiver that shows a run's events on a terminal.

    If several participants speak at once, one of them is shown word by word. The others are shown when they finish.
    """

    shows_words = True

    def __init__(self, screen: Screen, pacer: TextPacer, clock: Callable[[], float] = monotonic) -> None:
        super().__init__()
        self.screen, self.pacer = screen, pacer
        self.max_turns, self.turn, self.tokens = 0, 0, 0
        self.calls: list[Call] = []
        self.prices: Prices | None = None
        self._clock, self._started_at = clock, clock()
        self.turn_by_name: dict[str, int] = {}
        self.speaker = self.hidden_purpose = self._activity = ""
        self.language = "en"
        self._status: Status | None = None

    def set_run(self, participants: Sequence[Participant], settings: Settings, calls: Sequence[Call] = ()) -> None:
        self.prices, self.calls, self.tokens = settings.prices, list(calls), sum_tokens(calls)
        hooks = get_hooks(settings.protocol)
        self.max_turns, self.language = hooks.turn_cap(settings, len(participants)) or 0, settings.language
        self.hidden_purpose = "synthesis" if hooks.answer else ""
        self.screen.assign_colours(participants)

    async def show_event(self, event: RunEvent) -> None:
        match event:
            case StepStarted(step, name, turn) if step not in INSTANT_STEPS:
                self.turn_by_name |= {name: turn} if turn else {}
                self.turn = max(self.turn, turn)
                self._stop_status()
                if not self.speaker:
                    self._activity = describe_step(step, name, self.language)
                    self._status = Status(self, console=self.screen.console)
                    self._status.start()
            case WordsStreamed(name, purpose, text) if self.speaker in ("", name) and purpose != self.hidden_purpose:
                if not self.speaker:
                    self._show_heading(name, self.turn_by_name.get(name, 0), purpose)
                self.shown_purposes.add(purpose)
                await self.pacer.show_text(text, self.screen.show_words)
            case RetryStarted(name, kind) if name == self.speaker:
                self._end_words(describe_retry(name, kind, self.language))
            case StatementAdded(statement):
                if self.speaker != statement.speaker:
                    self._end_words()
                    self._show_heading(statement.speaker, statement.turn)
                    await self.pacer.show_text(statement.content, self.screen.show_words)
                tokens_line = translate_report_phrase(self.language, "talk.tokens", count=f"{statement.tokens:,}")
                self._end_words(tokens_line if statement.tokens else "")
            case StepReported(line):
                self._end_words()
                self.screen.show_line(line, QUIET_STYLE)
            case TurnMissed(incident):
                self._end_words()
                self.screen.show_line(f"\n{describe_missed_turn(incident, self.language)}", ERROR_STYLE)
            case CallsMade(_, tokens, calls):
                self.tokens += tokens
                self.calls += calls
            case RunEnded():
                self._end_words()

    def end_display(self) -> None:
        self._end_words()

    def _show_heading(self, name: str, turn: int, purpose: str = STATEMENT_PURPOSE) -> None:
        self._stop_status()
        self.speaker = name
        if purpose != STATEMENT_PURPOSE:
            self.screen.show_line(f"\n{get_label(self.language, 'stages', purpose).capitalize()}", TITLE_STYLE)
            return
        heading = format_turn_heading(get_display_name(name, self.language), turn, self.language, self.max_turns)
        self.screen.show_line(f"\n{heading}", self.screen.get_name_style(name))

    def _end_words(self, remark: str = "") -> None:
        self._stop_status()
        if self.speaker:
            self.screen.show_line()
            self.speaker = ""
        if remark:
            self.screen.show_line(remark, QUIET_STYLE)

    def __rich__(self) -> Text:
        """Return the status line at each repaint: activity, turn, tokens, cost and elapsed time."""
        turn_label = f"{self.turn}/{self.max_turns}" if self.max_turns else str(self.turn)
        cost = self.prices.compute_cost(self.calls) if self.prices else None
        minutes, seconds = divmod(int(self._clock() - self._started_at), 60)
        parts = [
            self._activity,
            translate_display_phrase(self.language, "turn.at", turn=turn_label) if self.turn else "",
            translate_display_phrase(self.language, "turn.tokens", tokens=f"{self.tokens:,}"),
            format_money(cost, self.prices) if cost is not None and self.prices else "",
            f"{minutes // 60}:{minutes % 60:02}:{seconds:02}" if minutes >= 60 else f"{minutes}:{seconds:02}",
        ]
        return Text(strip_controls(" · ".join(filter(None, parts))), no_wrap=True, overflow="ellipsis")

    def _stop_status(self) -> None:
        if self._status:
            self._status.stop()
            self._status = None
