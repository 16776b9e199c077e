"""Bold text in streamed words, set by their Markdown marks."""

import re

from rich.text import Text

BOLD_STYLE = "bold"
_MARKS = re.compile(r"((?<!\w)\*\*|\*\*(?!\w)|\n|(?<!\S)#{1,6}(?=\s|$))")
"""Bold marks at the edge of a word, line ends, and possible heading marks."""


class EmphasisStyler:
    """Removes bold and heading marks from streamed text and styles it. Each piece holds whole words."""

    def __init__(self) -> None:
        self._bold = self._heading = False
        self._at_start = True

    def style_piece(self, text: str) -> Text:
        """Return the next piece without its marks, styled bold where they say so."""
        styled = Text()
        for part in _MARKS.split(text):
            if part == "**":
                self._bold = not self._bold
            elif part.startswith("#") and not part.strip("#") and self._at_start:
                self._heading = True
            else:
                styled.append(part, BOLD_STYLE if self._bold or self._heading else "")
                self._at_start = part == "\n" or (self._at_start and not part.strip())
                self._heading = self._heading and part != "\n"
        return styled
