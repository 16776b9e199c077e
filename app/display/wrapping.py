"""Text wrapped between words, with all lines after the first indented.

So none of these lines can pose as a heading of the transcript.
"""

import re

from rich.cells import cell_len

STATEMENT_INDENT = "  "

_WIDE_CHARACTERS = "\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6"
_TOKEN = re.compile(rf"\n|[^\S\n]+|[{_WIDE_CHARACTERS}]|[^\s{_WIDE_CHARACTERS}]+")
"""Pattern of a token: a line break, other blanks, one wide character, or a word."""


def indent_lines(text: str) -> str:
    """Indent every line of `text` after the first, except empty ones."""
    return re.sub(r"\n(?=[^\n])", f"\n{STATEMENT_INDENT}", text)


class StreamWrapper:
    """Wrapper of text that arrives in pieces. It keeps an unfinished word until the next piece."""

    def __init__(self, width: int) -> None:
        self.width = width
        self._column = 0
        self._gap = self._pending_word = ""

    def add_piece(self, text: str) -> str:
        """Take the next piece, and return the text to show now."""
        tokens = _TOKEN.findall(self._pending_word + text)
        is_complete = (
            not tokens or re.fullmatch(rf"\s+|[{_WIDE_CHARACTERS}]", tokens[-1]) or cell_len(tokens[-1]) > self.width
        )
        self._pending_word = "" if is_complete else tokens.pop()
        return "".join(self._place_token(token) for token in tokens)

    def flush_text(self) -> str:
        """Return the unfinished word. The next piece begins a new paragraph."""
        remainder = self._place_token(self._pending_word) if self._pending_word else ""
        self._column, self._gap, self._pending_word = 0, "", ""
        return remainder

    def _place_token(self, token: str) -> str:
        if token == "\n":
            self._column, self._gap = -1, ""
            return "\n"
        if token.isspace():
            self._gap += token if self._column > 0 else ""
            return ""
        width, gap = cell_len(token), self._gap
        if self._column > 0 and self._column + cell_len(gap) + width > self.width:
            self._column, gap = -1, "\n"
        if self._column < 0:
            self._column, gap = len(STATEMENT_INDENT), gap + STATEMENT_INDENT
        self._column += width + (0 if "\n" in gap else cell_len(gap.removesuffix(STATEMENT_INDENT)))
        self._gap = ""
        return gap + token
