"""Writes text to standard output: in colour on a terminal, plain in a pipe, always without control characters."""

import sys
from collections.abc import Sequence

from rich.console import Console
from rich.markdown import Markdown
from rich.padding import Padding
from rich.text import Text

from ...state.statement import Participant
from .emphasis import Emphasis
from .plain import plain
from .wrapping import Wrapper

COLOURS = ["cyan", "magenta", "green", "yellow", "blue", "red"]
LABEL, TITLE, QUIET, WRONG = "bold yellow", "bold", "dim", "red"


class Screen:
    """Writes text without interpreting markup and without control characters; statements are wrapped and set in."""

    def __init__(self, *, no_color: bool = False, to_stderr: bool = False) -> None:
        file = sys.stderr if to_stderr else sys.stdout
        self.console = Console(file=file, no_color=no_color or None, markup=False, emoji=False, highlight=False)
        self._colours: dict[str, str] = {}
        self._column: Wrapper | None = None
        self._emphasis = Emphasis()

    @property
    def live(self) -> bool:
        """Whether the output is a terminal."""
        return self.console.is_terminal

    def line(self, text: str = "", style: str = "") -> None:
        """Show one or more lines; a line of words that is still open is ended first."""
        self._put(self._column.end() if self._column else "")
        self._column, self._emphasis = None, Emphasis()
        self.console.print(Text(plain(text), style), soft_wrap=True)

    def words(self, text: str) -> None:
        """Show some words without ending the line."""
        self._column = self._column or Wrapper(self.console.width)
        self._put(self._column.put(plain(text)))

    def prose(self, text: str, style: str = "") -> None:
        """Show a text on lines of its own; on a terminal they end between words."""
        self.console.print(Text(plain(text), style), soft_wrap=not self.live)

    def markdown(self, text: str, inset: int = 0) -> None:
        """Show a text on lines of its own: on a terminal as its Markdown means it, else as it stands."""
        if self.live:
            self.console.print(Padding(Markdown(plain(text), hyperlinks=False), (0, 0, 0, inset)))
        else:
            self.prose(text)

    def _put(self, text: str) -> None:
        shown = self._emphasis.styled(text) if self.live else Text(text)
        self.console.print(shown, soft_wrap=True, end="")

    def seat(self, participants: Sequence[Participant]) -> None:
        """Give each participant a colour."""
        self._colours = {one.name: COLOURS[seat % len(COLOURS)] for seat, one in enumerate(participants)}

    def colour(self, name: str) -> str:
        """The style of a participant's name."""
        return f"bold {self._colours.get(name, 'white')}"
