"""What a parser gives back, and how loose fields become a paper."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ....state.papers import Paper, safe_id

MAX_RECORDS = 20_000
"""Most papers in one file."""
EXTRA = 'needs: pip install "moot[papers]"'


class Unreadable(ValueError):
    """A file or record that cannot be used; the text is the reason, as the user sees it."""


class Parsed(BaseModel):
    """What one file held."""

    model_config = ConfigDict(frozen=True)

    papers: list[Paper] = Field(default_factory=list, description="Papers, in the order of the file.")
    broken: list[str] = Field(default_factory=list, description="Why a record, or the whole file, could not be read.")


def gathered(records: Sequence[object], source: Path) -> Parsed:
    """A file's records as papers; each that is none is a reason with its number, counted from 1."""
    if len(records) > MAX_RECORDS:
        raise Unreadable(f"holds {len(records):,} records; at most {MAX_RECORDS:,}: split it")
    papers, broken = [], []
    for number, record in enumerate(records, start=1):
        try:
            papers.append(paper_from(record, source))
        except Unreadable as reason:
            broken.append(f"record {number}: {reason}")
    return Parsed(papers=papers, broken=broken)


def paper_from(record: object, source: Path) -> Paper:
    """A paper from fields as files spell them; raises `Unreadable` when the title is missing or a bound is exceeded."""
    if not isinstance(record, Mapping):
        raise record if isinstance(record, Unreadable) else Unreadable("is not an object with a title")
    title = _line(record.get("title"))
    if not title:
        raise Unreadable("has no title")
    fields = {
        "id": safe_id(_line(record.get("id"))),
        "title": title,
        "abstract": _flowing(cleaned(record.get("abstract"))),
        "authors": _authors(record.get("authors") or record.get("author")),
        "year": _year(record.get("year") or record.get("date")),
        "url": _address(record.get("url"), record.get("doi")),
        "text": cleaned(record.get("text")).strip(),
        "source": str(source),
    }
    try:
        return Paper.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        raise Unreadable(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def cleaned(value: object) -> str:
    """Text without control characters and lone surrogates, lines ended by a newline; empty for what is no text."""
    if not isinstance(value, str):
        return ""
    text = re.sub(r"\r\n?|\u2028|\u2029|\f|\v", "\n", value.encode("utf-8", "replace").decode())
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c) != "Cc")


def _flowing(text: str) -> str:
    """Paragraphs without the line breaks of the file; between ideographs a break is not even a space."""
    joined = "\n\n".join(" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", text))
    return re.sub(r"(?<=[\u3001-\u9fff\uff00-\uffef]) (?=[\u3001-\u9fff\uff00-\uffef])", "", joined).strip()


def _line(value: object) -> str:
    return " ".join(cleaned(str(value) if isinstance(value, int) else value).split())


def _authors(value: object) -> list[str]:
    """Names from a list, from objects with `name` or `family` and `given`, or from a string with separators."""
    if isinstance(value, str):
        value = re.split(r"\s+and\s+|[;；、，]", value)
    names = [_name(author) for author in value] if isinstance(value, list) else []
    return [name for name in names if name]


def _name(author: object) -> str:
    if isinstance(author, Mapping):
        parts = [_line(author.get(key)) for key in ("family", "given")]
        return _line(author.get("name")) or ", ".join(part for part in parts if part)
    return _line(author)


def _year(value: object) -> int | None:
    found = re.search(r"(?<!\d)[12]\d{3}(?!\d)", str(value)) if isinstance(value, int | str | date) else None
    return int(found[0]) if found else None


def _address(url: object, doi: object) -> str:
    """The http address given, else the one of the DOI; any other kind of address is left out."""
    given, number = _line(url), re.sub(r"^(https?://(dx\.)?doi\.org/|doi:)", "", _line(doi), flags=re.IGNORECASE)
    if re.fullmatch(r"https?://\S{1,1990}", given):
        return given
    return f"https://doi.org/{number}" if re.fullmatch(r"10\.\S{1,300}", number) else ""
