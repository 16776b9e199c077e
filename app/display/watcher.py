"""Receivers of a run's events: one that shows nothing, and one for pipes; the one for terminals is `Live`."""

from collections.abc import Sequence

from ...state.incident import Call
from ...state.rules import Rules
from ...state.statement import Participant
from ..hooks import hooks_of
from .events import Event, Happened, PassedOver, Said, Unread
from .screen import Screen
from .transcript import called, statement_lines
from .wording import passed_over


class Watcher:
    """Shows nothing. `showed`: the purposes of the answers that were shown as they came."""

    follows = False
    """Whether it shows answers word by word; where nobody does, they are asked for as a whole."""

    def __init__(self) -> None:
        self.showed: set[str] = set()

    async def tell(self, event: Event) -> None:
        """Something happened."""

    def seated(self, participants: Sequence[Participant], rules: Rules, made: Sequence[Call] = ()) -> None:
        """Learn who takes part, under which rules, and which calls were made before."""

    def stop(self) -> None:
        """Nothing more will come."""


class Lines(Watcher):
    """Shows each statement in full when it is recorded, without colours; of a panel nothing but its answer."""

    def __init__(self, screen: Screen) -> None:
        super().__init__()
        self.screen, self.answer_alone, self.language = screen, False, "en"

    def seated(self, participants: Sequence[Participant], rules: Rules, made: Sequence[Call] = ()) -> None:
        self.answer_alone, self.language = hooks_of(rules.protocol).answer is not None, rules.language

    async def tell(self, event: Event) -> None:
        match event:
            case Unread(line):
                Screen(to_stderr=True).line(line)
            case _ if self.answer_alone:
                return
            case Said(statement):
                speaker = called(statement.speaker, self.language)
                self.screen.line(statement_lines(statement.turn, speaker, statement.content))
            case Happened(line):
                self.screen.line(f"{line}\n")
            case PassedOver(incident):
                missed = passed_over(incident, self.language, "turn.line_passed_over")
                self.screen.line(f"{missed}\n")
