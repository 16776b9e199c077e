"""Papers made from the fields of a file's records, and limits on the size of a file."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

from pydantic import Field, ValidationError

from ...state import FrozenModel
from ...state.papers import Paper, make_safe_id

MAX_RECORDS = 20_000  # papers in a file
INSTALL_HINT = 'needs: pip install "moot[papers]"'


class UnreadableFileError(ValueError):
    """Error for a file or record that cannot be read as a paper. Its text tells the user the reason."""


class ParseResult(FrozenModel):
    """Contents of one file: its papers, and the faults of its unusable records."""

    papers: list[Paper] = Field(default_factory=list, description="Papers, in the order of the file.")
    faults: list[str] = Field(default_factory=list, description="Faults of unreadable records, or of the whole file.")


def collect_papers(records: Sequence[object], source: Path) -> ParseResult:
    """Make papers from a file's records. Report each unusable record by its number, from 1.

    Raises `UnreadableFileError` for too many records.
    """
    if len(records) > MAX_RECORDS:
        raise UnreadableFileError(
            f"holds {len(records):,} records; at most {MAX_RECORDS:,} are allowed: split the file"
        )
    papers, faults = [], []
    for number, record in enumerate(records, start=1):
        try:
            papers.append(make_paper(record, source))
        except UnreadableFileError as error:
            faults.append(f"record {number}: {error}")
    return ParseResult(papers=papers, faults=faults)


def make_paper(record: object, source: Path) -> Paper:
    """Make a paper from a record whose fields may have any known name.

    `source`: the record's file. Raises `UnreadableFileError` if the title is missing or a field is too long.
    """
    if not isinstance(record, Mapping):
        raise (
            record if isinstance(record, UnreadableFileError) else UnreadableFileError("is not an object with a title")
        )
    if not (title := _normalize_line(record.get("title"))):
        raise UnreadableFileError("has no title")
    year = record.get("year") or record.get("date")
    year_match = re.search(r"(?<!\d)[12]\d{3}(?!\d)", str(year)) if isinstance(year, int | str | date) else None
    fields = {
        "id": make_safe_id(_normalize_line(record.get("id"))),
        "title": title,
        "abstract": _join_lines(clean_text(record.get("abstract"))),
        "authors": _parse_authors(record.get("authors") or record.get("author")),
        "year": int(year_match[0]) if year_match else None,
        "url": _build_address(record.get("url"), record.get("doi")),
        "text": clean_text(record.get("text")).strip(),
        "source": str(source),
    }
    try:
        return Paper.model_validate(fields)
    except ValidationError as error:
        first_error = error.errors()[0]
        raise UnreadableFileError(f"{'.'.join(map(str, first_error['loc']))}: {first_error['msg']}") from None


def clean_text(value: object) -> str:
    """Return `value` as clean text; empty if it is no text.

    Line breaks become newlines. Control characters and lone surrogates are removed.
    """
    if not isinstance(value, str):
        return ""
    text = re.sub(r"\r\n?|\u2028|\u2029|\f|\v", "\n", value.encode("utf-8", "replace").decode())
    return "".join(character for character in text if character in "\n\t" or unicodedata.category(character) != "Cc")


def _join_lines(text: str) -> str:
    """Return `text` with each paragraph on one line, joined by spaces except between ideographs."""
    joined_text = "\n\n".join(" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", text))
    return re.sub(r"(?<=[\u3001-\u9fff\uff00-\uffef]) (?=[\u3001-\u9fff\uff00-\uffef])", "", joined_text).strip()


def _normalize_line(value: object) -> str:
    return " ".join(clean_text(str(value) if isinstance(value, int) else value).split())


def _parse_authors(value: object) -> list[str]:
    """Return the authors' names from a string or a list.

    Items are names, or objects with `name`, or with `family` and `given`.
    """
    if isinstance(value, str):
        value = re.split(r"\s+and\s+|[;；、，]", value)
    names = list[str]()
    for author in value if isinstance(value, list) else ():
        if isinstance(author, Mapping):
            parts = [_normalize_line(author.get(key)) for key in ("family", "given")]
            author = _normalize_line(author.get("name")) or ", ".join(part for part in parts if part)
        names.append(_normalize_line(author))
    return [name for name in names if name]


def _build_address(url: object, doi: object) -> str:
    """Return the paper's web address or, without one, the address of its DOI; otherwise an empty text."""
    address = _normalize_line(url)
    identifier = re.sub(r"^(https?://(dx\.)?doi\.org/|doi:)", "", _normalize_line(doi), flags=re.IGNORECASE)
    if re.fullmatch(r"https?://\S{1,1990}", address):
        return address
    return f"https://doi.org/{identifier}" if re.fullmatch(r"10\.\S{1,300}", identifier) else ""


MAX_BYTES = 20_000_000
"""Maximum bytes of a text, JSON, BibTeX or RIS file."""
MAX_LINE_CHARACTERS = 1_000_000


def read_text(path: Path) -> str:
    """Read a text file in UTF-8, or in UTF-16 with a byte order mark.

    Raises `UnreadableFileError` for another encoding, zero bytes, a line or file that is too long, or an empty file.
    """
    check_file(path, MAX_BYTES)
    raw_bytes = path.read_bytes()
    encoding = "utf-16" if raw_bytes[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = raw_bytes.decode(encoding)
    except UnicodeDecodeError as error:
        raise UnreadableFileError(f"is not {error.encoding} text (byte {error.start:,}): save it as UTF-8") from None
    if "\0" in text:
        raise UnreadableFileError("is not a text file: it contains zero bytes")
    if any(len(line) > MAX_LINE_CHARACTERS for line in text.split("\n")):
        raise UnreadableFileError(f"has a line of more than {MAX_LINE_CHARACTERS:,} characters: break the line up")
    if not text.strip():
        raise UnreadableFileError("is empty")
    return text


def check_file(path: Path, limit: int) -> None:
    """Check that a path is a regular file of at most `limit` bytes. Raises `UnreadableFileError`."""
    if not path.is_file():
        raise UnreadableFileError("is not a regular file")
    if (size := path.stat().st_size) > limit:
        raise UnreadableFileError(f"is {size / 1e6:,.0f} MB; at most {limit / 1e6:,.0f} MB are allowed")
