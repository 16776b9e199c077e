"""Reading a text file within bounds."""

from pathlib import Path

from .parsed import Unreadable

MAX_BYTES = 20_000_000
"""Largest text, JSON, BibTeX or RIS file."""
MAX_LINE = 1_000_000
"""Longest line, in characters."""


def read_text(path: Path) -> str:
    """The file's text: UTF-8, or UTF-16 when it begins with its mark. Raises `Unreadable` for anything else."""
    check_size(path, MAX_BYTES)
    raw = path.read_bytes()
    encoding = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise Unreadable(f"is not {error.encoding} text (byte {error.start:,}): save it as UTF-8") from None
    if "\0" in text:
        raise Unreadable("is not text: it holds zero bytes")
    if any(len(line) > MAX_LINE for line in text.split("\n")):
        raise Unreadable(f"has a line of more than {MAX_LINE:,} characters: break it up")
    if not text.strip():
        raise Unreadable("is empty")
    return text


def check_size(path: Path, limit: int) -> None:
    """Raises `Unreadable` when the file is larger than `limit` bytes, or is no file to be read to its end."""
    if not path.is_file():
        raise Unreadable("is no regular file")
    size = path.stat().st_size
    if size > limit:
        raise Unreadable(f"is {size / 1e6:,.0f} MB; at most {limit / 1e6:,.0f} MB")
