"""A seat at the terminal: a person joins a run by name, reads what was said since, and answers what is asked."""

import asyncio
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...nodes.asking.outside import PASS
from ...nodes.clock import now
from ...prompts import listed
from ...state.refused import Refused
from ...state.statement import Participant
from ..display.announcement import announce_resumed
from ..display.ending import show_ending
from ..display.plain import plain
from ..display.screen import QUIET, TITLE, WRONG
from ..display.terminal import Terminal
from ..display.transcript import statement_lines
from ..display.wording import answer_head, say, turn_head
from ..failure import Interrupted, Waits
from ..options import View
from ..run import run_shown
from ..saved import Saved, checked, ended_alone, load, opened
from ..saved.lock_holder import Held
from ..session.conversation import typed
from ..session.join import seat_of
from ..session.locked import Drive
from .answering import NotAsked, aanswer, ago_on
from .forms import Form
from .waiting import Waiting, overdue, seen, told, waiting, waits_for

PAUSE = 0.5
"""Seconds between two looks at a run that waits for somebody else."""
BRIEFLY = 2.0
"""Seconds to wait for a run that another process runs before that is said."""


class Passed(Exception):
    """Whoever is asked lets the question pass."""


class Left(Exception):
    """Nothing more is entered."""


def join(run: str, person: str, view: View, wait: bool) -> None:
    """Take the seat of `person` in a saved run that is no session; `wait`: also while others are asked."""
    terminal = Terminal(view)
    with terminal.resumable():
        saved = asyncio.run(_found(run, terminal))
        before, me = saved.finished and not ended_alone(saved), seat_of(person, seats(saved))
        if not before:
            announce_resumed(terminal, saved)
            saved = Seat(run, me, terminal, wait).go()
    show_ending(terminal, saved, before=before)


def seats(saved: Saved) -> Sequence[Participant]:
    """Who takes part. Raises `Refused` where its first step was never saved."""
    if not saved.begun:
        raise Refused("run", saved.run.run, "it was stopped before its first step was saved; begin it anew")
    found: Sequence[Participant] = saved.state["participants"]
    return found


async def _found(run: str, terminal: Terminal) -> Saved:
    async with opened(terminal.view.db, create=False) as store:
        saved = await load(store, checked(run))
        terminal.run, terminal.place = run, terminal.view.db and store.where
        return saved


@dataclass
class Seat:
    """The seat of `me` in a run. `unsent`: a text of theirs that came too late; `shown`: the turns shown so far."""

    run: str
    me: str
    terminal: Terminal
    wait: bool
    unsent: str = ""
    shown: set[int] | None = None
    told: set[str] = field(default_factory=set)

    def go(self) -> Saved:
        """Answer what is asked until the run is over. Raises `Waits` where it needs somebody else first."""
        try:
            self._go_on(patience=BRIEFLY)
            while not (saved := self._load()).finished:
                self._catch_up(saved)
                mine = next((one for one in waiting(saved) if one["who"] == self.me), None)
                if mine:
                    self._answer(mine)
                elif self.wait:
                    self._follow(saved)
                else:
                    raise waits_for(waiting(saved))
            self._catch_up(saved)
            self.terminal.run = ""
            return saved
        except KeyboardInterrupt:
            self.terminal.screen.line()
            raise Interrupted("stopped") from None
        finally:
            if self.unsent:
                self.terminal.screen.line(self._say("table.not_sent", text=plain(self.unsent)), WRONG)

    def _load(self) -> Saved:
        async def loaded() -> Saved:
            async with opened(self.terminal.view.db, create=False) as store:
                return await load(store, self.run)

        return asyncio.run(loaded())

    def _catch_up(self, saved: Saved) -> None:
        """Show what this seat may see of what was said, and what everyone was told, from when its holder last spoke."""
        statements, notices = seen(saved, self.me), told(saved)
        if self.shown is None:
            last = max((one.turn for one in statements if one.speaker == self.me), default=0)
            self.shown = {one.turn for one in statements if one.turn <= last}
            self.told |= {one.text for one in notices if one.turn < last}
        said = [one for one in statements if one.turn not in self.shown and one.speaker != self.me]
        news = [(one.turn, statement_lines(one.turn, one.speaker, one.content)) for one in said]
        heard = [one for one in notices if one.text not in self.told]
        news += [(one.turn, self._say("seat.told", text=plain(one.text))) for one in heard]
        self.shown |= {one.turn for one in statements}
        self.told |= {one.text for one in heard}
        for _, lines in sorted(news, key=lambda one: one[0]) if self.terminal.shows else []:
            self.terminal.screen.line(lines)

    def _answer(self, one: Waiting) -> None:
        """Put the question, and enter what is answered; a text that comes too late is kept."""
        self._tell(one)
        try:
            value: Any = self._filled(one) if one["schema"] else self._text(one)
        except Passed:
            value = {PASS: True}
        except Left:
            raise Waits([self.me]) from None
        self.unsent = value if isinstance(value, str) else self.unsent
        try:
            self._enter(one, value)
        except NotAsked as late:
            self.terminal.screen.line(str(late), WRONG)
            return
        self.unsent = "" if isinstance(value, str) else self.unsent

    def _tell(self, one: Waiting) -> None:
        """Show what is asked, what only this seat is told, and until when."""
        language, line = one["language"], self.terminal.screen.line
        head = turn_head(self.me, one["turn"], language) if one["purpose"] == "statement" else None
        line(head or f"{self.me}: {answer_head(one['purpose'], language)}", TITLE)
        for key in ("private", "memory"):
            if one[key] and one[key] not in self.told:
                line(say(language, f"seat.{key}", text=plain(one[key])))
                self.told.add(one[key])
        line(plain(one["words"]))
        if one["deadline"]:
            line(say(language, "seat.until", deadline=one["deadline"]), QUIET)
        if sys.stdin.isatty():
            line(say(language, "seat.how"), QUIET)
        if one["fault"]:
            told = {"attempt": one["attempt"], "attempts": one["attempts"]}
            line(say(language, "seat.wrong", fault=plain(one["fault"]), **told), WRONG)

    def _text(self, one: Waiting) -> str:
        if self.unsent:
            self.terminal.screen.line(self._say("table.unsent", text=plain(self.unsent)), WRONG)
        text = self._entered(f"{self.me}> ", one)
        return (text if text.strip() or not self.unsent else self.unsent).strip()

    def _filled(self, one: Waiting) -> dict[str, Any]:
        assert one["schema"] is not None
        form = Form(one["schema"], one["language"], lambda prompt: self._entered(prompt, one), self._line)
        return form.filled()

    def _line(self, text: str) -> None:
        self.terminal.screen.line(plain(text))

    def _entered(self, prompt: str, one: Waiting) -> str:
        """What is entered next; a command is done first. Raises `Passed`, and `Left` at the end of the input."""
        while text := typed(prompt, self.terminal):
            if text.strip() == "/pass":
                raise Passed
            if text.strip() != "/rules":
                return text
            self._line(one["rules"])
        raise Left

    def _enter(self, one: Waiting, value: Any) -> None:
        """Enter an answer, as soon as no other process runs the run."""
        entering = (self.run, one["id"], self.me, value)
        db, drive = self.terminal.view.db, self._unseen()
        try:
            asyncio.run(aanswer(*entering, db=db, drive=drive, patience=BRIEFLY))
        except Held as busy:
            self.terminal.note(str(busy), QUIET)
            asyncio.run(aanswer(*entering, db=db, drive=drive))

    def _go_on(self, patience: float) -> None:
        """Go on with the run until somebody is needed, unless another process does so already."""
        try:
            asyncio.run(ago_on(self.run, db=self.terminal.view.db, drive=self._unseen(), patience=patience))
        except Held:
            if not self.wait:
                raise

    def _follow(self, saved: Saved) -> None:
        """Wait for what others do; what nobody does, and what time has brought, is done from here."""
        people = [one["who"] for one in waiting(saved)]
        if said := listed(self.terminal.language, people):
            self._once(self._say("seat.follow", who=said))
        if not people or overdue(saved, now()):
            self._go_on(patience=0)
        time.sleep(PAUSE)

    def _once(self, line: str) -> None:
        if line not in self.told and self.terminal.shows:
            self.terminal.screen.line(line, QUIET)
            self.told.add(line)

    def _unseen(self) -> Drive:
        """Runs the run without showing what this seat may not see yet."""
        silent = Terminal(replace(self.terminal.view, quiet=True))

        async def drive(store: Any, run: str, given: Any) -> None:
            await run_shown(store, run, given, silent)

        return drive

    def _say(self, key: str, **values: object) -> str:
        return say(self.terminal.language, key, **values)
