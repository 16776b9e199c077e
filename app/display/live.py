"""The live display on a terminal: words as they come, in the speaker's colour."""

from collections.abc import Callable, Sequence
from time import monotonic

from rich.status import Status
from rich.text import Text

from ...state.incident import Call, total_tokens
from ...state.rules import Rules
from ...state.settings import Prices
from ...state.statement import Participant, Statement
from ..hooks import hooks_of
from .events import AskedAgain, Doing, Ended, Event, Happened, PassedOver, Said, Spent, Words
from .pace import Pace
from .plain import plain
from .screen import QUIET, TITLE, WRONG, Screen
from .transcript import called
from .watcher import Watcher
from .wording import amount, answer_head, asked_again, cost, doing, passed_over, say, turn_head

INSTANT = ("convene", "order", "hear", "invite", "begin", "adjourn")
"""Steps that take no time."""

STATEMENT = "statement"


class Standing:
    """A text that is made anew each time it is shown, so that time goes on in it."""

    def __init__(self, made: Callable[[], str]) -> None:
        self._made = made

    def __rich__(self) -> Text:
        return Text(plain(self._made()), no_wrap=True, overflow="ellipsis")


def elapsed(seconds: float) -> str:
    """`0:42`, `1:02:07`."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class Live(Watcher):
    """Shows one run. When several speak at once, one is shown as it speaks and the others when they have finished."""

    follows = True

    def __init__(self, screen: Screen, pace: Pace, clock: Callable[[], float] = monotonic) -> None:
        super().__init__()
        self.screen, self.pace = screen, pace
        self.turns, self.turn, self.tokens = 0, 0, 0
        self.made: list[Call] = []
        self.prices: Prices | None = None
        self._clock, self._began = clock, clock()
        self.due: dict[str, int] = {}
        self.speaking = self.unseen = ""
        self.language = "en"
        self._status: Status | None = None

    def seated(self, participants: Sequence[Participant], rules: Rules, made: Sequence[Call] = ()) -> None:
        self.prices, self.made, self.tokens = rules.prices, list(made), total_tokens(made)
        hooks = hooks_of(rules.protocol)
        self.turns, self.language = hooks.turns(rules, len(participants)) or 0, rules.language
        self.unseen = "synthesis" if hooks.answer else ""
        self.screen.seat(participants)

    async def tell(self, event: Event) -> None:
        match event:
            case Doing(step, who, turn) if step not in INSTANT:
                self.due |= {who: turn} if turn else {}
                self.turn = max(self.turn, turn)
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
            case Spent(_, tokens, made):
                self.tokens += tokens
                self.made += made
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
            self._status = Status(Standing(lambda: self._standing(what)), console=self.screen.console)
            self._status.start()

    def _standing(self, what: str) -> str:
        """What is done now, at which turn, and what it has taken so far."""
        turn = f"{self.turn}/{self.turns}" if self.turns else str(self.turn)
        money = self.prices.cost(self.made) if self.prices else None
        parts = [
            what,
            say(self.language, "turn.at", turn=turn) if self.turn else "",
            say(self.language, "turn.tokens", tokens=f"{self.tokens:,}"),
            amount(money, self.prices) if money is not None and self.prices else "",
            elapsed(self._clock() - self._began),
        ]
        return " · ".join(filter(None, parts))

    def _unwait(self) -> None:
        if self._status:
            self._status.stop()
            self._status = None
