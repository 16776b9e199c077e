"""Plain text for a terminal: no escape or control characters, columns, and commands to copy."""

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
    """Remove escape sequences and control characters. Newlines and tabs stay. CR LF becomes LF."""
    return _CONTROL_CHARACTERS.sub("", _ESCAPE_SEQUENCES.sub("", text.replace("\r\n", "\n")))


def flatten_line(text: str) -> str:
    """Return `text` on one line, without escape sequences and control characters."""
    return " ".join(strip_controls(text).split())


def format_json(value: object, indent: int | None = 2) -> str:
    """Format `value` as JSON with readable non-ASCII text and without control characters."""
    text = json.dumps(value, ensure_ascii=False, indent=indent, default=str)
    return _IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


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
    """Format a command line for copying. It starts with this program's path if `moot` does not find it.

    `db`: database option without a password, or empty.
    """
    is_moot = sys.argv[0].endswith((".py", "-c", "-m")) or sys.argv[0] == shutil.which("moot")
    program = "moot" if is_moot else shlex.quote(sys.argv[0])
    return " ".join([program, *(shlex.quote(word) for word in [*words, *(["--db", db] if db else [])])])
