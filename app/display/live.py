"""The live display on a terminal: words as they come, in the speaker's colour."""

from collections.abc import Sequence

from rich.status import Status

from ...state.rules import Rules
from ...state.statement import Participant, Statement
from ..hooks import hooks_of
from .events import AskedAgain, Doing, Ended, Event, Happened, PassedOver, Said, Spent, Words
from .pace import Pace
from .screen import QUIET, TITLE, WRONG, Screen
from .transcript import called
from .watcher import Watcher
from .wording import answer_head, asked_again, cost, doing, passed_over, say, turn_head

INSTANT = ("convene", "order", "hear", "invite", "begin", "adjourn")
"""Steps that take no time."""

STATEMENT = "statement"


class Live(Watcher):
    """Shows one run. When several speak at once, one is shown as it speaks and the others when they have finished."""

    def __init__(self, screen: Screen, pace: Pace) -> None:
        super().__init__()
        self.screen, self.pace = screen, pace
        self.turns, self.tokens = 0, 0
        self.due: dict[str, int] = {}
        self.speaking = self.unseen = ""
        self.language = "en"
        self._status: Status | None = None

    def seated(self, participants: Sequence[Participant], rules: Rules) -> None:
        hooks = hooks_of(rules.protocol)
        self.turns, self.language = hooks.turns(rules, len(participants)) or 0, rules.language
        self.unseen = "synthesis" if hooks.answer else ""
        self.screen.seat(participants)

    async def tell(self, event: Event) -> None:
        match event:
            case Doing(step, who, turn) if step not in INSTANT:
                self.due |= {who: turn} if turn else {}
                self._wait(doing(step, who, self.language))
            case Words(who, purpose, text) if self.speaking in ("", who) and purpose != self.unseen:
                await self._words(who, purpose, text)
            case AskedAgain(who, kind) if who == self.speaking:
                self._rest(asked_again(who, kind, self.language))
            case Said(statement):
                await self._said(statement)
            case Happened(line):
                self._rest()
                self.screen.line(line, QUIET)
            case PassedOver(incident):
                self._rest()
                self.screen.line(f"\n{passed_over(incident, self.language)}", WRONG)
            case Spent(_, tokens):
                self.tokens += tokens
            case Ended():
                self._rest()

    def stop(self) -> None:
        self._rest()

    async def _words(self, who: str, purpose: str, text: str) -> None:
        if not self.speaking:
            self._head(who, self.due.get(who, 0), purpose)
        self.showed.add(purpose)
        await self.pace.show(text, self.screen.words)

    async def _said(self, statement: Statement) -> None:
        if self.speaking != statement.speaker:
            self._rest()
            self._head(statement.speaker, statement.turn)
            await self.pace.show(statement.content, self.screen.words)
        self._rest(cost(statement.tokens, self.language) if statement.tokens else "")

    def _head(self, who: str, turn: int, purpose: str = STATEMENT) -> None:
        self._unwait()
        self.speaking = who
        if purpose != STATEMENT:
            self.screen.line(f"\n{answer_head(purpose, self.language)}", TITLE)
            return
        head = turn_head(called(who, self.language), turn, self.language, self.turns)
        self.screen.line(f"\n{head}", self.screen.colour(who))

    def _rest(self, remark: str = "") -> None:
        """End the words on the screen, with a remark under them."""
        self._unwait()
        if self.speaking:
            self.screen.line()
            self.speaking = ""
        if remark:
            self.screen.line(remark, QUIET)

    def _wait(self, what: str) -> None:
        self._unwait()
        if not self.speaking:
            waiting = say(self.language, "turn.waiting", step=what, tokens=f"{self.tokens:,}")
            self._status = Status(waiting, console=self.screen.console)
            self._status.start()

    def _unwait(self) -> None:
        if self._status:
            self._status.stop()
            self._status = None
