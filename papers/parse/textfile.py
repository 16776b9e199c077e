"""Reading of a text file within limits."""

from pathlib import Path

from .paper_fields import UnreadableFileError

MAX_BYTES = 20_000_000
"""Maximum bytes of a text, JSON, BibTeX or RIS file."""
MAX_LINE_CHARACTERS = 1_000_000
"""Maximum characters of a line."""


def read_text(path: Path) -> str:
    """Read a text file in UTF-8, or in UTF-16 with a byte order mark.

    Raises `UnreadableFileError` for another encoding, zero bytes, a line that is too long, or an empty
    file.
    """
    check_file(path, MAX_BYTES)
    raw_bytes = path.read_bytes()
    encoding = "utf-16" if raw_bytes[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = raw_bytes.decode(encoding)
    except UnicodeDecodeError as error:
        raise UnreadableFileError(f"is not {error.encoding} text (byte {error.start:,}): save it as UTF-8") from None
    if "\0" in text:
        raise UnreadableFileError("is not text: it holds zero bytes")
    if any(len(line) > MAX_LINE_CHARACTERS for line in text.split("\n")):
        raise UnreadableFileError(f"has a line of more than {MAX_LINE_CHARACTERS:,} characters: break it up")
    if not text.strip():
        raise UnreadableFileError("is empty")
    return text


def check_file(path: Path, limit: int) -> None:
    """Check that a path is a regular file of at most `limit` bytes. Raises `UnreadableFileError`."""
    if not path.is_file():
        raise UnreadableFileError("is no regular file")
    size = path.stat().st_size
    if size > limit:
        raise UnreadableFileError(f"is {size / 1e6:,.0f} MB; at most {limit / 1e6:,.0f} MB")
