"""Bold text in streamed words, set by their Markdown marks."""

import re

from rich.text import Text

BOLD_STYLE = "bold"
_MARKS = re.compile(r"((?<!\w)\*\*|\*\*(?!\w)|\n|(?<!\S)#{1,6}(?=\s|$))")
"""Bold marks at the edge of a word, line ends, and possible heading marks."""


class EmphasisStyler:
    """Styler of streamed text. It turns bold and heading marks into style; each piece holds whole words."""

    def __init__(self) -> None:
        self._is_bold = self._is_heading = False
        self._is_line_start = True

    def style_piece(self, text: str) -> Text:
        """Return the next piece without its marks, with bold text and headings styled."""
        styled_text = Text()
        for part in _MARKS.split(text):
            if part == "**":
                self._is_bold = not self._is_bold
            elif part.startswith("#") and not part.strip("#") and self._is_line_start:
                self._is_heading = True
            else:
                styled_text.append(part, BOLD_STYLE if self._is_bold or self._is_heading else "")
                self._is_line_start = part == "\n" or (self._is_line_start and not part.strip())
                self._is_heading = self._is_heading and part != "\n"
        return styled_text
