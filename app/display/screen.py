"""Standard output: colored on a terminal, plain in a pipe, never with control characters."""

import re
import sys
from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ...state import Participant
from .plain_text import StreamWrapper, strip_controls

NAME_COLOURS = ["cyan", "magenta", "green", "yellow", "blue", "red"]
LABEL_STYLE, TITLE_STYLE, QUIET_STYLE, ERROR_STYLE = "bold yellow", "bold", "dim", "red"


class Screen:
    """Standard output or standard error, without markup and control characters.

    Statements are wrapped and indented.
    """

    def __init__(self, *, no_color: bool = False, to_stderr: bool = False) -> None:
        file = sys.stderr if to_stderr else sys.stdout
        self.console = Console(file=file, no_color=no_color or None, markup=False, emoji=False, highlight=False)
        self._colours: dict[str, str] = {}
        self._wrapper: StreamWrapper | None = None
        self._emphasis = EmphasisStyler()

    @property
    def is_terminal(self) -> bool:
        """Return whether the output is a terminal."""
        return self.console.is_terminal

    def show_line(self, text: str = "", style: str = "") -> None:
        """Print one or more lines. If a line of streamed words is unfinished, end it first."""
        self._print_fragment(self._wrapper.flush_text() if self._wrapper else "")
        self._wrapper, self._emphasis = None, EmphasisStyler()
        self.console.print(Text(strip_controls(text), style), soft_wrap=True)

    def show_words(self, text: str) -> None:
        """Print streamed words, and leave the line unfinished."""
        self._wrapper = self._wrapper or StreamWrapper(self.console.width)
        self._print_fragment(self._wrapper.add_fragment(strip_controls(text)))

    def show_prose(self, text: str, style: str = "") -> None:
        """Print a text on its own lines. A terminal wraps it between words."""
        self.console.print(Text(strip_controls(text), style), soft_wrap=not self.is_terminal)

    def show_markdown(self, text: str, inset: int = 0) -> None:
        """Print a text on its own lines, as formatted Markdown on a terminal, unchanged in a pipe.

        `inset`: columns by which a terminal indents it.
        """
        if self.is_terminal:
            from rich.markdown import Markdown  # slow to load

            self.console.print(Padding(Markdown(strip_controls(text), hyperlinks=False), (0, 0, 0, inset)))
        else:
            self.show_prose(text)

    def _print_fragment(self, text: str) -> None:
        fragment = self._emphasis.style_fragment(text) if self.is_terminal else Text(text)
        self.console.print(fragment, soft_wrap=True, end="")

    def assign_colours(self, participants: Sequence[Participant]) -> None:
        """Choose a color for the name of each participant."""
        self._colours = {
            participant.name: NAME_COLOURS[seat % len(NAME_COLOURS)] for seat, participant in enumerate(participants)
        }

    def get_name_style(self, name: str) -> str:
        """Return the terminal style of a participant's name."""
        return f"bold {self._colours.get(name, 'white')}"


_EMPHASIS_MARKS = re.compile(r"((?<!\w)\*\*|\*\*(?!\w)|\n|(?<!\S)#{1,6}(?=\s|$))")
"""Pattern of bold marks at the edge of a word, line ends, and possible heading marks."""


class EmphasisStyler:
    """Formatter that turns Markdown bold and headings of streamed text into terminal styles.

    Pass it complete words.
    """

    def __init__(self) -> None:
        self._is_bold = self._is_heading = False
        self._is_line_start = True

    def style_fragment(self, text: str) -> Text:
        """Return the next piece of text without Markdown marks, with bold text and headings styled."""
        styled_text = Text()
        for fragment in _EMPHASIS_MARKS.split(text):
            if fragment == "**":
                self._is_bold = not self._is_bold
            elif fragment.startswith("#") and not fragment.strip("#") and self._is_line_start:
                self._is_heading = True
            else:
                styled_text.append(fragment, TITLE_STYLE if self._is_bold or self._is_heading else "")
                self._is_line_start = fragment == "\n" or (self._is_line_start and not fragment.strip())
                self._is_heading = self._is_heading and fragment != "\n"
        return styled_text
