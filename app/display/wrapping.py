"""Text wrapped between words, with every line after the first indented.

So a text is read with ease on a terminal, and no line of it can pass for a heading of the transcript around it.
"""

import re

from rich.cells import cell_len

INSET = "  "

_WIDE = "\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6"
_TOKEN = re.compile(rf"\n|[^\S\n]+|[{_WIDE}]|[^\s{_WIDE}]+")
"""A line break, other blanks, one wide character, or a word."""


def set_in(text: str) -> str:
    """`text` with every line after the first set in."""
    return re.sub(r"\n(?=[^\n])", f"\n{INSET}", text)


class Wrapper:
    """Wraps text that comes in pieces; an unfinished word is kept until it is complete."""

    def __init__(self, width: int) -> None:
        self.width = width
        self._at = 0
        self._gap = self._held = ""

    def put(self, text: str) -> str:
        """Take the next piece; the text that can be shown now."""
        tokens = _TOKEN.findall(self._held + text)
        whole = not tokens or re.fullmatch(rf"\s+|[{_WIDE}]", tokens[-1]) or cell_len(tokens[-1]) > self.width
        self._held = "" if whole else tokens.pop()
        return "".join(self._placed(token) for token in tokens)

    def end(self) -> str:
        """The text still kept; the next piece begins a new paragraph."""
        last = self._placed(self._held) if self._held else ""
        self._at, self._gap, self._held = 0, "", ""
        return last

    def _placed(self, token: str) -> str:
        if token == "\n":
            self._at, self._gap = -1, ""
            return "\n"
        if token.isspace():
            self._gap += token if self._at > 0 else ""
            return ""
        taken, gap = cell_len(token), self._gap
        if self._at > 0 and self._at + cell_len(gap) + taken > self.width:
            self._at, gap = -1, "\n"
        if self._at < 0:
            self._at, gap = len(INSET), gap + INSET
        self._at += taken + (0 if "\n" in gap else cell_len(gap.removesuffix(INSET)))
        self._gap = ""
        return gap + token
