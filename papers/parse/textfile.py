"""Reading of a text file within bounds."""

from pathlib import Path

from .paper_fields import UnreadableFileError

MAX_BYTES = 20_000_000
"""Largest text, JSON, BibTeX or RIS file."""
MAX_LINE = 1_000_000
"""Longest line, in characters."""


def read_text(path: Path) -> str:
    """Read a file's text: UTF-8, or UTF-16 if it begins with its mark.

    Raises `UnreadableFileError` otherwise.
    """
    check_size(path, MAX_BYTES)
    raw = path.read_bytes()
    encoding = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise UnreadableFileError(f"is not {error.encoding} text (byte {error.start:,}): save it as UTF-8") from None
    if "\0" in text:
        raise UnreadableFileError("is not text: it holds zero bytes")
    if any(len(line) > MAX_LINE for line in text.split("\n")):
        raise UnreadableFileError(f"has a line of more than {MAX_LINE:,} characters: break it up")
    if not text.strip():
        raise UnreadableFileError("is empty")
    return text


def check_size(path: Path, limit: int) -> None:
    """Raise `UnreadableFileError` if the file is larger than `limit` bytes, or is not a regular file."""
    if not path.is_file():
        raise UnreadableFileError("is no regular file")
    size = path.stat().st_size
    if size > limit:
        raise UnreadableFileError(f"is {size / 1e6:,.0f} MB; at most {limit / 1e6:,.0f} MB")
