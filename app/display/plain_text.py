"""Plain text for a terminal: no escape or control characters, aligned columns, commands, and wrapping.

In a wrapped text, all lines after the first are indented. So no line can pose as a heading of the transcript.
"""

import json
import re
import shlex
import shutil
import sys
from collections.abc import Sequence

from rich.cells import cell_len

_ESCAPE_SEQUENCES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI … final byte: colours, cursor, screen
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # OSC, DCS, SOS, PM, APC … terminator
    r"|\x1b[ -/]*[0-~]"  # every other escape of two or three characters
    r"|\x9b[0-?]*[ -/]*[@-~]"  # CSI as one byte
)
_CONTROL_CHARACTERS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]|[\U000e0000-\U000e007f]"
)
_IN_JSON = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def strip_controls(text: str) -> str:
    """Return `text` without escape sequences and control characters.

    Newlines and tabs stay. CR LF becomes LF.
    """
    return _CONTROL_CHARACTERS.sub("", _ESCAPE_SEQUENCES.sub("", text.replace("\r\n", "\n")))


def flatten_line(text: str) -> str:
    """Return `text` on one line, without escape sequences and control characters."""
    return " ".join(strip_controls(text).split())


def format_json(value: object, indent: int | None = 2) -> str:
    """Format `value` as JSON with readable non-ASCII text and without control characters."""
    return _IN_JSON.sub(
        lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False, indent=indent, default=str)
    )


def align_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Format the rows as lines with aligned columns.

    A wide character counts as two columns of the terminal. The last column is not padded.
    """
    widths = [max(cell_len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def format_command(*words: str, db: str = "") -> str:
    """Return a command line to copy, with the path of `moot` if the shell cannot find it.

    `db`: database option without a password, or empty.
    """
    is_moot = sys.argv[0].endswith((".py", "-c", "-m")) or sys.argv[0] == shutil.which("moot")
    program = "moot" if is_moot else shlex.quote(sys.argv[0])
    return " ".join([program, *(shlex.quote(word) for word in [*words, *(["--db", db] if db else [])])])


STATEMENT_INDENT = "  "

_WIDE_CHARACTERS = "\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6"
_TOKEN = re.compile(rf"\n|[^\S\n]+|[{_WIDE_CHARACTERS}]|[^\s{_WIDE_CHARACTERS}]+")
"""Pattern of a token: a line break, other blanks, one wide character, or a word."""


def indent_lines(text: str) -> str:
    """Return `text` with every line after the first indented, except empty ones."""
    return re.sub(r"\n(?=[^\n])", f"\n{STATEMENT_INDENT}", text)


class StreamWrapper:
    """Word wrapping of text that arrives in pieces. An unfinished word waits for the next piece."""

    def __init__(self, width: int) -> None:
        self.width = width
        self._column = 0
        self._gap = self._pending_word = ""

    def add_fragment(self, text: str) -> str:
        """Add a piece of text, and return what can be shown now."""
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
