"""Session at the terminal: models and the person at the keyboard speak in turn until it ends."""

import asyncio
import sys
import time
from dataclasses import dataclass
from select import select
from uuid import uuid4

from ...models.failures import RunStoppedError
from ...prompts import get_term
from ...state.session import SendError, explain_waiting
from ..display.plain_text import strip_controls
from ..display.screen import ERROR_STYLE, QUIET_STYLE, TITLE_STYLE
from ..display.terminal import Terminal
from ..display.transcript import format_statement
from ..display.wording import format_turn_heading, translate_display_phrase
from ..run.failure import RunInterruptedError, WaitingForPeople
from .async_api import AsyncSession
from .snapshot import SessionSnapshot

SESSION_POLL = 0.5
"""Seconds between two checks of a session that waits for others."""
PASTE_WINDOW = 0.1
"""Largest number of seconds between two lines of a pasted text."""

CONVERSATION_COMMANDS = "/close [reason], /back, /who, /history"


@dataclass
class Conversation:
    """Session at this terminal, with one person.

    `person`: name of the person, empty for a reader. `unsent_text`: a text that came too late. `waits_for_others`: stay
    while others are expected.
    """

    session: AsyncSession
    person: str
    terminal: Terminal
    unsent_text: str = ""
    waits_for_others: bool = False

    def run_until_end(self) -> None:
        """Run the conversation until the session ends.

        Raises `RunStoppedError` if the session waits for a participant elsewhere.
        """
        self.terminal.run = self.session.run
        try:
            self._show_opening(asyncio.run(self.session.load_snapshot()))
            snapshot = asyncio.run(self.session.advance())
            while snapshot.outcome is None:
                snapshot = self._advance(snapshot)
        except KeyboardInterrupt:
            self.terminal.screen.show_line()
            raise RunInterruptedError("stopped") from None
        finally:
            if self.unsent_text:
                self.terminal.screen.show_line(
                    translate_display_phrase(
                        self.terminal.language, "table.not_sent", text=strip_controls(self.unsent_text)
                    ),
                    ERROR_STYLE,
                )
        self.terminal.run = ""

    def _show_opening(self, snapshot: SessionSnapshot) -> None:
        """Show the commands and, to a returning person, the current turn and the new statements."""
        language, is_shown = self.terminal.language, self.person and self.terminal.shows_run
        if is_shown and snapshot.history:
            last_turn = max(
                (statement.turn for statement in snapshot.history if statement.speaker == self.person), default=0
            )
            last_turn_text = translate_display_phrase(
                language, "table.spoke_last" if last_turn else "table.not_spoken", turn=last_turn
            )
            self.terminal.screen.show_line(
                translate_display_phrase(language, "table.recap", turns=snapshot.turn_count, last=last_turn_text),
                QUIET_STYLE,
            )
        if is_shown and sys.stdin.isatty():
            self.terminal.screen.show_line(
                translate_display_phrase(language, "table.commands", commands=CONVERSATION_COMMANDS), QUIET_STYLE
            )
        self._show_new_statements(snapshot)

    def _advance(self, snapshot: SessionSnapshot) -> SessionSnapshot:
        """Take the next step of the session and return its snapshot."""
        if self.person in snapshot.invited:
            return asyncio.run(self.session.answer_invitation(self.person))
        if not self.person or snapshot.invited or not self._can_act(snapshot):
            if not self.waits_for_others:
                raise make_session_wait_error(snapshot)
            time.sleep(SESSION_POLL)
            self._show_new_statements(snapshot)
            return asyncio.run(self.session.advance())
        try:
            return self._handle_line(self._read_line(snapshot), snapshot)
        except SendError as error:
            self.terminal.screen.show_line(str(error), ERROR_STYLE)
            return asyncio.run(self.session.advance())

    def _show_new_statements(self, snapshot: SessionSnapshot) -> None:
        """Show the statements since this person's last statement that this terminal has not shown yet."""
        last_turn = max(
            (statement.turn for statement in snapshot.history if statement.speaker == self.person), default=0
        )
        for statement in snapshot.history if self.person and self.terminal.shows_run else []:
            if statement.turn > last_turn and statement.turn not in self.terminal.shown_turns:
                self.terminal.screen.show_line(format_statement(statement.turn, statement.speaker, statement.content))
                self.terminal.shown_turns.add(statement.turn)

    def _can_act(self, snapshot: SessionSnapshot) -> bool:
        return snapshot.can_send(self.person) or self.person in snapshot.hidden

    def _read_line(self, snapshot: SessionSnapshot) -> str:
        """Read the next line. Raises `RunStoppedError` at the end of the input."""
        self._show_new_statements(snapshot)
        language = self.terminal.language
        prompt = f"{format_turn_heading(self.person, snapshot.turn_count + 1, language)}> "
        if not snapshot.can_send(self.person):
            self.terminal.screen.show_line(translate_display_phrase(language, "table.come_back"), ERROR_STYLE)
        elif self.unsent_text:
            self.terminal.screen.show_line(
                translate_display_phrase(language, "table.unsent", text=strip_controls(self.unsent_text)), ERROR_STYLE
            )
        if line := read_input(prompt, self.terminal):
            return line
        raise make_session_wait_error(snapshot)

    def _handle_line(self, line: str, snapshot: SessionSnapshot) -> SessionSnapshot:
        """Handle a line: a command, or the text of this turn."""
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
                    self.terminal.screen.show_line(
                        format_statement(statement.turn, statement.speaker, statement.content)
                    )
            case _ if command.startswith("/"):
                self.terminal.screen.show_line(
                    f"{command} is no command; there are {CONVERSATION_COMMANDS}", ERROR_STYLE
                )
            case _:
                self._send_text(
                    line if line.strip() or not self.unsent_text else self.unsent_text, snapshot.turn_count + 1
                )
        return asyncio.run(self.session.load_snapshot())

    def _send_text(self, text: str, turn: int) -> None:
        """Send a text. If it is refused, keep it to offer it again."""
        self.unsent_text, message_id = text.strip(), uuid4().hex
        try:
            asyncio.run(self.session.send(self.person, text, id=message_id, turn=turn))
        except RunStoppedError:
            if asyncio.run(self.session.load_snapshot()).find_sent_statement(self.person, text, message_id):
                self.unsent_text = ""
            raise
        self.unsent_text = ""

    def _show_participants(self, snapshot: SessionSnapshot) -> None:
        language, comma = self.terminal.language, get_term(self.terminal.language, "lists", "comma")
        for name in snapshot.participant_order:
            marks = comma.join(
                translate_display_phrase(language, f"table.{mark}")
                for mark, is_set in self._get_marks(name, snapshot).items()
                if is_set
            )
            line = translate_display_phrase(language, "table.marked", name=name, marks=marks) if marks else name
            self.terminal.screen.show_line(line, TITLE_STYLE if marks else QUIET_STYLE)

    def _get_marks(self, name: str, snapshot: SessionSnapshot) -> dict[str, bool]:
        return {
            "you": name == self.person,
            "next": name == snapshot.expected_next_speaker,
            "hidden": name in snapshot.hidden,
        }


def make_session_wait_error(snapshot: SessionSnapshot) -> WaitingForPeople:
    """Make the error of an open session that waits for participants."""
    expected = [snapshot.expected_next_speaker] if snapshot.expected_next_speaker else []
    return WaitingForPeople(snapshot.invited or expected, describe_session_wait(snapshot))


def describe_session_wait(snapshot: SessionSnapshot) -> str:
    """Describe in one line the participants that an open session waits for."""
    if snapshot.invited:
        return f"waiting for {' and '.join(snapshot.invited)} to answer the invitation"
    if snapshot.expected_next_speaker:
        return f"waiting for {snapshot.expected_next_speaker} (turn {snapshot.turn_count + 1})"
    return explain_waiting(snapshot.session)


def read_input(prompt: str, terminal: Terminal) -> str:
    """Read an entry from standard input, with its line ends. Empty at the end of the input.

    On a terminal an entry is a line, or a pasted text of several paragraphs. From a pipe it is a line.
    """
    if sys.stdin.isatty() and sys.stdout.isatty() and not terminal.view.json:
        enable_line_editing()
        try:
            return "".join(f"{line}\n" for line in _read_continued_lines(_read_pasted_lines(input(prompt))))
        except EOFError:
            return ""
    terminal.screen.show_words(prompt)
    line = sys.stdin.readline()
    terminal.screen.show_line()
    return line


def enable_line_editing() -> None:
    """Enable the editing keys of a shell, the history of lines, and the paste of several lines."""
    try:
        import readline
    except ImportError:  # this Python was built without it; lines come as they are typed
        return
    readline.parse_and_bind("set enable-bracketed-paste on")


def _read_continued_lines(lines: list[str]) -> list[str]:
    """Read further lines while the last one ends with a backslash."""
    while lines[-1].endswith("\\"):
        lines = [*lines[:-1], lines[-1][:-1], *input("… ").split("\n")]
    return lines


def _read_pasted_lines(first_line: str) -> list[str]:
    """Read the lines that were pasted together with a first line. A command is always a single line."""
    lines = [first_line]
    while not first_line.lstrip().startswith("/") and select([sys.stdin], [], [], PASTE_WINDOW)[0]:
        try:
            lines.append(input())
        except EOFError:
            break
    return lines
