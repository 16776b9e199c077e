"""Session at the terminal, in which models and a person speak in turn until it ends."""

import asyncio
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from select import select
from uuid import uuid4

from ...models import RunStoppedError
from ...prompts import get_term
from ...state.session import SendError, explain_waiting
from ..display import (
    ERROR_STYLE,
    QUIET_STYLE,
    TITLE_STYLE,
    Terminal,
    format_statement,
    format_turn_heading,
    strip_controls,
    translate_display_phrase,
)
from ..run.failure import RunInterruptedError, WaitingForPeopleError
from .api import AsyncSession
from .snapshot import SessionSnapshot

PASTE_WINDOW = 0.1  # seconds between two lines

CONVERSATION_COMMANDS = "/close [reason], /back, /who, /history"


@dataclass
class TerminalSession:
    """Conversation of a session at this terminal, with one person or only a reader.

    `person`: name of the person; empty for a reader. `unsent_text`: text that may not be saved yet. `message_id`: id of
    this text. `waits_for_others`: whether to stay while others have the turn.
    """

    session: AsyncSession
    person: str
    terminal: Terminal
    unsent_text: str = ""
    message_id: str = ""
    waits_for_others: bool = False

    def run_until_end(self) -> None:
        """Hold the conversation until the session ends.

        Raises `RunStoppedError` if the session waits for a participant elsewhere.
        """
        self.terminal.run = self.session.run
        try:
            self._show_opening(asyncio.run(self.session.load_snapshot()))
            snapshot = asyncio.run(self.session.advance())
            while snapshot.outcome is None:
                snapshot = self._advance_session(snapshot)
        except KeyboardInterrupt:
            self.terminal.screen.show_line()
            raise RunInterruptedError("stopped") from None
        finally:
            if self.unsent_text:
                show_unsent_text(self.terminal, self.unsent_text, self._is_recorded)
        self.terminal.run = ""

    def _show_phrase(self, key: str, style: str, **values: object) -> None:
        self.terminal.screen.show_line(
            translate_display_phrase(self.terminal.language, f"table.{key}", **values), style
        )

    def _show_opening(self, snapshot: SessionSnapshot) -> None:
        is_shown = self.person and self.terminal.shows_run
        if is_shown and snapshot.history:
            last_turn = self._find_last_turn(snapshot)
            key = "table.spoke_last" if last_turn else "table.not_spoken"
            last_turn_text = translate_display_phrase(self.terminal.language, key, turn=last_turn)
            self._show_phrase("recap", QUIET_STYLE, turns=snapshot.turn_count, last=last_turn_text)
        if is_shown and sys.stdin.isatty():
            self._show_phrase("commands", QUIET_STYLE, commands=CONVERSATION_COMMANDS)
        self._show_new_statements(snapshot)

    def _find_last_turn(self, snapshot: SessionSnapshot) -> int:
        return max((statement.turn for statement in snapshot.history if statement.speaker == self.person), default=0)

    def _show_new_statements(self, snapshot: SessionSnapshot) -> None:
        last_turn = self._find_last_turn(snapshot)
        for statement in snapshot.history if self.person and self.terminal.shows_run else []:
            if statement.turn > last_turn and statement.turn not in self.terminal.shown_turns:
                self.terminal.screen.show_line(format_statement(statement.turn, statement.speaker, statement.content))
                self.terminal.shown_turns.add(statement.turn)

    def _advance_session(self, snapshot: SessionSnapshot) -> SessionSnapshot:
        if self.person in snapshot.invited:
            return asyncio.run(self.session.answer_invitation(self.person))
        can_send, is_hidden = snapshot.can_send(self.person), self.person in snapshot.hidden
        if not self.person or snapshot.invited or not (can_send or is_hidden):
            if not self.waits_for_others:
                raise make_session_wait_error(snapshot)
            time.sleep(0.5)
            self._show_new_statements(snapshot)
            return asyncio.run(self.session.advance())
        self._show_new_statements(snapshot)
        if not can_send:
            self._show_phrase("come_back", ERROR_STYLE)
        elif self.unsent_text:
            self._show_phrase("unsent", ERROR_STYLE, text=strip_controls(self.unsent_text))
        heading = format_turn_heading(self.person, snapshot.turn_count + 1, self.terminal.language)
        if not (line := read_input(f"{heading}> ", self.terminal)):
            raise make_session_wait_error(snapshot)
        try:
            return self._handle_line(line, snapshot)
        except SendError as error:
            self.terminal.screen.show_line(str(error), ERROR_STYLE)
            return asyncio.run(self.session.advance())

    def _handle_line(self, line: str, snapshot: SessionSnapshot) -> SessionSnapshot:
        screen = self.terminal.screen
        command, _, argument = line.strip().partition(" ")
        match command:
            case "/close":
                return asyncio.run(self.session.close(self.person, argument.strip()))
            case "/back":
                return asyncio.run(self.session.restore_participant(self.person))
            case "/who":
                self._show_participants(snapshot)
            case "/history":
                for statement in snapshot.history:
                    screen.show_line(format_statement(statement.turn, statement.speaker, statement.content))
            case _ if command.startswith("/"):
                screen.show_line(f"{command} is not a command; use {CONVERSATION_COMMANDS}", ERROR_STYLE)
            case _:  # a text that is refused is kept, to be offered again
                text = line if line.strip() or not self.unsent_text else self.unsent_text
                self.unsent_text, self.message_id = text.strip(), uuid4().hex
                asyncio.run(self.session.send(self.person, text, id=self.message_id, turn=snapshot.turn_count + 1))
                self.unsent_text = ""
        return asyncio.run(self.session.load_snapshot())

    def _is_recorded(self) -> bool:
        snapshot = asyncio.run(self.session.load_snapshot())
        return snapshot.find_sent_statement(self.person, self.unsent_text, self.message_id) is not None

    def _show_participants(self, snapshot: SessionSnapshot) -> None:
        language = self.terminal.language
        for name in snapshot.participant_order:
            marks = {
                "you": name == self.person,
                "next": name == snapshot.expected_next_speaker,
                "hidden": name in snapshot.hidden,
            }
            words = [translate_display_phrase(language, f"table.{mark}") for mark, is_set in marks.items() if is_set]
            if words:
                self._show_phrase(
                    "marked", TITLE_STYLE, name=name, marks=get_term(language, "lists", "comma").join(words)
                )
            else:
                self.terminal.screen.show_line(name, QUIET_STYLE)


def show_unsent_text(terminal: Terminal, text: str, is_recorded: Callable[[], bool]) -> None:
    """Show a text that may not have been sent, unless it was saved.

    `is_recorded`: function that returns whether the text was saved.
    """
    key = "perhaps_sent"
    with suppress(RunStoppedError, OSError):  # the database is lost
        if is_recorded():
            return
        key = "not_sent"
    terminal.screen.show_line(
        translate_display_phrase(terminal.language, f"table.{key}", text=strip_controls(text)), ERROR_STYLE
    )


def make_session_wait_error(snapshot: SessionSnapshot) -> WaitingForPeopleError:
    """Make the error for an open session that waits for participants."""
    if snapshot.invited:
        names = " and ".join(snapshot.invited)
        return WaitingForPeopleError(snapshot.invited, f"Waiting for {names} to answer the invitation")
    if name := snapshot.expected_next_speaker:
        return WaitingForPeopleError([name], f"Waiting for {name} (turn {snapshot.turn_count + 1})")
    return WaitingForPeopleError([], explain_waiting(snapshot.session))


def read_input(prompt: str, terminal: Terminal) -> str:
    """Read an entry from standard input, with its line breaks; empty at the end of the input.

    On a terminal, an entry is a line or a pasted text of several paragraphs. From a pipe, it is a line.
    """
    if sys.stdin.isatty() and sys.stdout.isatty() and not terminal.view.json:
        return _read_lines_at_terminal(prompt)
    terminal.screen.show_words(prompt)
    line = sys.stdin.readline()
    terminal.screen.show_line()
    return line


def _read_lines_at_terminal(prompt: str) -> str:
    """Return a line, the lines pasted with it, and further lines while the last one ends with a backslash.

    A command is always a single line. Text typed before the prompt becomes a draft, which Enter sends.
    """
    with suppress(ImportError):  # without these modules lines come as they are typed
        import readline  # editing keys of a shell, and the history of lines

        readline.parse_and_bind("set enable-bracketed-paste on")
        draft = _read_typed_text()

        def offer_draft() -> None:
            readline.insert_text(draft)
            readline.set_startup_hook(None)

        readline.set_startup_hook(offer_draft)
    try:
        lines = [input(prompt)]
        while not lines[0].lstrip().startswith("/") and select([sys.stdin], [], [], PASTE_WINDOW)[0]:
            try:
                lines.append(input())
            except EOFError:
                break
        while lines[-1].endswith("\\"):
            lines = [*lines[:-1], lines[-1][:-1], *input("… ").split("\n")]
    except EOFError:
        return ""
    return "".join(f"{line}\n" for line in lines)


def _read_typed_text() -> str:
    """Return all unread text from the terminal, even an incomplete line. Raises `ImportError` on Windows."""
    import termios

    terminal, text = sys.stdin.fileno(), b""
    attributes = termios.tcgetattr(terminal)
    unbuffered = termios.tcgetattr(terminal)
    unbuffered[3] &= ~termios.ICANON
    termios.tcsetattr(terminal, termios.TCSANOW, unbuffered)
    try:
        while select([terminal], [], [], 0)[0] and (part := os.read(terminal, 65_536)):
            text += part
    finally:
        termios.tcsetattr(terminal, termios.TCSANOW, attributes)
    return strip_controls(text.decode("utf-8", "replace")).strip()
