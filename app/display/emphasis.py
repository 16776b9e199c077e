"""Words that come one by one, in bold where their Markdown says so."""

import re

from rich.text import Text

BOLD = "bold"
_MARKS = re.compile(r"((?<!\w)\*\*|\*\*(?!\w)|\n|(?<!\S)#{1,6}(?=\s|$))")
"""A mark of bold at the edge of a word, the end of a line, or what may begin a heading."""


class Emphasis:
    """Takes the marks of bold and of headings out of a text that comes in pieces of whole words."""

    def __init__(self) -> None:
        self._bold = self._heading = False
        self._at_start = True

    def styled(self, text: str) -> Text:
        """The next piece as it is shown."""
        shown = Text()
        for part in _MARKS.split(text):
            if part == "**":
                self._bold = not self._bold
            elif part.startswith("#") and not part.strip("#") and self._at_start:
                self._heading = True
            else:
                shown.append(part, BOLD if self._bold or self._heading else "")
                self._at_start = part == "\n" or (self._at_start and not part.strip())
                self._heading = self._heading and part != "\n"
        return shown
