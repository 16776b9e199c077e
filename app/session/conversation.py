"""A session at the terminal: models and the person who types speak in turn until it ends."""

import asyncio
import sys
import time
from dataclasses import dataclass
from select import select
from uuid import uuid4

from ...nodes.models.failures import Stopped
from ...prompts import term
from ...state.session import SendRefused, waits_for
from ..display.plain import plain
from ..display.screen import QUIET, TITLE, WRONG
from ..display.terminal import Terminal
from ..display.transcript import statement_lines
from ..display.wording import say, turn_head
from ..failure import Interrupted, Waits
from .asynchronous import AsyncSession
from .snapshot import Snapshot

PAUSE = 0.5
"""Seconds between two looks at a session that waits for somebody else."""
AT_ONCE = 0.1
"""Seconds within which the lines of a text that is pasted follow one another."""

COMMANDS = "/close [reason], /back, /who, /history"


@dataclass
class Conversation:
    """One session and the person at this terminal; `me`: their name, empty if nobody takes part from here.

    `unsent`: a text of theirs that came too late. `wait`: whether to stay while others are expected.
    """

    session: AsyncSession
    me: str
    terminal: Terminal
    unsent: str = ""
    wait: bool = False

    def go(self) -> None:
        """Talk until the session ends. Raises `Stopped` when it waits for somebody who is not here."""
        self.terminal.run = self.session.run
        try:
            self._begin(asyncio.run(self.session.snapshot()))
            snapshot = asyncio.run(self.session.tick())
            while snapshot.outcome is None:
                snapshot = self._next(snapshot)
        except KeyboardInterrupt:
            self.terminal.screen.line()
            raise Interrupted("stopped") from None
        finally:
            if self.unsent:
                self.terminal.screen.line(say(self.terminal.language, "table.not_sent", text=plain(self.unsent)), WRONG)
        self.terminal.run = ""

    def _begin(self, snapshot: Snapshot) -> None:
        """Say what can be typed, and, to whoever comes back, where it stands and what was said since."""
        language, shows = self.terminal.language, self.me and self.terminal.shows
        if shows and snapshot.history:
            mine = max((one.turn for one in snapshot.history if one.speaker == self.me), default=0)
            last = say(language, "table.spoke_last" if mine else "table.not_spoken", turn=mine)
            self.terminal.screen.line(say(language, "table.recap", turns=snapshot.turn_count, last=last), QUIET)
        if shows and sys.stdin.isatty():
            self.terminal.screen.line(say(language, "table.commands", commands=COMMANDS), QUIET)
        self._catch_up(snapshot)

    def _next(self, snapshot: Snapshot) -> Snapshot:
        """Do what the session waits for."""
        if self.me in snapshot.invited:
            return asyncio.run(self.session.answer(self.me))
        if not self.me or snapshot.invited or not self._can_act(snapshot):
            if not self.wait:
                raise waits(snapshot)
            time.sleep(PAUSE)
            self._catch_up(snapshot)
            return asyncio.run(self.session.tick())
        try:
            return self._said(self._line(snapshot), snapshot)
        except SendRefused as refusal:
            self.terminal.screen.line(str(refusal), WRONG)
            return asyncio.run(self.session.tick())

    def _catch_up(self, snapshot: Snapshot) -> None:
        """Show what others said since whoever sits here spoke last, as far as it was not shown as it came."""
        mine = max((one.turn for one in snapshot.history if one.speaker == self.me), default=0)
        for one in snapshot.history if self.me and self.terminal.shows else []:
            if one.turn > mine and one.turn not in self.terminal.told:
                self.terminal.screen.line(statement_lines(one.turn, one.speaker, one.content))
                self.terminal.told.add(one.turn)

    def _can_act(self, snapshot: Snapshot) -> bool:
        return snapshot.can_send(self.me) or self.me in snapshot.hidden

    def _line(self, snapshot: Snapshot) -> str:
        """What is typed next. Raises `Stopped` at the end of the input."""
        self._catch_up(snapshot)
        language = self.terminal.language
        prompt = f"{turn_head(self.me, snapshot.turn_count + 1, language)}> "
        if not snapshot.can_send(self.me):
            self.terminal.screen.line(say(language, "table.come_back"), WRONG)
        elif self.unsent:
            self.terminal.screen.line(say(language, "table.unsent", text=plain(self.unsent)), WRONG)
        if line := typed(prompt, self.terminal):
            return line
        raise waits(snapshot)

    def _said(self, line: str, snapshot: Snapshot) -> Snapshot:
        """Act on a line: a command, or the text of this turn."""
        word, _, rest = line.strip().partition(" ")
        match word:
            case "/close":
                return asyncio.run(self.session.close(self.me, rest.strip()))
            case "/back":
                return asyncio.run(self.session.restore(self.me))
            case "/who":
                self._who(snapshot)
            case "/history":
                for one in snapshot.history:
                    self.terminal.screen.line(statement_lines(one.turn, one.speaker, one.content))
            case _ if word.startswith("/"):
                self.terminal.screen.line(f"{word} is no command; there are {COMMANDS}", WRONG)
            case _:
                self._send(line if line.strip() or not self.unsent else self.unsent, snapshot.turn_count + 1)
        return asyncio.run(self.session.snapshot())

    def _send(self, text: str, turn: int) -> None:
        """Send a text; one that is not taken is kept, to be offered again."""
        self.unsent, message = text.strip(), uuid4().hex
        try:
            asyncio.run(self.session.send(self.me, text, id=message, turn=turn))
        except Stopped:
            if asyncio.run(self.session.snapshot()).sent_before(self.me, text, message):
                self.unsent = ""
            raise
        self.unsent = ""

    def _who(self, snapshot: Snapshot) -> None:
        language, comma = self.terminal.language, term(self.terminal.language, "lists", "comma")
        for name in snapshot.participant_order:
            marks = comma.join(
                say(language, f"table.{mark}") for mark, here in self._marks(name, snapshot).items() if here
            )
            line = say(language, "table.marked", name=name, marks=marks) if marks else name
            self.terminal.screen.line(line, TITLE if marks else QUIET)

    def _marks(self, name: str, snapshot: Snapshot) -> dict[str, bool]:
        return {
            "you": name == self.me,
            "next": name == snapshot.expected_next_speaker,
            "hidden": name in snapshot.hidden,
        }


def waits(snapshot: Snapshot) -> Waits:
    """That an open session waits, and for whom."""
    expected = [snapshot.expected_next_speaker] if snapshot.expected_next_speaker else []
    return Waits(snapshot.invited or expected, waiting_for(snapshot))


def waiting_for(snapshot: Snapshot) -> str:
    """Whom an open session waits for, in a line."""
    if snapshot.invited:
        return f"waiting for {' and '.join(snapshot.invited)} to answer the invitation"
    if snapshot.expected_next_speaker:
        return f"waiting for {snapshot.expected_next_speaker} (turn {snapshot.turn_count + 1})"
    return waits_for(snapshot.session)


def typed(prompt: str, terminal: Terminal) -> str:
    """What is entered on standard input, ends of lines included; empty at the end of the input.

    On a terminal that is a line, or a text of several paragraphs that was pasted; from a pipe, a line.
    """
    if sys.stdin.isatty() and sys.stdout.isatty() and not terminal.view.json:
        edit_lines()
        try:
            return "".join(f"{line}\n" for line in _continued(_pasted(input(prompt))))
        except EOFError:
            return ""
    terminal.screen.words(prompt)
    line = sys.stdin.readline()
    terminal.screen.line()
    return line


def edit_lines() -> None:
    """Have lines edited with the keys a shell has, those before brought back, and a paste taken as one text."""
    try:
        import readline
    except ImportError:  # this Python was built without it; lines come as they are typed
        return
    readline.parse_and_bind("set enable-bracketed-paste on")


def _continued(lines: list[str]) -> list[str]:
    """The lines, and those that follow while the last one ends with a backslash."""
    while lines[-1].endswith("\\"):
        lines = [*lines[:-1], lines[-1][:-1], *input("… ").split("\n")]
    return lines


def _pasted(first: str) -> list[str]:
    """A line and those that came with it; a command stands alone."""
    lines = [first]
    while not first.lstrip().startswith("/") and select([sys.stdin], [], [], AT_ONCE)[0]:
        try:
            lines.append(input())
        except EOFError:
            break
    return lines
