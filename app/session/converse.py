"""A conversation at the terminal: the models speak, then whoever sits here, as long as the session goes on."""

import asyncio
import sys
from dataclasses import dataclass

from ...nodes.models.failures import Stopped
from ...prompts import term
from ...state.session import Refusal, waits_for
from ..commands.running import Session as Showing
from ..display.screen import QUIET, TITLE, WRONG
from ..display.transcript import statement_lines
from ..display.wording import say, turn_head
from ..failure import Interrupted
from .asynchronous import AsyncSession
from .snapshot import Look

COMMANDS = "/close [reason], /back, /who, /history"


@dataclass
class Talk:
    """One session and whoever sits here; `me` is empty if nobody does."""

    session: AsyncSession
    me: str
    showing: Showing

    def go(self) -> None:
        """Talk until the session ends. Raises `Stopped` when it waits for somebody who is not here."""
        self.showing.run = self.session.run
        try:
            look = asyncio.run(self.session.tick())
            while look.outcome is None:
                look = self._next(look)
        except KeyboardInterrupt:
            self.showing.screen.line()
            raise Interrupted("stopped") from None
        self.showing.run = ""

    def _next(self, look: Look) -> Look:
        """Do what the session waits for."""
        if self.me in look.invited:
            return asyncio.run(self.session.answer(self.me))
        if not self.me or look.invited or not self._can_act(look):
            raise Stopped(waiting_for(look))
        try:
            return self._said(self._line(look), look)
        except Refusal as refusal:
            self.showing.screen.line(str(refusal), WRONG)
            return asyncio.run(self.session.tick())

    def _can_act(self, look: Look) -> bool:
        return look.can_send(self.me) or self.me in look.hidden

    def _line(self, look: Look) -> str:
        """What is typed next. The end of the input means that nobody sits here any more."""
        language = self.showing.language
        prompt = f"{turn_head(self.me, look.turn_count + 1, language)}> "
        if not look.can_send(self.me):
            self.showing.screen.line(say(language, "table.come_back"), WRONG)
        if line := typed(prompt, self.showing):
            return line
        raise Stopped(waiting_for(look))

    def _said(self, line: str, look: Look) -> Look:
        """Act on a line: a command, or the text of this turn."""
        word, _, rest = line.strip().partition(" ")
        match word:
            case "/close":
                return asyncio.run(self.session.close(self.me, rest.strip()))
            case "/back":
                return asyncio.run(self.session.restore(self.me))
            case "/who":
                self._who(look)
            case "/history":
                for one in look.history:
                    self.showing.screen.line(statement_lines(one.turn, one.speaker, one.content))
            case _ if word.startswith("/"):
                self.showing.screen.line(f"{word} is no command; there are {COMMANDS}", WRONG)
            case _:
                asyncio.run(self.session.send(self.me, line, turn=look.turn_count + 1))
        return asyncio.run(self.session.look())

    def _who(self, look: Look) -> None:
        language, comma = self.showing.language, term(self.showing.language, "lists", "comma")
        for name in look.participant_order:
            marks = comma.join(say(language, f"table.{mark}") for mark, here in self._marks(name, look).items() if here)
            line = say(language, "table.marked", name=name, marks=marks) if marks else name
            self.showing.screen.line(line, TITLE if marks else QUIET)

    def _marks(self, name: str, look: Look) -> dict[str, bool]:
        return {
            "you": name == self.me,
            "next": name == look.expected_next_speaker,
            "hidden": name in look.hidden,
        }


def waiting_for(look: Look) -> str:
    """Whom an open session waits for, in a line."""
    if look.invited:
        return f"waiting for {' and '.join(look.invited)} to answer the invitation"
    if look.expected_next_speaker:
        return f"waiting for {look.expected_next_speaker} (turn {look.turn_count + 1})"
    return waits_for(look.session)


def typed(prompt: str, showing: Showing) -> str:
    """A line from standard input, its end of line included; empty at the end of the input."""
    if sys.stdin.isatty() and sys.stdout.isatty() and not showing.view.json:
        try:
            return f"{input(prompt)}\n"
        except EOFError:
            return ""
    showing.screen.words(prompt)
    line = sys.stdin.readline()
    showing.screen.line()
    return line
